package findreply

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	missHint  = `no tools matched with sufficient confidence — try different keywords or registry({action:"list"}) to browse; or propose a server: registry install`
	emptyHint = "no tools are known yet: ask the user to add servers (agent-discover servers add NAME -- COMMAND ARGS), or propose one with registry install"
)

// Miss tells that nothing fits.
type Miss struct {
	Intent     string   `json:"intent,omitempty"`
	Found      bool     `json:"found"`
	Matches    []Match  `json:"matches"` // always empty
	TopScore   float64  `json:"top_score"`
	Hint       string   `json:"hint"`
	DidYouMean []string `json:"did_you_mean,omitempty"` // call_as of tools that are spelt almost like what was asked for
}

// None is the reply where nothing was found for a query. near are tools that
// may have been meant; empty says that no tool is known at all.
func None(query string, topScore float64, near []*catalog.Tool, empty bool) *Miss {
	m := &Miss{Matches: []Match{}, TopScore: Rounded(topScore), Hint: missHint}
	if empty {
		m.Hint = emptyHint
	}
	for _, t := range near {
		if len(m.DidYouMean) < maxMeant && len(t.CallAs()) <= maxOtherName && spelt(query, t) {
			m.DidYouMean = append(m.DidYouMean, t.CallAs())
		}
	}
	return m
}

// NoneOf is the reply to an intent of find_tools for which nothing was found.
func NoneOf(intent string, topScore float64, near []*catalog.Tool, empty bool) *Miss {
	m := None(intent, topScore, near, empty)
	m.Intent = clip(intent, maxIntent)
	return m
}

const (
	maxMeant   = 3
	maxWords   = 4   // of a query that may be a name
	minInPairs = 0.6 // of the pairs of letters that two spellings must share
)

// Name returns a query as the name of a tool that it may be; "" when it is more
// likely a sentence.
func Name(query string) string {
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

// spelt reports whether a query is spelt almost like a tool's name, by the
// pairs of letters they share: Dice, "Measures of the Amount of Ecologic
// Association Between Species" (1945).
func spelt(query string, t *catalog.Tool) bool {
	a, b := pairs(Name(query)), pairs(strings.ToLower(t.Name))
	shared, all := 0, 0
	for pair, n := range a {
		shared += min(n, b[pair])
		all += n
	}
	for _, n := range b {
		all += n
	}
	return all > 0 && 2*float64(shared) >= minInPairs*float64(all)
}

func pairs(name string) map[string]int {
	out := make(map[string]int)
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(name)
	for i := range max(len(name)-1, 0) {
		out[name[i:i+2]]++
	}
	return out
}
