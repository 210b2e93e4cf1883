package hub

import (
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
)

// person implements gateway.Person. Its inbox shows the user the questions of servers and of the hub. EndSession
// deletes the answers and approvals that were given for a session.
type person struct {
	*inspector.Inbox
	approvals *rules.Approvals
}

// EndSession implements gateway.Person.
func (p person) EndSession(session string) {
	p.Inbox.EndSession(session)
	p.approvals.End(session)
}
