//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// expected is a file of the scenarios in which a route may score less than the server itself, one on a line: the version of
// MCP, the route, the scenario and the reason. Empty lines and those that begin with # do not count.
type expected map[string]string

func readExpected(t *testing.T, file string) expected {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := parseExpected(string(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

func parseExpected(text string) (expected, error) {
	e := make(expected)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.SplitN(strings.Join(strings.Fields(line), " "), " ", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("%q has no version, route, scenario and reason", line)
		}
		e[strings.Join(fields[:3], " ")] = fields[3]
	}
	return e, nil
}

// compare returns what is wrong with the scores of all routes: a scenario that scores less than in the first column and
// is not expected to, or a line of the file that is not needed.
func (e expected) compare(version string, columns []column) []string {
	var wrong []string
	needed := make(map[string]bool)
	direct := columns[0].score
	for _, c := range columns[1:] {
		for _, name := range direct.scenarios {
			want, got := direct.outcomes[name], c.score.outcomes[name]
			if got.passed >= want.passed && got.failed <= want.failed {
				continue
			}
			key := strings.Join([]string{version, c.route, name}, " ")
			needed[key] = true
			if e[key] == "" {
				wrong = append(wrong, fmt.Sprintf("%s: %v passed/failed, directly %v\n  %s", key, got, want, strings.Join(got.failures, "\n  ")))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if strings.HasPrefix(key, version+" ") && !needed[key] {
			wrong = append(wrong, fmt.Sprintf("%s scores as much as directly: remove its line", key))
		}
	}
	return wrong
}
