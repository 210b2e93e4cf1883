package findreply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

const (
	missHint = `no tools matched with sufficient confidence — try different keywords or registry({action:"list"}) to browse; ` +
		`or find a new server with registry browse, and propose it with install`
	emptyHint = "no tools are known yet: ask the user to add servers in the dashboard, or find one with registry browse and " +
		"propose it with install"
)

const comingHint = "no tools matched with sufficient confidence, but not all tools can be found by meaning yet: " +
	"ask again in a few seconds, or try different keywords"

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

// Unready is a server that agents cannot use, or whose tools are not known.
type Unready struct {
	Server   string
	Why      string // continues a sentence that begins with the server's name
	Starting bool   // its tools may be known in a moment
}

// Known describes which tools a search could have found.
type Known struct {
	None    bool      // the catalog has no tools at all
	Coming  bool      // more tools may be found in a moment
	Unready []Unready // servers whose tools the search could not have found, or that cannot be called
	// Hint, unless empty, replaces missHint and emptyHint, which mention the hub's tool named registry.
	Hint string
}

// Text returns advice for a search that found nothing. It suggests a new server only if all servers are ready.
func (k Known) Text() string {
	switch {
	case len(k.Unready) > 0:
		return k.unreadyHint()
	case k.Coming && !k.None:
		return comingHint
	case k.Hint != "":
		return k.Hint
	case k.None:
		return emptyHint
	}
	return missHint
}

const maxUnready = 3 // servers that a hint names

func (k Known) unreadyHint() string {
	// List starting servers first: the advice depends on whether there are any.
	list := slices.Clone(k.Unready)
	slices.SortStableFunc(list, func(a, b Unready) int {
		if a.Starting == b.Starting {
			return 0
		}
		if a.Starting {
			return -1
		}
		return 1
	})
	var parts []string
	for _, u := range list[:min(len(list), maxUnready)] {
		parts = append(parts, u.Server+" "+u.Why)
	}
	if more := len(list) - len(parts); more > 0 {
		servers := "servers are"
		if more == 1 {
			servers = "server is"
		}
		parts = append(parts, fmt.Sprintf("%d more %s not ready (list_mcp_servers, or registry list)", more, servers))
	}
	text := "no known tool matched with sufficient confidence, but not all tools are known: "
	if k.None {
		text = "no tools are known yet: "
	}
	text += strings.Join(parts, "; ")
	if list[0].Starting {
		return text + ". Ask again in a few seconds"
	}
	return text + ". Try different keywords, or tell the user about these servers"
}

// NoMatch returns the find_tool reply for a result without hits. The tools in
// near whose names the query misspells become suggestions.
func NoMatch(query string, result search.Result, near []*catalog.Tool, known Known) *Miss {
	known.Coming = known.Coming || result.Unread
	m := &Miss{Matches: []Match{}, TopScore: RoundScore(result.TopScore), Hint: known.Text()}
	for _, hit := range result.Closest {
		if len(hit.Tool.CallAs()) <= maxOtherName {
			m.Closest = append(m.Closest, matchOf(hit, NotShown))
		}
	}
	for _, t := range near {
		if len(m.DidYouMean) < maxSuggestions && len(t.CallAs()) <= maxOtherName && resembles(query, t) {
			m.DidYouMean = append(m.DidYouMean, t.CallAs())
		}
	}
	return m
}

// NoMatchForIntent returns the entry of a find_tools reply for an intent that
// matched no tool. The parameters other than intent are those of NoMatch.
func NoMatchForIntent(intent string, result search.Result, near []*catalog.Tool, known Known) *Miss {
	m := NoMatch(intent, result, near, known)
	for i, c := range m.Closest { // names only, because one reply holds many intents
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

// ToolName reads a query as the name of a tool. It returns the name in lower case
// and without the prefix that names the server, or "" for a query that is more
// likely a sentence.
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
