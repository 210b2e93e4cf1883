package eval

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
)

// tried returns the answers of the search by words alone. It passes the limit 1 to Run,
// which is fewer hits than the measures need.
func tried(t *testing.T, set *Set) []Answer {
	t.Helper()
	engine, err := Open(t.Context(), set.Tools, wordsAlone, nil)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := Run(t.Context(), engine, set.Queries, 1, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestUnusualToolsAreFoundByTheirIDs(t *testing.T) {
	set, err := Read("testdata/tools.jsonl", "testdata/queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	answers := tried(t, set)
	best := make(map[string]string)
	for i, q := range set.Queries {
		if len(answers[i].Hits) > 0 {
			best[q.ID] = answers[i].Hits[0].ID
		}
	}
	for query, want := range map[string]string{
		"q4":  "t4",  // the tool has the members input_schema and title
		"q7":  "t7",  // the tool's schema is null
		"q10": "t10", // the tool has an unusual server name and unknown members
		"q12": "t18", // the tool has no description
		"q13": "t17", // the tool has no server
		"q15": "t15", // another server has a tool of the same name
		"q16": "t16", // the same server has another tool of the same name
		"q21": "t19", // no match, but the tools are still ranked
	} {
		if best[query] != want {
			t.Errorf("%s: got %q, want %q", query, best[query], want)
		}
	}
	report := Measure(set.Queries, answers)
	if report.All.Queries != 19 || report.All.R1 < 0.9 || report.All.R5 < 0.9 || report.NoMatch.Recall != 1 {
		t.Errorf("got %+v", report)
	}
	if multi := report.Kinds[len(report.Kinds)-1]; multi.Kind != "multi" || multi.R5 != 1 {
		t.Errorf("queries for several tools: got %+v", multi)
	}
}

// found returns an answer with these hits.
func found(confidence, ids string) Answer {
	a := Answer{Found: confidence != "none", Confidence: confidence}
	for id := range strings.FieldsSeq(ids) {
		a.Hits = append(a.Hits, Hit{ID: id})
	}
	return a
}

func TestMeasuresFollowTheirDefinitions(t *testing.T) {
	queries := []Query{
		{Relevant: []string{"a"}, Kind: "intent"},
		{Relevant: []string{"a", "b"}, Kind: "intent"},
		{Relevant: []string{"a", "b", "c"}, Kind: "multi"},
		{Relevant: []string{"a"}, Kind: "typo"},
		{Kind: "none"},
		{Kind: "none"},
	}
	answers := []Answer{
		found("high", "a b"),
		found("medium", "x y a"),
		found("high", "a x b x x c"),
		found("none", "a"), // no match although the hit is right
		found("none", "x"),
		found("high", "x"),
	}
	r := Measure(queries, answers)
	log := math.Log2
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %f, want %f", what, got, want)
		}
	}
	same("R@1", r.All.R1, 3.0/4)
	same("R@5", r.All.R5, (1+1+2.0/3+1)/4)
	same("R@10", r.All.R10, 1)
	same("MRR", r.All.MRR, (1+1.0/3+1+1)/4)
	second := (1 / log(4)) / (1 + 1/log(3))
	third := (1 + 1/log(4) + 1/log(7)) / (1 + 1/log(3) + 1/log(4))
	same("nDCG@10", r.All.NDCG, (1+second+third+1)/4)
	if len(r.Kinds) != 3 || r.Kinds[0].Kind != "intent" || r.Kinds[0].Queries != 2 || r.Kinds[1].Kind != "multi" ||
		r.Kinds[2].Kind != "typo" {
		t.Errorf("got the kinds %+v", r.Kinds)
	}
	same("R@1 of multi", r.Kinds[1].R1, 1)
	same("R@5 of multi", r.Kinds[1].R5, 2.0/3)
	if want := (NoMatch{Told: 2, Unlabeled: 2, Correct: 1, Precision: 0.5, Recall: 0.5, Lost: 1, LostShare: 0.25}); r.NoMatch != want {
		t.Errorf("no match: got %+v, want %+v", r.NoMatch, want)
	}
	want := []Confidence{{"high", 3, 2.0 / 3}, {"medium", 1, 0}, {"none", 2, 0.5}}
	if len(r.Calibration) != len(want) {
		t.Fatalf("calibration: got %+v, want %+v", r.Calibration, want)
	}
	for i, c := range want {
		if r.Calibration[i] != c {
			t.Errorf("calibration: got %+v, want %+v", r.Calibration[i], c)
		}
	}
}

func TestNothingIsMeasuredWithoutLabels(t *testing.T) {
	r := Measure([]Query{{}}, []Answer{found("low", "x")})
	if r.All != (Measures{}) || r.NoMatch != (NoMatch{Unlabeled: 1}) || len(r.Kinds) != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestLatencyUsesTheNearestRank(t *testing.T) {
	var answers []Answer
	for i := range 20 {
		answers = append(answers, Answer{Took: time.Duration(20-i) * time.Millisecond})
	}
	if got, want := latency(answers), (Latency{10, 19, 20}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := latency(nil); got != (Latency{}) {
		t.Errorf("without answers: got %+v", got)
	}
}

const (
	goodTool  = `{"id":"a","server":"s","name":"n","description":"d"}`
	goodQuery = `{"id":"1","query":"q","relevant":["a"]}`
)

// written writes a file with that name and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ tools, queries, want string }{
		{goodTool + "\n\n{\"id\":", goodQuery, "t.jsonl:3: not JSON: unexpected end of JSON input"},
		{goodTool, "\n" + goodQuery + " trailing", "q.jsonl:2: not JSON: invalid character 't' after top-level value"},
		{`["a"]`, goodQuery, "t.jsonl:1: not a JSON object"},
		{`{"id":"a"}`, goodQuery, "t.jsonl:1: a tool needs an id and a name"},
		{`{"name":"a"}`, goodQuery, "t.jsonl:1: a tool needs an id and a name"},
		{`{"id":7,"name":"a"}`, goodQuery, "t.jsonl:1: id has the wrong type: number"},
		{goodTool, `{"id":"1"}`, "q.jsonl:1: a query needs an id and a text in query"},
		{goodTool, `{"query":"1"}`, "q.jsonl:1: a query needs an id and a text in query"},
		{goodTool, `{"id":"1","query":"q","relevant":"a"}`, "q.jsonl:1: relevant has the wrong type: string"},
		{"", goodQuery, "t.jsonl contains no tools"},
		{goodTool, "\n \n", "q.jsonl contains no queries"},
	} {
		_, err := Read(written(t, "t.jsonl", c.tools), written(t, "q.jsonl", c.queries))
		if fault.KindOf(err) != fault.Invalid || err == nil || !strings.HasSuffix(fault.MessageOf(err), c.want) {
			t.Errorf("%q, %q: got %v, want %s", c.tools, c.queries, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "no"), "no"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing file: got %v, want NotFound", err)
	}
	if _, err := Read(t.TempDir(), "no"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a folder: got %v, want Invalid", err)
	}
}

func TestLabelsWithoutAToolAndRepeatedIDsAreCounted(t *testing.T) {
	tools := "\uFEFF" + goodTool + "\r\n" + goodTool
	set, err := Read(written(t, "t", tools),
		written(t, "q", `{"id":"1","query":"q","relevant":["a","b","a","c"]}`+"\n"+`{"id":"2","query":"q"}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Tools) != 1 || set.Repeated != 1 || set.Unknown != 2 || len(set.Queries) != 2 || len(set.Queries[0].Relevant) != 3 {
		t.Errorf("got %+v", set)
	}
}

func TestASchemaMayHaveEitherName(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"a","name":"n","input_schema":{"x":1}}`:                          `{"name":"n","inputSchema":{"x":1}}`,
		`{"id":"a","name":"n","inputSchema":{"x":1}}`:                           `{"name":"n","inputSchema":{"x":1}}`,
		`{"id":"a","name":"n","title":"T","input_schema":null,"description":7}`: `{"name":"n","title":"T"}`,
	} {
		if tool, err := readTool([]byte(line)); err != nil || string(tool.Definition) != want {
			t.Errorf("%s: got %s, %v", line, tool.Definition, err)
		}
	}
}

// wordsAlone are settings without embeddings.
var wordsAlone = settings.Search{Provider: settings.ProviderNone}

func TestDefaultSettingsRankByMeaning(t *testing.T) {
	tools := []Tool{
		{ID: "a", Server: "s", Name: "alpha", Definition: []byte(`{"name":"alpha","description":"Send an electronic letter to a person"}`)},
		{ID: "b", Server: "s", Name: "beta", Definition: []byte(`{"name":"beta","description":"Delete a row of a table"}`)},
	}
	engine, err := Open(t.Context(), tools, settings.Default().Search, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := engine.Rank(t.Context(), "email my boss", 2)
	if err != nil || len(answer.Hits) == 0 || answer.Hits[0].ID != "a" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestAFailingProviderIsAnError(t *testing.T) {
	how := settings.Search{Provider: settings.ProviderLocal, URL: "http://127.0.0.1:1"}
	tools := []Tool{{ID: "a", Server: "s", Name: "n", Definition: []byte(`{"name":"n"}`)}}
	if _, err := Open(t.Context(), tools, how, nil); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestRunReportsProgressAndStopsWhenCancelled(t *testing.T) {
	engine, err := Open(t.Context(), []Tool{{ID: "a", Name: "n", Definition: []byte(`{"name":"n"}`)}}, wordsAlone, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	queries, shown, done := make([]Query, 5), 0, 0
	each := func(Query, Answer) error {
		if shown++; shown == 3 {
			stop()
		}
		return nil
	}
	_, err = Run(ctx, engine, queries, 1, each, func(_ string, n, of int) {
		if done = n; of != 5 {
			t.Errorf("got a total of %d, want 5", of)
		}
	})
	if !errors.Is(err, context.Canceled) || shown != 3 || done != 3 {
		t.Errorf("got %v after %d answers and %d progress reports", err, shown, done)
	}
}
