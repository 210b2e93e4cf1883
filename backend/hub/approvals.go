package hub

import (
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
)

// person implements gateway.Person: its inbox shows questions from servers and the hub to the user. When a session
// ends, it drops the answers and approvals that were given for that session.
type person struct {
	*inspector.Inbox
	approvals *rules.Approvals
}

// EndSession implements gateway.Person.
func (p person) EndSession(session string) {
	p.Inbox.EndSession(session)
	p.approvals.End(session)
}
