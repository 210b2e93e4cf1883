package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

func TestFormerAnswersAreComparedWithTheNewOnes(t *testing.T) {
	queries := []eval.Query{
		{ID: "a", Relevant: []string{"x"}, Kind: "intent"},
		{ID: "b", Relevant: []string{"x", "y"}, Kind: "multi"},
		{ID: "c", Relevant: []string{"z"}, Kind: "intent"},
		{ID: "d"},
		{ID: "new", Relevant: []string{"z"}},
	}
	hits := func(ids ...string) eval.Answer {
		var a eval.Answer
		for _, id := range ids {
			a.Hits = append(a.Hits, eval.Hit{ID: id})
		}
		return a
	}
	now := trial{set: set{name: "s", folder: t.TempDir(), Set: &eval.Set{Queries: queries}}}
	now.answers[byMeaning] = []eval.Answer{hits("x"), hits("n", "x", "y"), hits("z"), {}, hits("z")}
	b, err := readBefore("s\ta\t3\ns\tb\t1\ns\tc\t\nother\ta\t1\n")
	if err != nil {
		t.Fatal(err)
	}
	text := b.changes([]trial{now})
	for _, want := range []string{
		"| s | 3 | .333 / .500 | .667 / 1.000 | 2 | 1 | 1.000 |\n",
		"| – intent | 2 | .000 / .500 | 1.000 / 1.000 | 2 | 0 | .500 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, bad := range []string{"s\ta\n", "s\ta\t0\n", "s\ta\t11\n", "s\ta\tfirst\n"} {
		if _, err := readBefore(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestSavedAnswersCanBeRead(t *testing.T) {
	s := tiny(t)
	result, err := try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "saved.tsv")
	if err := save(file, []trial{result}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := readBefore(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var asked []eval.Query
	var then, now []eval.Answer
	for i, q := range s.Queries {
		if places, ok := b["tiny"][q.ID]; ok {
			asked, then, now = append(asked, q), append(then, answer(q, places)), append(now, result.answers[byMeaning][i])
		}
	}
	if was, is := eval.Measure(asked, then).All, eval.Measure(asked, now).All; len(asked) == 0 || was.R1 != is.R1 || was.R10 != is.R10 {
		t.Errorf("read %+v, want %+v", was, is)
	}
}

func TestStylesAreRowsOfTheirOwn(t *testing.T) {
	s := tiny(t)
	s.folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(s.folder, "styles.tsv"), []byte(s.Queries[0].ID+"\tP\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := trial{set: s}.styles()
	if at := slices.IndexFunc(rows, func(r row) bool { return r.name == "– intent, paraphrase" }); at < 0 ||
		!rows[at].wanted(s.Queries[0]) || rows[at].wanted(s.Queries[1]) {
		t.Errorf("got %v", rows)
	}
}

func TestTheSignTestKnowsItsTable(t *testing.T) {
	for _, row := range []struct {
		won, lost int
		want      float64
	}{{0, 0, 1}, {5, 0, 0.0625}, {8, 2, 0.109375}, {2, 8, 0.109375}, {5, 5, 1}} {
		if got := signTest(row.won, row.lost); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%d won, %d lost: got %f, want %f", row.won, row.lost, got, row.want)
		}
	}
}
