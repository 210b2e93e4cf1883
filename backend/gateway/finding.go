package gateway

import (
	"time"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/search"
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
// explains itself. It lends nothing and starts nothing. limit is how many hits
// are wanted; less than 1 means as many as find_tool gives unasked.
func (g *Gateway) Find(query string, limit float64) (Finding, error) {
	began := time.Now()
	result, err := g.rank(query, limit, true)
	if err != nil {
		return Finding{}, err
	}
	out := Finding{
		Found: result.Found, Confidence: result.Confidence, Score: rounded(result.TopScore),
		Took: time.Since(began), Hits: result.Hits,
	}
	for i := range out.Hits {
		out.Hits[i].Score = rounded(out.Hits[i].Score)
	}
	if !result.Found {
		out.Hint = g.missed(result).Hint
	}
	out.Reply, err = textOf(g.told(result, func(*catalog.Tool) bool { return true }))
	return out, err
}
