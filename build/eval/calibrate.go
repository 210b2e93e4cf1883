package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// nothing are intents, one a line, that no tool server is there for: of the
// home, the kitchen, the street.
//
//go:embed testdata/none.txt
var nothing string

// stranger is what is known of a set beyond its labels: from which other sets
// each eighth query is nothing for it, and whether nothing is. Sets of helpers
// for everything may well have somebody who orders a pizza.
type stranger struct {
	others  []string
	nothing bool
	weight  float64 // of the set, beside 1 of others
}

var strangers = map[string]stranger{
	"azure-mcp":       {[]string{"metatool-single", "toollinkos"}, true, 1},
	"metatool-single": {[]string{"azure-mcp"}, false, 1},
	"toollinkos":      {[]string{"azure-mcp"}, false, 1},
	"agent-discover":  {[]string{"azure-mcp"}, true, 0.4}, // it is tiny
	"catalog-dev":     {nil, true, 2},                     // it is nearest to what a hub has
}

func weightOf(set string) float64 {
	if s, ok := strangers[set]; ok {
		return s.weight
	}
	return 1
}

// sample is what our search made of one query.
type sample struct {
	set      string
	features []float64
	right    bool // the first hit is
	none     bool // no tool of the set is
	own      bool // the set itself says so
}

const eighth = 8

// asked are a set's queries, and those that are nothing for it.
func asked(s set, all []set) (queries []eval.Query, own int) {
	queries = append(queries, s.Queries...)
	for _, other := range all {
		for i := 0; i < len(other.Queries); i += eighth {
			for _, name := range strangers[s.name].others {
				if name == other.name {
					queries = append(queries, eval.Query{Text: other.Queries[i].Text})
				}
			}
		}
	}
	if strangers[s.name].nothing {
		for text := range strings.Lines(nothing) {
			queries = append(queries, eval.Query{Text: strings.TrimSpace(text)})
		}
	}
	return queries, len(s.Queries)
}

// samples asks our search for all that there is to ask of a set.
func samples(ctx context.Context, s set, all []set, how settings.Search) ([]sample, error) {
	engine, err := eval.Open(ctx, s.Tools, how, nil)
	if err != nil {
		return nil, err
	}
	queries, own := asked(s, all)
	answers, err := eval.Run(ctx, engine, queries, eval.Depth, nil, nil)
	if err != nil {
		return nil, err
	}
	out := make([]sample, len(queries))
	for i, q := range queries {
		out[i] = sample{set: s.name, features: answers[i].Evidence.Features(), none: len(q.Relevant) == 0, own: i < own}
		for _, id := range q.Relevant {
			out[i].right = out[i].right || len(answers[i].Hits) > 0 && answers[i].Hits[0].ID == id
		}
	}
	return out, nil
}

// calibrate fits what confidence.go makes its verdicts with, by words alone and
// with meaning, and tells how it does on queries that it has not seen.
func calibrate(ctx context.Context, out io.Writer, at levels) error {
	all, err := sets()
	if err != nil {
		return err
	}
	words, meaning := settings.Default().Search, settings.Default().Search
	words.Provider, meaning.Threads = settings.ProviderNone, runtime.GOMAXPROCS(0)
	for _, mode := range []struct {
		name string
		how  settings.Search
	}{{"byWords", words}, {"byMeaning", meaning}} {
		var known []sample
		for _, s := range all {
			fmt.Fprintln(os.Stderr, "calibrate:", mode.name, s.name)
			more, err := samples(ctx, s, all, mode.how)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			known = append(known, more...)
		}
		_, err := io.WriteString(out, figures(mode.name, known, at)+literal(mode.name, chancesOf(known)))
		if err != nil {
			return err
		}
	}
	return nil
}
