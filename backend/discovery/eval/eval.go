// Package eval measures how well a search engine finds the right tools. It reads
// a set of tools and labelled queries, ranks the tools for each query, and
// compares the rankings with the labels. It can run the search of the hub or any
// other Engine. It uses no data folder and starts no servers.
package eval

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// Engine is a search engine that is measured.
type Engine interface {
	// Rank returns at most limit tools for a query, the best first, even if the
	// engine considers none suitable.
	Rank(ctx context.Context, query string, limit int) (Answer, error)
}

// Answer is an engine's result for one query.
type Answer struct {
	Hits       []Hit
	Found      bool          // false if the engine considers no tool suitable
	Confidence string        // "high", "medium", "low", or "none" if not Found; empty for engines without confidence
	Took       time.Duration // duration of the search
	// Evidence is the basis of Found and Confidence for the hub's search; zero
	// for other engines.
	Evidence search.Evidence
}

// Hit is a tool in a ranking.
type Hit struct {
	ID    string  `json:"id"` // the tool's ID in the set
	Score float64 `json:"score"`
}

// Depth is the number of hits that the measures consider.
const Depth = 10

// Progress receives the progress of a step: its name, and how many of its items
// are done. It may be nil.
type Progress func(doing string, done, total int)

func (p Progress) report(doing string, done, total int) {
	if p != nil {
		p(doing, done, total)
	}
}

// Run ranks the tools for each query in turn and returns the answers. If each
// is not nil, it is called with each answer as soon as it is available; an
// error from it ends the run.
func Run(ctx context.Context, e Engine, queries []Query, limit int, each func(Query, Answer) error, progress Progress) ([]Answer, error) {
	answers := make([]Answer, 0, len(queries))
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answer, err := e.Rank(ctx, q.Text, max(limit, Depth))
		if err != nil {
			return nil, err
		}
		if each != nil {
			if err := each(q, answer); err != nil {
				return nil, err
			}
		}
		answers = append(answers, answer)
		progress.report("ranking", i+1, len(queries))
	}
	return answers, nil
}
