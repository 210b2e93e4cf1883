package findreply

import (
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// nextStep is the advice on how to call a found tool in the present session. A
// tool that is not in the session's tools/list can only be called through
// registry proxy_call.
type nextStep struct {
	confidence search.Confidence // empty: no advice
	listed     string            // the best tool's name in tools/list; empty when it is not listed
	omitName   bool              // leave out the listed name to save tokens
}

// text returns the advice for a reply; others is the number of its other matches.
// The first words of the advice must not change, because existing clients match on
// them.
func (n nextStep) text(others int) string {
	switch {
	case n.confidence == "":
		return ""
	case n.confidence == search.High:
		return "invoke call_as directly: " + n.how(!n.omitName)
	case n.confidence == search.Medium && others == 0:
		return "invoke call_as directly if it fits: " + n.how(!n.omitName)
	case n.confidence == search.Medium:
		return "check other_matches; pick one and invoke (without re-searching): " + n.how(false)
	case others == 0:
		return "ambiguous — ask the user to disambiguate; then invoke it " + n.how(!n.omitName)
	}
	return "ambiguous — ask the user to disambiguate or pick from other_matches; then invoke it " + n.how(false)
}

// how describes the way to call the tool. With named, it includes the best
// tool's name in tools/list; without, the text suits any tool in the reply.
func (n nextStep) how(named bool) string {
	switch {
	case n.listed == "":
		return "by registry proxy_call"
	case named:
		return "as " + n.listed + " if listed, else by registry proxy_call"
	}
	return "without mcp__ if listed, else by registry proxy_call"
}
