//go:build linux

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// TestEvalMeasuresTheReferenceBenchmark compares the printed measures with those
// computed from the ranking that --out writes.
func TestEvalMeasuresTheReferenceBenchmark(t *testing.T) {
	t.Parallel()
	set := reference.Path(t, "bench", "agent-discover")
	out := filepath.Join(t.TempDir(), "ranked.jsonl")
	queries := filepath.Join(set, "queries.jsonl")
	cmd := exec.Command(programtest.Current(t), "--json", "eval", "--tools", filepath.Join(set, "tools.jsonl"), "--queries", queries,
		"--out", out)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+programtest.Coverage, "AGENT_DISCOVER_HOME="+t.TempDir())
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Tools, Queries int
		All            struct {
			R1 float64 `json:"r_at_1"`
			R5 float64 `json:"r_at_5"`
		}
	}
	if err := json.Unmarshal(printed, &report); err != nil {
		t.Fatal(err)
	}
	type line struct {
		ID       string
		Relevant []string
		Ranked   []struct{ ID string }
	}
	labelled, ranked := linesOf[line](t, queries), linesOf[line](t, out)
	if report.Tools != 15 || report.Queries != 18 || len(ranked) != 18 {
		t.Fatalf("got %d tools, %d queries, %d lines; want 15, 18, 18", report.Tools, report.Queries, len(ranked))
	}
	right := 0
	for i, r := range ranked {
		if r.ID != labelled[i].ID {
			t.Errorf("line %d is about query %s, want %s", i, r.ID, labelled[i].ID)
		}
		if len(r.Ranked) > 0 && slices.Contains(labelled[i].Relevant, r.Ranked[0].ID) {
			right++
		}
	}
	if got := float64(right) / 18; got != report.All.R1 || got < 0.7 || report.All.R5 < 0.75 {
		t.Errorf("R@1 computed from the ranking is %.3f; printed: %+v", got, report.All)
	}
}

// linesOf decodes a file with one JSON object per line.
func linesOf[T any](t *testing.T, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for text := range bytes.Lines(data) {
		var one T
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, one)
	}
	return out
}
