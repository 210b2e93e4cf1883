package lexicon

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

func TestEnglishQueriesAreNotRead(t *testing.T) {
	for _, query := range linesOf(t, "english.txt") {
		if got, ok := Read(query); ok {
			t.Errorf("%q is read as %q", query, got.Words)
		}
	}
}

func TestFewEnglishQueriesOfTheLabelledSetsAreRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "bench"), "*", "queries.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no labelled sets: %v", err)
	}
	all, read := 0, 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var q struct{ Query, Kind string }
			if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
				t.Fatal(err)
			}
			if q.Kind == "foreign" {
				continue
			}
			all++
			if got, ok := Read(q.Query); ok {
				read++
				t.Logf("%q is read as %q", q.Query, got.Words)
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if read*500 > all {
		t.Errorf("%d of %d English queries are read, want at most 0.2 %%", read, all)
	}
}
