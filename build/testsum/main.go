// Command testsum summarises a test run: one line per package, the full output of each failure, the coverage of backend/,
// why tests were skipped and, as the last line, how many tests passed, failed and were skipped.
//
// It reads the output of several commands as one stream, each command between two marks that build/test.sh writes. A
// command marked as tests prints go test -json. A command marked as check is one test: it passes if it exits with 0, and
// is skipped if it exits with 77.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	profiles := flag.String("profiles", "", "pattern of the coverage profiles to merge when the input ends")
	merged := flag.String("merged", "", "file to write the merged profile to")
	flag.Parse()

	interval := time.Minute
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		interval = 10 * time.Second // on a terminal
	}
	tally := newTally(os.Stdout)
	if err := read(os.Stdin, tally, interval); err != nil {
		tally.fail("reading the results: " + err.Error())
	}
	tally.end()
	if err := reportCoverage(os.Stdout, *profiles, *merged); err != nil {
		tally.fail("coverage: " + err.Error())
	}
	if !tally.sum() {
		os.Exit(1)
	}
}

// read feeds tally until the input ends, and reports progress at the given interval.
func read(input io.Reader, tally *tally, every time.Duration) error {
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		reader := bufio.NewReader(input)
		for {
			line, err := reader.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				if err != io.EOF {
					failed <- err
				}
				return
			}
		}
	}()

	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case line, open := <-lines:
			if !open {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			tally.line(line)
		case <-ticker.C:
			tally.progress()
		}
	}
}

func reportCoverage(out io.Writer, pattern, merged string) error {
	if pattern == "" {
		return nil
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	cover := coverage{}
	for _, path := range paths {
		if err := cover.readFile(path); err != nil {
			return err
		}
	}
	covered, total := cover.statements()
	if total == 0 {
		_, err := fmt.Fprintln(out, "coverage of backend/: nothing was measured")
		return err
	}
	fmt.Fprintf(out, "coverage of backend/: %.1f %% of statements (%d of %d)\n", 100*float64(covered)/float64(total), covered, total)
	if merged == "" {
		return nil
	}
	return cover.writeFile(merged)
}
