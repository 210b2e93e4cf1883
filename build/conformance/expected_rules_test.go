//go:build linux

package main

import (
	"slices"
	"sync"
	"testing"
)

const printed = `
=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tasks: 1 passed, 3 failed

Total: 3 passed, 3 failed

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks (extension)
`

func TestScoresAreReadFromTheSummary(t *testing.T) {
	got := parse(printed)
	if !slices.Equal(got.scenarios, []string{"ping", "tasks"}) || got.outcomes["ping"].String() != "2/0" ||
		got.outcomes["tasks"].String() != "1/3" {
		t.Errorf("scores: %+v", got)
	}
	if got.unscored["ping"] != "" || got.unscored["tasks"] != "extension" {
		t.Errorf("not scored: %v", got.unscored)
	}
}

const required = `Required for 2026-07-28 (5 scenarios, frozen; run at the 2026-07-28 wire):

Server scenarios (test against a server):
  - ping

Client scenarios (test against a client):
  - tools_call
  - auth/iss-supported

Run and reported, but never scored:
  extension (2):
    - tasks [server]
    - skills [client]
`

func TestClientScenariosAreReadFromTheRequirements(t *testing.T) {
	if got := parseRequirements(required, true); !slices.Equal(got.scenarios, []string{"auth/iss-supported"}) {
		t.Errorf("scenarios about authorization: %+v", got)
	}
	got := parseRequirements(required, false)
	if !slices.Equal(got.scenarios, []string{"tools_call", "skills"}) || got.unscored["skills"] != "extension" ||
		got.unscored["tools_call"] != "" {
		t.Errorf("scenarios: %+v", got)
	}
}

func TestAClientThatFailsScoresLess(t *testing.T) {
	for text, want := range map[string]string{
		"Passed: 2/2, 0 failed, 0 warnings\n":                                     "2/0",
		"Passed: 1/2, 1 failed, 2 warnings\n":                                     "1/3",
		"Passed: 2/2, 0 failed, 0 warnings\n\n⚠️  CLIENT TIMED OUT - Test\n":      "2/1",
		"Passed: 2/2, 0 failed, 0 warnings\n\n⚠️  CLIENT EXITED WITH ERROR (1)\n": "2/1",
	} {
		if got, ok := parseClient(text); !ok || got.String() != want {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
	if _, ok := parseClient("Unknown scenario\n"); ok {
		t.Error("an output without a summary was accepted")
	}
}

func TestLowerScoresNeedALineWithAReason(t *testing.T) {
	scored := func(passed, failed int) score {
		return score{scenarios: []string{"ping"}, outcomes: map[string]outcome{"ping": {passed: passed, failed: failed}}}
	}
	direct := column{"direct", scored(2, 1)}
	for _, row := range []struct {
		name  string
		hub   score
		lines string
		wrong int
	}{
		{"equal", scored(2, 1), "", 0},
		{"better", scored(3, 0), "", 0},
		{"more failed", scored(2, 2), "", 1},
		{"fewer passed", scored(1, 1), "", 1},
		{"not run", score{}, "", 1},
		{"expected", scored(1, 2), "v hub ping The server has no ping.", 0},
		{"expected by a pattern", scored(1, 2), "* h?b p* The server has no ping.", 0},
		{"expected on another route", scored(1, 2), "v other ping No ping.", 2},
		{"expected in another version", scored(1, 2), "w hub ping No ping.", 2},
		{"expected and equal", scored(2, 1), "v hub ping No ping.", 1},
		{"expected sometimes and equal", scored(2, 1), "v hub ping sometimes slow", 0},
	} {
		e, err := parseExpected("# comment\n\n" + row.lines)
		if err != nil {
			t.Fatal(err)
		}
		needed := new(sync.Map)
		wrong := e.compare("v", []column{direct, {"hub", row.hub}}, needed)
		if wrong = append(wrong, e.unneeded(needed)...); len(wrong) != row.wrong {
			t.Errorf("%s: %q, want %d", row.name, wrong, row.wrong)
		}
	}
	if _, err := parseExpected("v hub ping"); err == nil {
		t.Error("a line without a reason was accepted")
	}
}
