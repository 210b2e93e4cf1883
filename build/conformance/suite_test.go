//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// outcome is the score of one scenario.
type outcome struct {
	passed, failed int
	problems       []string // the checks that failed
}

func (o outcome) String() string { return fmt.Sprintf("%d/%d", o.passed, o.failed) }

// score is the result of one run of the suite.
type score struct {
	scenarios []string // in the order of the suite
	outcomes  map[string]outcome
	unscored  map[string]string // scenarios that do not count, and why
}

// suite is the program that runs the scenarios.
type suite struct{ node, program string }

// newSuite skips the test if the suite is not installed.
func newSuite(t *testing.T) suite {
	t.Helper()
	program := filepath.FromSlash("node_modules/@modelcontextprotocol/conformance/dist/index.js")
	if _, err := os.Stat(program); err != nil {
		t.Skip("the conformance tests are not installed: run build/setup.sh conformance")
	}
	program, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	return suite{mcptest.Node(t), program}
}

// timeout in milliseconds limits a scenario.
const timeout = "20000"

// run runs all scenarios that a version of MCP requires against the server at a URL.
func (s suite) run(t *testing.T, url, version string) score {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(s.node, s.program, "server", "--url", url, "--requirements", version, "--timeout", timeout, "--output-dir", dir)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	got := parse(string(out))
	if len(got.scenarios) == 0 {
		t.Fatalf("the suite failed: %v\n%s", err, out) // the suite also exits with 1 if a scenario fails
	}
	for _, name := range got.scenarios {
		o := got.outcomes[name]
		o.problems = problems(t, filepath.Join(dir, "server-"+name+"-20*"))
		got.outcomes[name] = o
	}
	return got
}

var (
	summaryLine  = regexp.MustCompile(`^[✓✗] (\S+): (\d+) passed, (\d+) failed`)
	unscoredLine = regexp.MustCompile(`^  [✓✗] (\S+) \((.+)\)$`)
)

// parse reads the summary that the suite prints.
func parse(output string) score {
	got := score{outcomes: make(map[string]outcome), unscored: make(map[string]string)}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if m := summaryLine.FindStringSubmatch(line); m != nil {
			passed, _ := strconv.Atoi(m[2]) // the pattern matches only digits
			failed, _ := strconv.Atoi(m[3])
			got.scenarios = append(got.scenarios, m[1])
			got.outcomes[m[1]] = outcome{passed: passed, failed: failed}
		} else if m := unscoredLine.FindStringSubmatch(line); m != nil {
			got.unscored[m[1]] = m[2]
		}
	}
	return got
}

// problems reads the failed checks of a scenario from the folders into which the suite has written them.
func problems(t *testing.T, folders string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folders, "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct {
			ID, Status, ErrorMessage string
			Details                  json.RawMessage
		}
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range checks {
			if c.Status != "SUCCESS" && c.Status != "INFO" {
				var details bytes.Buffer
				_ = json.Compact(&details, c.Details) // if there are no details, nothing is written
				out = append(out, fmt.Sprintf("%s %s: %s %.1000s", c.ID, c.Status, c.ErrorMessage, &details))
			}
		}
	}
	return out
}
