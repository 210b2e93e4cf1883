package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// Journal shows tests the journal of a hub.
func (h *Hub) Journal() *journal.Journal { return h.journal }

// Counted tells tests when tokens of new tools have been counted.
func (h *Hub) Counted() (counted <-chan catalog.Counted, stop func()) {
	return events.Subscribe[catalog.Counted](h.bus, 16)
}

// Remembered shows tests what would be known of clients if the hub were killed.
func (h *Hub) Remembered(ctx context.Context) ([]gateway.SeenClient, error) {
	return h.store.Clients(ctx)
}
