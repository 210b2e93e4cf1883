package gateway

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// Finding is what find_tool would find and answer, for a person to look at.
type Finding struct {
	Found      bool
	Confidence search.Confidence // empty when nothing was found
	Score      float64           // of the best, or of the nearest that did not do
	Took       time.Duration     // of the search
	Hits       []search.Hit      // with reasons, and scores as agents see them
	Hint       string            // when nothing was found
	Reply      string            // what the agent would read: JSON
}

// Find searches as find_tool does, for a session that lists what is found, and
// explains itself. It lends nothing and starts nothing. wanted is how many hits
// are wanted; less than 1 means as many as find_tool gives unasked.
func (g *Gateway) Find(ctx context.Context, query string, wanted float64) (Finding, error) {
	limit, err := limitOf(query, wanted)
	if err != nil {
		return Finding{}, err
	}
	began := time.Now()
	result := g.rank(ctx, query, limit, g.findable(), true)
	out := Finding{
		Found: result.Found, Confidence: result.Confidence, Score: findreply.RoundScore(result.TopScore),
		Took: time.Since(began), Hits: result.Hits,
	}
	var told any
	if result.Found {
		told = findreply.ForQuery(result, findreply.Options{
			MaxOthers: limit - 1, KeepOthers: wanted >= 1, Shown: nothing, Listed: func(*catalog.Tool) bool { return true },
		})
	} else {
		miss := findreply.NoMatch(query, result.TopScore, g.nearest(query), g.knowsNothing())
		out.Hint, told = miss.Hint, miss
	}
	for i := range out.Hits {
		out.Hits[i].Score = findreply.RoundScore(out.Hits[i].Score)
	}
	out.Reply, err = findreply.Text(told)
	return out, err
}
