package hub

import (
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
)

// person answers what servers and the hub ask, and forgets what holds for a session when
// that ends.
type person struct {
	*inspector.Inbox
	approvals *rules.Approvals
}

// EndSession implements gateway.Person.
func (p person) EndSession(session string) {
	p.Inbox.EndSession(session)
	p.approvals.End(session)
}
