package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Journal returns the journal of calls.
func (h *Hub) Journal() *journal.Journal { return h.servers.journal }

// Counted returns a channel that receives an event each time the tokens of new tools have been counted, until stop is
// called.
func (h *Hub) Counted() (counted <-chan catalog.Counted, stop func()) {
	return events.Subscribe[catalog.Counted](h.bus, 16)
}

// ServersChanged returns a channel that receives a value after a server has changed its
// state, its tools or its sign-in, until stop is called.
func (h *Hub) ServersChanged() (changed <-chan struct{}, stop func()) {
	to := make(chan struct{}, 1)
	stops := []func(){
		events.Signal[upstream.StateChanged](h.bus, to), events.Signal[catalog.Changed](h.bus, to), events.Signal[oauth.Changed](h.bus, to),
	}
	return to, func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// Remembered returns the clients in the store. After a crash, the hub knows only these.
func (h *Hub) Remembered(ctx context.Context) ([]gateway.SeenClient, error) {
	return h.store.Clients.Clients(ctx)
}

// Attended reports whether a window or the tray is connected.
func (h *Hub) Attended() bool { return h.servers.inbox.Present() }
