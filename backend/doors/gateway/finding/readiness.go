package finding

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

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

// again searches again after a search that has found nothing although it might have found more in a moment: tools are
// about to be known, or words alone decided because the meaning of the query was not known in time.
func (f *Finder) again(ctx context.Context, unread bool, search func(ctx context.Context)) {
	expected := f.arrivals != nil && f.arrivals.Expected()
	if !expected && !unread {
		return
	}
	if expected {
		arriving, cancel := context.WithTimeout(ctx, arrivalWait)
		f.arrivals.Await(arriving)
		cancel()
	}
	ctx, cancel := context.WithTimeout(ctx, arrivalWait)
	defer cancel()
	search(ctx)
}

// Searched returns which tools a search could have found, for its reply. hint is what to do if all servers are ready; empty for
// the hint of registry.
func (f *Finder) Searched(hint string) findreply.Known {
	known := findreply.Known{None: len(f.inventory.Snapshot().Tools) == 0, Hint: hint, Coming: f.arrivals != nil && f.arrivals.Expected()}
	if f.readiness == nil {
		return known
	}
	for _, u := range f.readiness.Unready() {
		known.Unready = append(known.Unready, findreply.Unready{Server: u.Server, Why: u.Why, Starting: u.ID == words.Starting})
	}
	return known
}

// WhyNot returns why agents cannot use a server, or its tools are not known; empty if nothing keeps them from it.
func (f *Finder) WhyNot(server registry.Server) string {
	if f.readiness == nil {
		return ""
	}
	return f.readiness.Of(server).Why
}
