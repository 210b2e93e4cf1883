package gateway

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Readiness tells which servers agents can use.
type Readiness interface {
	Of(server registry.Server) readiness.State
	Unready() []readiness.Unready
}

// Arrivals tells whether tools are about to be known: servers are being started for the first time, or tools have not been
// read for their meaning.
type Arrivals interface {
	Expected() bool
	// Await returns when no tools are expected, or when ctx ends.
	Await(ctx context.Context)
}

// arrivalWait is how long a search that finds nothing waits for tools that are about to be known, and then for its own
// meaning. It is long, because a slow machine must not answer that no tool fits where a quick one finds some.
const arrivalWait = 10 * time.Second

// searchAgain searches again after a search that has found nothing although it might have found more in a moment: tools are
// about to be known, or words alone decided because the meaning of the query was not known in time.
func (g *Gateway) searchAgain(ctx context.Context, unread bool, search func(ctx context.Context)) {
	expected := g.arrivals != nil && g.arrivals.Expected()
	if !expected && !unread {
		return
	}
	if expected {
		arriving, cancel := context.WithTimeout(ctx, arrivalWait)
		g.arrivals.Await(arriving)
		cancel()
	}
	ctx, cancel := context.WithTimeout(ctx, arrivalWait)
	defer cancel()
	search(ctx)
}

// searched returns which tools a search could have found, for its reply. hint is what to do if all servers are ready; empty for
// the hint of registry.
func (g *Gateway) searched(hint string) findreply.Known {
	known := findreply.Known{None: len(g.catalog.Snapshot().Tools) == 0, Hint: hint, Coming: g.arrivals != nil && g.arrivals.Expected()}
	if g.readiness == nil {
		return known
	}
	for _, u := range g.readiness.Unready() {
		known.Unready = append(known.Unready, findreply.Unready{Server: u.Server, Why: u.Why, Starting: u.ID == words.Starting})
	}
	return known
}

// whyNot returns why agents cannot use a server, or its tools are not known; empty if nothing keeps them from it.
func (g *Gateway) whyNot(server registry.Server) string {
	if g.readiness == nil {
		return ""
	}
	return g.readiness.Of(server).Why
}

// unlisted reports whether the tools of a server are not known, because it has never been started or has listed none.
func (m metaTools) unlisted(server string) bool {
	return len(m.gateway.catalog.Snapshot().Of(server)) == 0
}
