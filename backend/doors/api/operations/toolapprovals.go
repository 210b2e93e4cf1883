package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// ToolApprovals holds the operations on tools of which a person has approved all calls.
type ToolApprovals struct{ Approvals *rules.Approvals }

// Routes adds the operations with their handlers to a route table.
func (a *ToolApprovals) Routes(t *route.Table) {
	g := t.Group("tools")
	route.Add(g, route.Get("/api/tool-approvals", "List the tools of which a person has approved all calls"), a.list)
	route.Add(g, route.Delete("/api/tool-approvals/{server}/{tool}",
		"Revoke the approval of all calls of a tool: the hub asks again before each call"), a.revoke)
}

// ToolApproval is a tool of which a person has approved all calls.
type ToolApproval struct {
	Server    string `json:"server"`
	Tool      string `json:"tool"`
	CreatedAt string `json:"createdAt" doc:"When a person approved the calls of the tool, in UTC (RFC 3339). The approval applies until the definition of the tool or the launch of its server changes."`
}

func (a *ToolApprovals) list(context.Context, *struct{}) (*route.Reply[[]ToolApproval], error) {
	out := []ToolApproval{}
	for _, one := range a.Approvals.All() {
		out = append(out, ToolApproval{one.Tool.Server, one.Tool.Tool, Timestamp(one.At)})
	}
	return route.OK(out)
}

type toolApprovalInput struct {
	Server string `path:"server" doc:"Name of the server."`
	Tool   string `path:"tool" doc:"Name of the tool, as its server lists it."`
}

func (a *ToolApprovals) revoke(ctx context.Context, in *toolApprovalInput) (*route.Reply[done], error) {
	if err := a.Approvals.Revoke(ctx, catalog.Key{Server: in.Server, Tool: in.Tool}); err != nil {
		return nil, err
	}
	return route.OK(done{true})
}
