package findreply

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

const (
	missHint  = `no tools matched with sufficient confidence — try different keywords or registry({action:"list"}) to browse; or find a new server with registry browse, and propose it with install`
	emptyHint = "no tools are known yet: ask the user to add servers in the dashboard, or find one with registry browse and propose it with install"
)

// Miss is the reply for a search that found no suitable tool.
type Miss struct {
	Intent     *string  `json:"intent,omitempty"` // nil in a find_tool reply
	Found      bool     `json:"found"`
	Matches    []Match  `json:"matches"` // always empty
	TopScore   float64  `json:"top_score"`
	Hint       string   `json:"hint"`
	Closest    []Match  `json:"closest,omitempty"`      // the nearest tools, which probably do not fit
	DidYouMean []string `json:"did_you_mean,omitempty"` // call_as of tools whose names resemble the query
}

// NoMatch returns the find_tool reply for a result without hits. The tools in
// near whose names the query misspells become suggestions. empty reports that
// the catalog has no tools at all, which changes the hint.
func NoMatch(query string, result search.Result, near []*catalog.Tool, empty bool) *Miss {
	m := &Miss{Matches: []Match{}, TopScore: RoundScore(result.TopScore), Hint: missHint}
	for _, hit := range result.Closest {
		if len(hit.Tool.CallAs()) <= maxOtherName {
			m.Closest = append(m.Closest, matchOf(hit, NotShown))
		}
	}
	if empty {
		m.Hint = emptyHint
	}
	for _, t := range near {
		if len(m.DidYouMean) < maxSuggestions && len(t.CallAs()) <= maxOtherName && resembles(query, t) {
			m.DidYouMean = append(m.DidYouMean, t.CallAs())
		}
	}
	return m
}

// NoMatchForIntent returns the entry of an intent without a match in a
// find_tools reply. Its parameters are those of NoMatch.
func NoMatchForIntent(intent string, result search.Result, near []*catalog.Tool, empty bool) *Miss {
	m := NoMatch(intent, result, near, empty)
	for i, c := range m.Closest { // many intents share one reply
		m.Closest[i] = Match{CallAs: c.CallAs}
	}
	m.Intent = shortIntent(intent)
	return m
}

const (
	maxSuggestions = 3
	maxWords       = 4   // in a query that may be a tool name
	minSimilarity  = 0.6 // Dice coefficient of two spellings
)

// ToolName returns the tool name that a query may stand for, in lower case and
// without its server prefix. It returns "" for queries that are more likely
// sentences.
func ToolName(query string) string {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 || len(words) > maxWords {
		return ""
	}
	name := strings.Join(words, "_")
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	if len(name) > 64 {
		return ""
	}
	return name
}

// resembles reports whether a query is spelled almost like the tool's name, by
// the Dice coefficient of their letter pairs: Dice, "Measures of the Amount of
// Ecologic Association Between Species" (1945).
func resembles(query string, t *catalog.Tool) bool {
	a, b := letterPairs(ToolName(query)), letterPairs(strings.ToLower(t.Name))
	shared, all := 0, 0
	for pair, n := range a {
		shared += min(n, b[pair])
		all += n
	}
	for _, n := range b {
		all += n
	}
	return all > 0 && 2*float64(shared) >= minSimilarity*float64(all)
}

// letterPairs counts the pairs of adjacent bytes in a name without separators.
func letterPairs(name string) map[string]int {
	out := make(map[string]int)
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(name)
	for i := range max(len(name)-1, 0) {
		out[name[i:i+2]]++
	}
	return out
}
