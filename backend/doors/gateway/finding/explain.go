package finding

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// Finding explains the result of find_tool to a person.
type Finding struct {
	Found      bool
	Confidence search.Confidence // empty when nothing was found
	Score      float64           // of the best tool, even if it is too low for a match
	Took       time.Duration     // time of the search alone
	ReadAs     []string          // English words added to a query in another language
	Hits       []search.Hit      // with reasons; scores are rounded as in replies to agents
	Closest    []search.Hit      // the nearest tools when nothing was found, in the form of Hits
	Hint       string            // when nothing was found
	Reply      string            // the reply that an agent gets, as JSON
}

// Explain searches as find_tool does and explains the result. It has no side effects: it adds no session tools
// and starts no server. Like find_tool, it waits a moment for tools that servers are about to list. wanted is
// the number of hits; a value under 1 means find_tool's default.
func (f *Finder) Explain(ctx context.Context, query string, wanted float64) (Finding, error) {
	limit, err := LimitOf(query, wanted)
	if err != nil {
		return Finding{}, err
	}
	began, rules := time.Now(), f.inventory.For("")
	asked := search.Query{Text: query, Limit: limit, Explain: true}
	result := f.Rank(ctx, asked, rules)
	if !result.Found {
		f.again(ctx, result.Unread, func(ctx context.Context) {
			began, rules, asked.Patient = time.Now(), f.inventory.For(""), true
			result = f.Rank(ctx, asked, rules)
		})
	}
	out := Finding{
		Found: result.Found, Confidence: result.Confidence, Score: findreply.RoundScore(result.TopScore),
		Took: time.Since(began), ReadAs: result.ReadAs, Hits: result.Hits, Closest: result.Closest,
	}
	var reply any
	if result.Found {
		reply = findreply.ForQuery(result, findreply.Options{
			MaxOthers: limit - 1, KeepOthers: wanted >= 1, Shown: notShown, Listed: func(*catalog.Tool) bool { return true },
		})
	} else {
		miss := findreply.NoMatch(query, result, f.nearest(query, rules), f.Searched(""))
		out.Hint, reply = miss.Hint, miss
	}
	for _, hits := range [][]search.Hit{out.Hits, out.Closest} {
		for i := range hits {
			hits[i].Score = findreply.RoundScore(hits[i].Score)
		}
	}
	out.Reply, err = findreply.Text(reply)
	return out, err
}
