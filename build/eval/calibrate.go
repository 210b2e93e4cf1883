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

// nothing contains needs that no MCP server satisfies, one per line: from the home, the kitchen and the street.
//
//go:embed testdata/none.txt
var nothing string

// foreignQueries defines additional queries for a set, which none of the tools in the set fits: every eighth query
// of other sets and, optionally, the needs in testdata/none.txt. Sets with a wide range of tools do not get those
// needs, because one of the tools might fit.
type foreignQueries struct {
	others  []string // names of the other sets
	nothing bool     // add the needs in testdata/none.txt
	weight  float64  // weight of the set in the regressions
}

// foreignOf defines the additional queries of the known sets.
var foreignOf = map[string]foreignQueries{
	"azure-mcp":       {[]string{"metatool-single", "toollinkos"}, true, 1},
	"metatool-single": {[]string{"azure-mcp"}, false, 1},
	"toollinkos":      {[]string{"azure-mcp"}, false, 1},
	"agent-discover":  {[]string{"azure-mcp"}, true, 0.4}, // the set is small
	"catalog-dev":     {nil, true, 2},                     // of all sets the most similar to the catalog of a hub
}

// weightOf returns the weight of a set in the regressions, 1 for sets without
// additional queries.
func weightOf(set string) float64 {
	if s, ok := foreignOf[set]; ok {
		return s.weight
	}
	return 1
}

// sample is the outcome of one query.
type sample struct {
	set      string
	features []float64
	crowd    float64 // see search.Evidence.Crowd
	right    bool    // the first hit is right
	none     bool    // no tool of the set is right
	own      bool    // the query is not one of the additional queries
}

const eighth = 8

// asked returns the own queries of a set, followed by its additional queries. own is
// the number of own queries.
func asked(s set, all []set) (queries []eval.Query, own int) {
	queries = append(queries, s.Queries...)
	for _, other := range all {
		for i := 0; i < len(other.Queries); i += eighth {
			for _, name := range foreignOf[s.name].others {
				if name == other.name {
					queries = append(queries, eval.Query{Text: other.Queries[i].Text})
				}
			}
		}
	}
	if foreignOf[s.name].nothing {
		for text := range strings.Lines(nothing) {
			queries = append(queries, eval.Query{Text: strings.TrimSpace(text)})
		}
	}
	return queries, len(s.Queries)
}

// samples runs the queries of a set and its additional queries.
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
		out[i] = sample{
			set: s.name, features: answers[i].Evidence.Features(), crowd: answers[i].Evidence.Crowd(), none: len(q.Relevant) == 0,
			own: i < own,
		}
		for _, id := range q.Relevant {
			out[i].right = out[i].right || len(answers[i].Hits) > 0 && answers[i].Hits[0].ID == id
		}
	}
	return out, nil
}

// calibrate fits the constants in confidence.go, for search with words only and with vectors. It writes the
// constants, and tables of how well they predict queries that they were not fitted to.
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
			if s.name == everyday {
				continue
			}
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
