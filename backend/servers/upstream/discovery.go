package upstream

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Discovery describes the last listing of a server's tools.
type Discovery struct {
	Server string
	At     time.Time // when the listing began
	Took   time.Duration
	Tools  int
	Err    error // why the tools could not be listed; nil if they were
	Failed int64 // number of failed attempts: since the hub started or, in a result of Discover, of that call
	Read   int64 // number of successful attempts, counted like Failed
}

// Discoveries remembers the last listing of each server. It is safe for concurrent use.
type Discoveries struct {
	mu  sync.Mutex
	all map[string]Discovery
}

// All returns the last listing of the tools of each server since the hub started, sorted by server.
func (d *Discoveries) All() []Discovery {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.all), func(a, b Discovery) int { return cmp.Compare(a.Server, b.Server) })
}

// ListedAt returns the time at which the last listing of a server's tools began, whether or not the listing succeeded.
// It returns the zero time if the hub has not listed the tools since it started.
func (d *Discoveries) ListedAt(server string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[server].At
}

// note keeps the result of a listing of a server's tools.
func (d *Discoveries) note(last Discovery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = make(map[string]Discovery)
	}
	before := d.all[last.Server]
	if last.Failed, last.Read = before.Failed, before.Read; last.Err != nil {
		last.Failed++
	} else {
		last.Read++
	}
	d.all[last.Server] = last
}

// discoverAtOnce is how many servers Discover asks at the same time.
const discoverAtOnce = 4

// Discover lists the tools of servers again, and starts those that do not run. A server
// that fails is tried again up to three times, and does not keep the others from being
// listed: its Discovery has the error.
func (m *Manager) Discover(ctx context.Context, servers []registry.Server) []Discovery {
	out := make([]Discovery, len(servers))
	var asking errgroup.Group
	asking.SetLimit(discoverAtOnce)
	for i, server := range servers {
		asking.Go(func() error {
			out[i] = m.discover(ctx, server)
			return nil
		})
	}
	_ = asking.Wait() // no function returns an error
	return out
}

func (m *Manager) discover(ctx context.Context, server registry.Server) Discovery {
	d := Discovery{Server: server.Name, At: time.Now()}
	for {
		tools, err := m.ListTools(ctx, server)
		d.Tools, d.Err, d.Took = len(tools), err, time.Since(d.At)
		if err == nil {
			d.Read++
			return d
		}
		kind := fault.KindOf(err) // some errors pass only when a person acts
		if d.Failed++; d.Failed > retries || kind == fault.Denied || kind == fault.Invalid || kind == fault.NotFound {
			return d
		}
		select {
		case <-time.After(m.lists.retryAfter(int(d.Failed))):
		case <-ctx.Done():
			return d
		}
	}
}
