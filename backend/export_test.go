package backend

import "github.com/agent-discover/agent-discover/backend/journal"

// Journal shows tests the journal of a hub.
func (h *Hub) Journal() *journal.Journal { return h.journal }
