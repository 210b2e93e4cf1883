// Package eval answers how well a search finds the right tool: it ranks the
// tools of a set for every query of it, one after the other, and compares with
// what people labelled as right. It keeps nothing, reads no configuration and
// starts no server, and it does not choose sets.
package eval

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// Engine ranks the tools of a set.
type Engine interface {
	// Rank returns at most limit tools for a query, the best first, also when
	// it would rather say that nothing fits.
	Rank(ctx context.Context, query string, limit int) (Answer, error)
}

// Answer is what an engine makes of one query.
type Answer struct {
	Hits       []Hit
	Found      bool          // false: the engine says that nothing fits
	Confidence string        // high, medium, low, or none when nothing fits; empty where an engine does not say
	Took       time.Duration // of the search alone
	// Evidence is what the hub's own search made Found and Confidence from;
	// other engines have none.
	Evidence search.Evidence
}

// Hit is a tool that was ranked.
type Hit struct {
	ID    string  `json:"id"` // as the set has it
	Score float64 `json:"score"`
}

// Depth is how many hits the measures look at.
const Depth = 10

// Progress is told how far something has come. It may be nil.
type Progress func(doing string, done, total int)

func (p Progress) tell(doing string, done, total int) {
	if p != nil {
		p(doing, done, total)
	}
}

// Run ranks the queries one at a time and returns an answer for each. Every
// answer is shown to each, when it is not nil, as soon as it is there.
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
		progress.tell("ranking", i+1, len(queries))
	}
	return answers, nil
}
