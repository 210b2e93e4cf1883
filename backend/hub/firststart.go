package hub

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/servers/firststart"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// composeFirstStart creates the parts that start each new server once and that report whether a server can be used.
func (h *Hub) composeFirstStart() {
	s := &h.servers
	s.first = firststart.New(firststart.Options{
		Servers: s.registry, Start: s.upstream.Start, Bus: h.bus, Log: h.log,
		Refused: func(server registry.Server) error {
			switch {
			case s.upstream.Paused():
				return upstream.ErrPaused
			case !h.settings.State().Settings.Discovery.StartNew:
				return fault.New(fault.Denied, "discovery.start_new is false")
			}
			return s.trust.RefuseStart(server)
		},
	})
	s.readiness = readiness.New(readiness.Options{
		Servers: s.registry,
		Running: func(server string) bool { return s.upstream.State(server).Running },
		CallsFail: func(server string, since time.Time) (how string, fail bool) {
			calls := s.journal.Recent(server, since)
			how = fmt.Sprintf("failed %d of its last %d calls", calls.Errors, calls.Calls)
			if calls.Last != "" {
				how += ", the last with: " + calls.Last
			}
			return how, calls.Fail()
		},
		WantsSignIn: func(server registry.Server) bool {
			if server.Transport == "stdio" {
				return false
			}
			st, _ := s.oauth.Status(server.ID) // on error, st lacks only the stored sign-ins
			return st.Wanted()
		},
		Refused: s.trust.RefuseStart, Held: s.trust.Waiting, FirstStart: s.first.Of,
	})
}

// arrivals implements finding.Arrivals: it reports whether servers are still being started for the first time, or
// tools still being embedded.
type arrivals struct {
	first   *firststart.Starter
	vectors *embedding.Index
}

// Expected implements finding.Arrivals.
func (a arrivals) Expected() bool { return a.first.Expected() || !a.vectors.Complete() }

// startWait is how long a search without results waits for servers that are being started for the first time. Such a
// server may have to be downloaded.
const startWait = 2 * time.Second

// Await implements finding.Arrivals. It waits for servers only for a moment, because the reply of the search names the
// servers that are being started.
func (a arrivals) Await(ctx context.Context) {
	starting, cancel := context.WithTimeout(ctx, startWait)
	a.first.Await(starting)
	cancel()
	a.vectors.Await(ctx)
}

// startHeld returns a function that starts new servers whose start a person has approved, until ctx ends.
func (c *chores) startHeld() func(ctx context.Context) error {
	return each(c.bus, func(_ context.Context, change quarantine.Changed) { c.servers.first.Again(change.Server) })
}
