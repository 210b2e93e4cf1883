package finding

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Arrivals says whether searches will soon find more tools: servers are being started for the first time, or
// the meaning of some tools has not been computed yet.
type Arrivals interface {
	Expected() bool
	// Await returns when no more tools are expected, or when ctx ends.
	Await(ctx context.Context)
}

// arrivalWait limits how long a search that has found nothing waits for more tools. It also limits how long the second
// search may take after that. It is long, so that a slow machine does not report that no tool fits where a fast machine
// finds some.
const arrivalWait = 10 * time.Second

// again calls search once more after a first search that has found nothing, if a second search may find something. This
// is so if more tools are expected; again then waits for these tools first. It is also so if unread is set: the first
// search compared only words, because the meaning of the query was not computed in time.
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

// Searched describes the tools that a search could have found, for the reply to the search. hint says what to do if all
// servers are ready. If hint is empty, the reply has the hint of the tool registry.
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

// WhyNot returns why agents cannot use a server, or why its tools are not known; empty if there is no such
// reason.
func (f *Finder) WhyNot(server registry.Server) string {
	if f.readiness == nil {
		return ""
	}
	return f.readiness.Of(server).Why
}
