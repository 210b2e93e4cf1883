package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

func TestWordsMatchAgentDiscover14(t *testing.T) {
	for text, want := range map[string]string{
		"Open new Issues":        "open create new issue",
		"list_all-boxes/a class": "list all box class",
		"add cities, gas bus":    "add create cities, gas bus",
		"parties queries":        "party query search",
		`say "hi*" ** a`:         "say hi",
	} {
		if got := words(text); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: got %v, want %s", text, got, want)
		}
	}
}

// tiny returns the set in the test data of package eval.
func tiny(t *testing.T) set {
	t.Helper()
	folder := filepath.Join("..", "..", "backend", "discovery", "eval", "testdata")
	read, err := eval.Read(filepath.Join(folder, "tools.jsonl"), filepath.Join(folder, "queries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return set{name: "tiny", Set: read}
}

func TestTheBaselinesFindSuitableTools(t *testing.T) {
	s := tiny(t)
	result, err := try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{original, nearest, byWords} {
		if r := eval.Measure(s.Queries, result.answers[i]); r.All.R1 < 0.7 || r.All.R5 < 0.85 {
			t.Errorf("engine %d: got %+v", i, r.All)
		}
	}
	text := tables([]trial{result})
	for _, want := range []string{"| tiny | 19 | .", "| – named | 3 | ", "| tiny, words | "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestUnusualQueriesAreNoSyntaxErrors(t *testing.T) {
	s := tiny(t)
	originals, err := newFTS5(s.Tools)
	if err != nil {
		t.Fatal(err)
	}
	rivals, err := newRival(s.Tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`say "tide" AND (NOT x*`, `say "tide`, `**`, "a", "?!", "tide_ta*ble", `\`} {
		for _, e := range []eval.Engine{originals, rivals} {
			if _, err := e.Rank(t.Context(), text, 5); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

func TestTablesReplaceTheTextBetweenTheMarkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.md")
	for text, want := range map[string]string{
		"a\n" + begins + "old\n" + ends + "b\n": "a\n" + begins + "new\n" + ends + "b\n",
		"no markers":                            "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := replace(path, "new\n")
		if got, _ := os.ReadFile(path); want != "" && string(got) != want || (err == nil) != (want != "") {
			t.Errorf("got %q, %v", got, err)
		}
	}
}
