// Package finding finds tools for agents: it answers find_tool, find_tools and get_schema, suggests names of
// tools in place of unknown ones, and explains the results to people.
package finding

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
)

const (
	defaultLimit = 1 + findreply.DefaultOthers
	maxLimit     = 50
)

// Finder searches the tools that agents may use. It is safe for concurrent use.
type Finder struct {
	inventory *inventory.Inventory
	search    *search.Searcher
	arrivals  Arrivals
	readiness *readiness.Reader
}

// New returns a finder. If arrivals is nil, searches do not wait for more tools; if ready is nil, all servers
// count as ready.
func New(tools *inventory.Inventory, searcher *search.Searcher, arrivals Arrivals, ready *readiness.Reader) *Finder {
	return &Finder{inventory: tools, search: searcher, arrivals: arrivals, readiness: ready}
}

// Prepare loads the data that the first search needs.
func (f *Finder) Prepare() { f.search.Prepare() }

// Findable returns a filter that accepts the tools that a search under these rules may find.
func (f *Finder) Findable(r inventory.Rules) func(*catalog.Tool) bool { return f.inventory.Findable(r) }

// LimitOf returns how many tools the reply to a query may have. A wanted number under 1 means the default.
// An empty query is an error.
func LimitOf(query string, wanted float64) (int, error) {
	if strings.TrimSpace(query) == "" {
		return 0, fault.New(fault.Invalid, "query is required")
	}
	if wanted < 1 {
		return defaultLimit, nil
	}
	return int(min(wanted, maxLimit)), nil
}

// Rank searches the findable tools that q.Allow accepts, and returns them under the names and descriptions
// that the rules give them.
func (f *Finder) Rank(ctx context.Context, q search.Query, r inventory.Rules) search.Result {
	return f.rank(ctx, q, r, f.inventory.Findable(r))
}

// rank searches the tools that both among and q.Allow accept.
func (f *Finder) rank(ctx context.Context, q search.Query, r inventory.Rules, among func(*catalog.Tool) bool) search.Result {
	more := q.Allow
	q.Allow = func(t *catalog.Tool) bool { return (more == nil || more(t)) && among(t) }
	result := f.search.Find(ctx, q)
	for _, hits := range [][]search.Hit{result.Hits, result.Closest} {
		for i := range hits {
			hits[i].Tool = r.Present(hits[i].Tool)
		}
	}
	return result
}

// Near returns at most three findable tools that a client may have meant when it named the wrong tool. If the named
// tool is unknown, tools whose names look the same to people come first. Tools with similar names follow. Near
// considers the tools of the server or, if server is empty, of all servers. A suggestion must not be a way around a
// refusal, so Near returns no tool with a similar name that is more dangerous than the named tool. If that tool is
// unknown, its name says how dangerous it is.
func (f *Finder) Near(server, tool string, r inventory.Rules) (near []*catalog.Tool) {
	const most = 3
	limit := danger.OfName(tool)
	called, known := r.Lookup(server, tool)
	if known {
		limit = danger.Least(called)
	} else {
		findable := f.inventory.Findable(r)
		near = slices.DeleteFunc(r.Alike(server, tool), func(t *catalog.Tool) bool { return !findable(t) })
	}
	for _, t := range f.similar(server, tool, most, r) {
		if t != called && danger.Most(t) <= limit && !slices.Contains(near, t) {
			near = append(near, t)
		}
	}
	return near[:min(len(near), most)]
}

// similar returns at most limit findable tools with names similar to tool; see search.Searcher.Nearest.
func (f *Finder) similar(server, tool string, limit int, r inventory.Rules) (similar []*catalog.Tool) {
	findable := f.inventory.Findable(r)
	for _, t := range f.search.Nearest(server, tool, limit) {
		if findable(t) {
			similar = append(similar, r.Present(t))
		}
	}
	return similar
}

// nearest returns tools with names similar to a tool name that the query
// contains.
func (f *Finder) nearest(query string, r inventory.Rules) []*catalog.Tool {
	const most = 10 // more than a reply contains, because some may not be findable
	name := findreply.ToolName(query)
	if name == "" {
		return nil
	}
	return f.similar("", name, most, r)
}

// CallAs returns the names under which agents call tools.
func CallAs(tools []*catalog.Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.CallAs()
	}
	return out
}
