package call

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Person asks a person to approve calls.
type Person interface {
	// Approve asks a person whether a call may be made. The returned scope says to which calls the approval
	// applies. If the person refuses, the error is a fault.Denied.
	Approve(ctx context.Context, q Question) (rules.Scope, error)
}

// Question asks a person whether a tool may be called.
type Question struct {
	Server, Tool    string          // the tool by the name that its server lists
	Client, Session string          // who makes the call; empty if that is not known
	Arguments       json.RawMessage // as the client sent them
}

// permit resolves a request and returns an error if it must not be made. It waits for a person's approval of a call if the
// rules require one. Everything is checked again after the wait.
func (e *exchange) permit(ctx context.Context) error {
	approved := ""
	for {
		asked, err := e.resolve(ctx)
		switch {
		case err != nil:
			return err
		case e.Method != callTool:
			return e.p.held(e.server, e.Method, e.Params)
		case asked && e.Vet != nil:
			if err := e.Vet(); err != nil {
				return err
			}
		}
		if e.server.ID == 0 { // rules apply to configured servers only
			return nil
		}
		if err := e.p.heldTool(e.server, e.Tool); err != nil {
			return err
		}
		known := e.p.options.Catalog.Snapshot()
		if err := e.by.Refusal(e.LimitedAs, e.Server, e.Tool, known); err != nil {
			return err
		}
		tool := catalog.Tool{Server: e.server.Name, Name: e.Tool}
		if listed, ok := known.Lookup(e.server.Name, e.Tool); ok {
			tool = *listed
		}
		if !e.by.Asks(&tool, known) {
			return nil
		}
		tool.Hash += "/" + launch.Of(e.server).Hash() // an approval also covers how the server is started
		if approved == tool.Hash {
			return nil
		}
		if err := e.approve(ctx, &tool); err != nil {
			return err
		}
		approved = tool.Hash
	}
}

// held returns an error if a request concerns a definition that is held until a person approves it.
func (p *Pipeline) held(server registry.Server, method string, params json.RawMessage) error {
	if p.options.Quarantine == nil {
		return nil
	}
	return p.options.Quarantine.Refuse(server, method, params)
}

// heldTool is like held, for a call of the named tool.
func (p *Pipeline) heldTool(server registry.Server, tool string) error {
	if p.options.Quarantine == nil {
		return nil
	}
	return p.options.Quarantine.RefuseTool(server, tool)
}

// approve asks a person unless an earlier approval covers the call. It returns an error unless the call is
// approved.
func (e *exchange) approve(ctx context.Context, tool *catalog.Tool) error {
	o := e.p.options
	switch {
	case o.Person == nil:
		return fault.New(fault.Denied, "tool %q of server %q needs a person's approval, and nobody can be asked", e.Tool, e.Server)
	case o.Approvals.Has(e.Session, tool):
		return nil
	}
	scope, err := o.Person.Approve(ctx, Question{
		Server: tool.Server, Tool: tool.OwnName(), Client: e.Client, Session: e.Session, Arguments: jsonrpc.Get(e.Params, "arguments"),
	})
	switch {
	case err == nil:
		return o.Approvals.Approve(ctx, e.Session, tool, scope)
	case fault.KindOf(err) == fault.Denied:
		return &fault.Error{Kind: fault.Denied, Code: fault.CodeNeedsApproval, Message: fault.MessageOf(err)}
	}
	return err
}
