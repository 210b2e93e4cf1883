//go:build unix

package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// skip is a test that fails under wine because of a defect of wine.
type skip struct {
	folder, name, reason string
}

type skips []skip

// parse reads lines of the form "folder of the package, name of the test: reason".
func parse(text string) (skips, error) {
	var list skips
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		test, reason, _ := strings.Cut(line, ": ")
		fields := strings.Fields(test)
		if len(fields) != 2 || reason == "" {
			return nil, fmt.Errorf("skipped.txt: %q is not of the form FOLDER TEST: REASON", line)
		}
		list = append(list, skip{fields[0], fields[1], reason})
	}
	return list, nil
}

// report prints the tests of a package in the form in which the testing package prints skipped tests, so that they
// are counted with their reason. It returns the pattern for -test.skip.
func (list skips) report(out io.Writer, folder string) string {
	var names []string
	for _, s := range list {
		if s.folder != folder {
			continue
		}
		fmt.Fprintf(out, "=== RUN   %s\n    under wine: %s\n--- SKIP: %[1]s (0.00s)\n", s.name, s.reason)
		names = append(names, "^"+strings.ReplaceAll(regexp.QuoteMeta(s.name), "/", "$/^")+"$")
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}
