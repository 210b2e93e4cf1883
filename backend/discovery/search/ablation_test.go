package search

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
)

// ablations are the parts of the ranking that
// TestEachPartOfTheRankingIsMeasured switches off, one at a time.
var ablations = []struct {
	name    string
	without func() (end func()) // changes package variables; end restores them
	then    func(*ranking)      // called with each ranking to change it
	whole   bool                // do not split queries into steps
}{
	{name: "nothing"},
	{name: "words as written", then: func(r *ranking) { r.reparse(func(p *part) { p.drop(surfaceShare) }) }},
	{name: "kinds of verbs", without: func() func() { return swap(&canonical, nil) }},
	{name: "abbreviations", without: func() func() { return swap(&abbreviations, nil) }},
	{name: "stop words", without: func() func() { return swap(&stopWords, nil) }},
	{name: "corrections of misspelled words", then: func(r *ranking) {
		r.reparse(func(p *part) {
			if p.guesses {
				p.terms = nil
			}
		})
	}},
	{name: "parameter names", without: func() func() { return reduceWeight(inParameter) }},
	{name: "parameter descriptions", without: func() func() { return reduceWeight(inParameterText) }},
	{name: "parameters", without: func() func() { return reduceWeight(inParameter, inParameterText) }},
	{name: "server name", without: func() func() { return reduceWeight(inServer) }},
	{name: "title", without: func() func() { return reduceWeight(inTitle) }},
	{name: "higher weight of names", without: func() func() {
		was := fieldWeight
		fieldWeight[inName] = fieldWeight[inDescription]
		return func() { fieldWeight = was }
	}},
	{name: "priority of named tools", then: func(r *ranking) { r.named = nil; r.selectBest(nil) }},
	{
		name: "coverage", without: func() func() { return swap(&wordsAlone, blend{}) },
		then: func(r *ranking) { r.blend.coverage = 0; r.selectBest(nil) },
	},
	{name: "steps", whole: true},
}

// swap replaces a variable until end is called.
func swap[T any](at *T, other T) (end func()) {
	was := *at
	*at = other
	return func() { *at = was }
}

// reduceWeight makes the words of fields almost irrelevant until end is called.
func reduceWeight(fields ...field) (end func()) {
	was := fieldWeight
	for _, f := range fields {
		fieldWeight[f] = 1e-6
	}
	return func() { fieldWeight = was }
}

// drop removes the terms of a given weight from p, unless the terms are guesses.
func (p *part) drop(weight float32) {
	p.terms = slices.DeleteFunc(p.terms, func(s weightedTerm) bool { return !p.guesses && s.weight == weight })
}

// reparse changes the parts of a query and ranks the tools again.
func (r *ranking) reparse(change func(*part)) {
	for i := range r.parts {
		change(&r.parts[i])
		r.parts[i].perfect = 0
		r.index.measure(&r.parts[i])
	}
	clear(r.lexical)
	if len(r.lexical) == 0 {
		return
	}
	r.perfect = r.index.score(r.parts, r.lexical)
	r.bestLexical = slices.Max(r.lexical)
	r.selectBest(nil)
}

// labelled is a catalog with queries and the tools that are right for each.
type labelled struct {
	name    string
	catalog *catalog.Catalog
	ids     map[catalog.Key]string
	queries []labelledQuery
	vectors *embedding.Vectors
	asked   map[string][]float32 // vectors of queries
	encoder *minilm.Encoder
}

type labelledQuery struct {
	Query    string
	Kind     string
	Relevant []string
}

// eachLine calls visit for each line of a file.
func eachLine(t *testing.T, file string, visit func(line []byte)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		visit(lines.Bytes())
	}
}

// readSet reads a labelled set.
func readSet(t *testing.T, folder string) *labelled {
	t.Helper()
	set := &labelled{name: filepath.Base(folder), ids: make(map[catalog.Key]string), asked: make(map[string][]float32)}
	servers := make(map[string][]json.RawMessage)
	eachLine(t, filepath.Join(folder, "tools.jsonl"), func(line []byte) {
		var in struct {
			ID, Server, Name string
			Schema           json.RawMessage `json:"input_schema"`
		}
		if err := json.Unmarshal(line, &in); err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		_ = json.Unmarshal(line, &all)
		all["inputSchema"] = in.Schema
		raw, _ := json.Marshal(all)
		key := catalog.Key{Server: in.Server, Tool: in.Name}
		for set.ids[key] != "" {
			key.Server += " "
		}
		set.ids[key] = in.ID
		servers[key.Server] = append(servers[key.Server], raw)
	})
	set.catalog = catalogtest.Open(t, &events.Bus{}, servers)
	eachLine(t, filepath.Join(folder, "queries.jsonl"), func(line []byte) {
		var q labelledQuery
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		if len(q.Relevant) > 0 {
			set.queries = append(set.queries, q)
		}
	})
	return set
}

// embed computes the vectors of the tools with the built-in model.
func (set *labelled) embed(t *testing.T) {
	t.Helper()
	how := settings.Default().Search
	how.Threads = runtime.GOMAXPROCS(0)
	bus := &events.Bus{}
	set.encoder = minilm.New()
	x := embedding.New(embedding.Options{
		Settings: how, Catalog: set.catalog, Store: noVectorStore{}, Bus: bus, Log: slog.New(slog.DiscardHandler),
		Builtin: embedding.Builtin{Encoder: set.encoder, Model: minilm.Model, Dimensions: minilm.Dimensions},
	})
	changes, stop := events.Subscribe[embedding.Changed](bus, 1024)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = x.Run(ctx) }() // ends with ctx
	for x.Status().Ready < x.Status().Tools {
		<-changes
	}
	set.vectors = x.Vectors()
}

// meaning returns a Meaning with the vectors of the set.
func (set *labelled) meaning() Meaning {
	return fakeMeaning{func() *embedding.Vectors { return set.vectors }, func(text string) ([]float32, bool) {
		if set.asked[text] == nil {
			set.asked[text] = set.encoder.Encode(text, 64)
		}
		return set.asked[text], true
	}}
}

// measure returns the share of queries whose first hit is right, and the mean recall
// in the first five hits. The recall of a query is 1 if any right tool is found; for
// a query of the kind multi it is the share of its right tools that are found.
func (set *labelled) measure(t *testing.T, s *Searcher, then func(*ranking), whole bool) string {
	first, five := 0.0, 0.0
	for _, q := range set.queries {
		x, m := s.current()
		r := s.rankOne(t.Context(), x, m, askedFor(q.Query), nil)
		if then != nil && r.lexical != nil {
			then(r)
		}
		if steps := x.steps(q.Query); !whole && len(steps) > 0 && len(r.best) > 0 && r.named[r.best[0].at] < namedByWords {
			s.rankSteps(t.Context(), r, m, steps, nil)
		}
		among := 0
		for i, hit := range r.best[:min(len(r.best), 5)] {
			if slices.Contains(q.Relevant, set.ids[hit.Tool.Key()]) {
				among++
				if i == 0 {
					first++
				}
			}
		}
		if q.Kind == "multi" {
			five += float64(among) / float64(min(len(q.Relevant), 5))
		} else {
			five += float64(min(among, 1))
		}
	}
	n := float64(len(set.queries))
	return strings.ReplaceAll(fmt.Sprintf("%.3f / %.3f", first/n, five/n), "0.", ".")
}

// TestEachPartOfTheRankingIsMeasured logs, for each labelled set, a table of the measures without each
// part of the ranking, by words alone and with vectors. make eval-parts measures all
// sets, which takes minutes. Otherwise the test only measures the smallest set, to
// check that the table can be computed.
func TestEachPartOfTheRankingIsMeasured(t *testing.T) {
	which := "agent-discover"
	if os.Getenv("AGENT_DISCOVER_PARTS") != "" {
		which = "*"
	}
	folders, err := filepath.Glob(filepath.Join(reference.Path(t, "bench"), which, "queries.jsonl"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no labelled sets, %v", err)
	}
	var sets []*labelled
	for _, queries := range folders {
		sets = append(sets, readSet(t, filepath.Dir(queries)))
	}
	for _, set := range sets {
		var b strings.Builder
		set.embed(t)
		for _, a := range ablations {
			end := func() {}
			if a.without != nil {
				end = a.without()
			}
			alone := set.measure(t, New(Options{Catalog: set.catalog}), a.then, a.whole)
			meaning := set.measure(t, New(Options{Catalog: set.catalog, Meaning: set.meaning()}), a.then, a.whole)
			end()
			fmt.Fprintf(&b, "| %s | %s | %s |\n", a.name, alone, meaning)
		}
		set.encoder.Release()
		if rows := strings.Count(b.String(), "\n"); rows != len(ablations) || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: the table has %d rows, or NaN:\n%s", set.name, rows, b.String())
		}
		t.Logf("%s, %d queries: R@1 / R@5\n\n| without | words alone | with meaning |\n|---|---|---|\n%s\n",
			set.name, len(set.queries), b.String())
	}
}
