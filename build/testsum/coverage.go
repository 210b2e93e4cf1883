package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// coverage maps each block of backend/ to whether any process ran it. It merges profiles of different counting modes,
// which the go command refuses to do.
type coverage map[string]block

type block struct {
	statements int
	hit        bool
}

// readFile adds a profile in the textual format of go tool cover.
func (c coverage) readFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, module+"backend/") {
			if err := c.add(line); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return lines.Err()
}

// add adds a line such as path/file.go:3.1,5.2 4 1: four statements, run once.
func (c coverage) add(line string) error {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return fmt.Errorf("%q is not a line of a coverage profile", line)
	}
	statements, err := strconv.Atoi(fields[1])
	if err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	c[fields[0]] = block{statements, c[fields[0]].hit || fields[2] != "0"}
	return nil
}

func (c coverage) statements() (covered, total int) {
	for _, b := range c {
		total += b.statements
		if b.hit {
			covered += b.statements
		}
	}
	return covered, total
}

// writeFile writes a profile that go tool cover -html shows.
func (c coverage) writeFile(path string) error {
	var text strings.Builder
	text.WriteString("mode: set\n")
	for _, place := range slices.Sorted(maps.Keys(c)) {
		hit := 0
		if c[place].hit {
			hit = 1
		}
		fmt.Fprintf(&text, "%s %d %d\n", place, c[place].statements, hit)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
