//go:build linux

package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// expected lists the scenarios in which a route may score less than the server itself. Each line of the file consists
// of the version of MCP, the route, the scenario and the reason; the first three may be patterns of path.Match. Empty
// lines and lines that begin with # are ignored. Lines that are no longer needed are reported, unless their reason
// begins with "sometimes".
type expected []expectation

type expectation struct {
	version, route, scenario string // patterns
	reason                   string
}

func (e expectation) matches(version, route, scenario string) bool {
	for pattern, name := range map[string]string{e.version: version, e.route: route, e.scenario: scenario} {
		if ok, err := path.Match(pattern, name); err != nil || !ok {
			return false
		}
	}
	return true
}

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
	var e expected
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.SplitN(strings.Join(strings.Fields(line), " "), " ", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("%q has no version, route, scenario and reason", line)
		}
		e = append(e, expectation{fields[0], fields[1], fields[2], fields[3]})
	}
	return e, nil
}

// compare returns the scenarios of one version in which a column has a lower score than the first column although e
// does not allow that. It stores in needed the indexes of the lines that have matched.
func (e expected) compare(version string, columns []column, needed *sync.Map) []string {
	var wrong []string
	direct := columns[0].score
	for _, c := range columns[1:] {
		for _, name := range direct.scenarios {
			want, got := direct.outcomes[name], c.score.outcomes[name]
			if got.passed >= want.passed && got.failed <= want.failed {
				continue
			}
			line := slices.IndexFunc(e, func(x expectation) bool { return x.matches(version, c.route, name) })
			if line < 0 {
				wrong = append(wrong, fmt.Sprintf("%s %s %s: %v passed/failed, directly %v\n  %s",
					version, c.route, name, got, want, strings.Join(got.problems, "\n  ")))
			}
			needed.Store(line, true)
		}
	}
	return wrong
}

// unneeded returns the lines that have matched nothing.
func (e expected) unneeded(needed *sync.Map) []string {
	var lines []string
	for i, x := range e {
		if _, ok := needed.Load(i); !ok && !strings.HasPrefix(x.reason, "sometimes") {
			lines = append(lines, fmt.Sprintf("%s %s %s scores as much as directly: remove the line", x.version, x.route, x.scenario))
		}
	}
	return lines
}
