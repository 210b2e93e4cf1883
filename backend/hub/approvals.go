package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/policy"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
)

// approver asks a person for approvals of calls, and records them.
type approver struct {
	inbox     *inspector.Inbox
	approvals *policy.Approvals
}

// Approve implements proxy.Approver.
func (a approver) Approve(ctx context.Context, c proxy.Approvable) error {
	if a.approvals.Has(c.Session, c.Tool) {
		return nil
	}
	scope, err := a.inbox.Approve(ctx, inspector.ApprovalQuestion{
		Server: c.Tool.Server, Tool: c.Tool.OwnName(), Client: c.Client, Session: c.Session, Arguments: c.Arguments,
	})
	if err != nil {
		return err
	}
	holds := map[inspector.Scope]policy.Scope{inspector.Once: policy.Once, inspector.ForSession: policy.Session, inspector.Always: policy.Always}
	return a.approvals.Approve(ctx, c.Session, c.Tool, holds[scope])
}

// person answers what servers and the hub ask, and forgets what holds for a session when
// that ends.
type person struct {
	*inspector.Inbox
	approvals *policy.Approvals
}

// EndSession implements gateway.Person.
func (p person) EndSession(session string) {
	p.Inbox.EndSession(session)
	p.approvals.End(session)
}
