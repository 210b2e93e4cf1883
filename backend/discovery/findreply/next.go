package findreply

import (
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// nextStep is the advice on how to call a found tool in the current session. A
// tool that is not in the session's tools/list can only be called through a tool
// of the hub.
type nextStep struct {
	confidence search.Confidence          // empty: no advice
	listed     string                     // the best tool's name in tools/list; empty when it is not listed
	omitName   bool                       // leave out the listed name to save tokens
	caller     func(*catalog.Tool) string // see Options
	best       *catalog.Tool
}

// text returns the advice for a reply; others is the number of its other matches.
// The first words of the advice must not change, because existing clients match on
// them.
func (n nextStep) text(others int) string {
	switch {
	case n.confidence == "":
		return ""
	case n.confidence == search.High:
		return "invoke call_as directly: " + n.howBest()
	case n.confidence == search.Medium && others == 0:
		return "invoke call_as directly if it fits: " + n.howBest()
	case n.confidence == search.Medium:
		return "check other_matches; pick one and invoke (without re-searching): " + n.how(nil)
	case others == 0:
		return "ambiguous — ask the user to disambiguate; then invoke it " + n.howBest()
	}
	return "ambiguous — ask the user to disambiguate or pick from other_matches; then invoke it " + n.how(nil)
}

// howBest describes the way to call the best tool. If the session lists the tool,
// the text contains the name of the tool in tools/list, unless omitName is set.
func (n nextStep) howBest() string {
	if n.listed == "" || n.omitName {
		return n.how(n.best)
	}
	return "as " + n.listed + " if listed, else by " + n.callerOf(n.best)
}

// how describes the way to call t or, if t is nil, any tool in the reply.
func (n nextStep) how(t *catalog.Tool) string {
	if n.listed == "" {
		return "by " + n.callerOf(t)
	}
	return "without mcp__ if listed, else by " + n.callerOf(t)
}

func (n nextStep) callerOf(t *catalog.Tool) string {
	if n.caller == nil {
		return "registry proxy_call"
	}
	return n.caller(t)
}
