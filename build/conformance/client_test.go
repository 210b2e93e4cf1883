//go:build linux

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sdkClient is the package of the Go SDK's client for the scenarios.
const sdkClient = "github.com/modelcontextprotocol/go-sdk/conformance/everything-client"

// compareClients runs the scenarios for clients that version v of MCP requires. Without -table, it compares the score
// of the hub with the score that the suite requires. With -table, it compares the score of a client of the Go SDK
// with two scores of the hub: one with a client of the hub that speaks v, and one with a client of the hub that
// speaks other.
func (s *setup) compareClients(t *testing.T, v, other version) {
	hub := func(version string) string { return s.self + " -client " + s.Program + " -version " + version }
	routes := []struct{ name, command string }{
		{"sdk-client", s.sdkClient},
		{"client", hub(v.name)},
		{"client-from-" + other.era, hub(other.name)},
	}
	list := s.clientScenarios(t, v.name, false)
	var columns []column
	if !*table {
		columns, routes = []column{{"required", list}}, routes[1:2]
	}
	for _, r := range routes {
		columns = append(columns, column{r.name, s.runClients(t, r.command, v.name, list)})
	}
	s.judge(t, v.name, columns)
}

// compareAuthorization is compareClients for servers that require a token.
func (s *setup) compareAuthorization(t *testing.T, version string, list score) {
	s.judge(t, version, []column{
		{"sdk-client", s.runClients(t, s.sdkClient, version, list)},
		{"client", s.runClients(t, s.self+" -client "+s.Program+" -version "+version, version, list)},
	})
}

// oldest is the first version of MCP in which servers require tokens. Later versions changed how clients get them.
const oldest = "2025-03-26"

// oldestScenarios returns the names of the scenarios that belong to the oldest version and to no other.
func (s setup) oldestScenarios(t *testing.T) score {
	t.Helper()
	out, err := exec.Command(s.node, s.suite.program, "list", "--client").Output()
	if err != nil {
		t.Fatal(err)
	}
	list := score{outcomes: make(map[string]outcome)}
	for _, m := range regexp.MustCompile(`(?m)^  - (auth/\S+) \[`+oldest+`\]$`).FindAllStringSubmatch(string(out), -1) {
		list.scenarios = append(list.scenarios, m[1])
	}
	if len(list.scenarios) == 0 {
		t.Fatalf("the suite lists no scenarios of %s:\n%s", oldest, out)
	}
	return list
}

func (s setup) runClients(t *testing.T, command, version string, list score) score {
	t.Helper()
	got := score{scenarios: list.scenarios, outcomes: make(map[string]outcome), unscored: list.unscored}
	for _, name := range list.scenarios {
		got.outcomes[name] = s.runClient(t, command, name, version, list.unscored[name] == "extension")
	}
	return got
}

// clientScenarios returns the names of the scenarios for clients that a version of MCP requires: the scenarios about
// authorization if wantToken is set, and otherwise all others.
func (s setup) clientScenarios(t *testing.T, version string, wantToken bool) score {
	t.Helper()
	out, err := exec.Command(s.node, s.suite.program, "list", "--client", "--requirements", version).Output()
	if err != nil {
		t.Fatal(err)
	}
	list := parseRequirements(string(out), wantToken)
	if len(list.scenarios) == 0 {
		t.Fatalf("the suite lists no scenarios for clients:\n%s", out)
	}
	return list
}

var (
	listedLine     = regexp.MustCompile(`^  - (\S+)$`)
	reasonLine     = regexp.MustCompile(`^  (\S+) \(\d+\):$`)
	unscoredClient = regexp.MustCompile(`^    - (\S+) \[client\]$`)
	summaryPart    = regexp.MustCompile(`(?m)^Passed: (\d+)/\d+, (\d+) failed, (\d+) warnings$`)
	endedPart      = regexp.MustCompile(`CLIENT (TIMED OUT|EXITED WITH ERROR)`)
)

// parseRequirements reads the scenarios for clients from the list that the suite prints. Each scenario has to pass at
// least one check.
func parseRequirements(output string, wantToken bool) score {
	list := score{outcomes: make(map[string]outcome), unscored: make(map[string]string)}
	clients, reason := false, ""
	add := func(name string) {
		if strings.HasPrefix(name, authorization) == wantToken {
			list.scenarios = append(list.scenarios, name)
			list.outcomes[name] = outcome{passed: 1}
		}
	}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasSuffix(line, ":") && line[0] != ' ':
			clients = strings.HasPrefix(line, "Client scenarios")
		case clients && listedLine.MatchString(line):
			add(listedLine.FindStringSubmatch(line)[1])
		case reasonLine.MatchString(line):
			reason = reasonLine.FindStringSubmatch(line)[1]
		case unscoredClient.MatchString(line):
			name := unscoredClient.FindStringSubmatch(line)[1]
			list.unscored[name] = reason
			add(name)
		}
	}
	return list
}

// runClient runs a scenario against a client. Scenarios of extensions belong to no version.
func (s setup) runClient(t *testing.T, command, scenario, version string, extension bool) outcome {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(s.node, s.suite.program, "client", "--command", command, "--scenario", scenario, "--timeout",
		timeout, "--output-dir", dir)
	if !extension || !strings.HasPrefix(scenario, authorization) {
		cmd.Args = append(cmd.Args, "--spec-version", version)
	}
	cmd.Dir, cmd.Env = dir, s.Env
	out, err := cmd.CombinedOutput()
	got, ok := parseClient(string(out))
	if !ok {
		t.Fatalf("the suite failed: %v\n%s", err, out) // the suite also exits with 1 if a check fails
	}
	got.problems = problems(t, filepath.Join(dir, scenario+"-20*"))
	if got.failed > 0 {
		got.problems = append(got.problems, string(out))
	}
	return got
}

// parseClient reads the summary of a scenario for clients. Each warning counts as a failed check, and so does a
// client that exits with an error or runs out of time.
func parseClient(output string) (outcome, bool) {
	m := summaryPart.FindStringSubmatch(output)
	if m == nil {
		return outcome{}, false
	}
	passed, _ := strconv.Atoi(m[1]) // the pattern matches only digits
	failed, _ := strconv.Atoi(m[2])
	warnings, _ := strconv.Atoi(m[3])
	if endedPart.MatchString(output) {
		failed++
	}
	return outcome{passed: passed, failed: failed + warnings}, true
}
