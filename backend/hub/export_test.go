package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// Journal returns the journal.
func (h *Hub) Journal() *journal.Journal { return h.servers.journal }

// Counted reports when the tokens of new tools have been counted.
func (h *Hub) Counted() (counted <-chan catalog.Counted, stop func()) {
	return events.Subscribe[catalog.Counted](h.bus, 16)
}

// Remembered returns the clients in the store, as they would be known after a
// crash.
func (h *Hub) Remembered(ctx context.Context) ([]gateway.SeenClient, error) {
	return h.store.Clients(ctx)
}

// Attended reports whether a window or the tray is connected.
func (h *Hub) Attended() bool { return h.servers.inbox.Present() }
