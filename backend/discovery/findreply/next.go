package findreply

import (
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// next says what to do with what was found in this very session: a tool that is
// not in its list can only be called through registry.
type next struct {
	confidence search.Confidence // empty: nothing is said
	listed     string            // the best tool's name in the list, where it is there
	short      bool
}

func nextOf(c search.Confidence, told []*catalog.Tool, listed func(*catalog.Tool) bool) next {
	n := next{confidence: c}
	if listed(told[0]) {
		n.listed = told[0].Proxied()
	}
	return n
}

// say begins as clients of the original know it.
func (n next) say(others int) string {
	switch {
	case n.confidence == "":
		return ""
	case n.confidence == search.High:
		return "invoke call_as directly: " + n.how(!n.short)
	case n.confidence == search.Medium && others == 0:
		return "invoke call_as directly if it fits: " + n.how(!n.short)
	case n.confidence == search.Medium:
		return "check other_matches; pick one and invoke (without re-searching): " + n.how(false)
	case others == 0:
		return "ambiguous — ask the user to disambiguate; then invoke it " + n.how(!n.short)
	}
	return "ambiguous — ask the user to disambiguate or pick from other_matches; then invoke it " + n.how(false)
}

// how a tool is called; named gives its name in the list, which is right for
// the best alone.
func (n next) how(named bool) string {
	switch {
	case n.listed == "":
		return "by registry proxy_call"
	case named:
		return "as " + n.listed + " if listed, else by registry proxy_call"
	}
	return "without mcp__ if listed, else by registry proxy_call"
}
