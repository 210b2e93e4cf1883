package proxy

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/policy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// permit returns the server of a call and the rules by which it is made, or why it must not
// be made. It replaces the tool's name by the one that the server lists, and waits for a
// person's approval if the rules require one. Everything is checked again after the wait.
func (p *Proxy) permit(ctx context.Context, r *Request) (server registry.Server, rules *policy.Policy, err error) {
	approved := ""
	for {
		if server, err = p.admit(*r); err != nil {
			return server, p.policy.Get(), err
		}
		rules = p.policy.Get()
		if server.ID != 0 {
			r.Tool = rules.Original(r.Server, r.Tool, p.catalog.Snapshot())
		}
		asked, err := p.listsTool(ctx, server, *r)
		if err == nil && asked && r.Vet != nil {
			err = r.Vet()
		}
		if err != nil || server.ID == 0 { // rules are about configured servers
			return server, rules, err
		}
		if p.trust != nil {
			if err := p.trust.RefuseTool(server, r.Tool); err != nil {
				return server, rules, err
			}
		}
		known := p.catalog.Snapshot()
		if err := rules.Refusal(r.LimitedAs, r.Server, r.Tool, known); err != nil {
			return server, rules, err
		}
		tool := approvable(server, r.Tool, known)
		if !rules.Asks(tool, known) || approved == tool.Hash {
			return server, rules, nil
		}
		if err := p.approve(ctx, *r, tool); err != nil {
			return server, rules, err
		}
		approved = tool.Hash
	}
}

// approvable returns a tool with a hash that also covers how its server is started. A tool
// that the server has not listed has only that hash.
func approvable(server registry.Server, name string, in *catalog.Snapshot) *catalog.Tool {
	tool := catalog.Tool{Server: server.Name, Name: name}
	if known, ok := in.Lookup(server.Name, name); ok {
		tool = *known
	}
	tool.Hash += "/" + secrets.LaunchOf(server).Hash()
	return &tool
}

// approve returns an error unless a person approves a call.
func (p *Proxy) approve(ctx context.Context, r Request, tool *catalog.Tool) error {
	if p.approver == nil {
		return fault.New(fault.Denied, "tool %q of server %q needs a person's approval, and nobody can be asked", r.Tool, r.Server)
	}
	err := p.approver.Approve(ctx, Approvable{Client: r.Client, Session: r.Session, Tool: tool, Arguments: jsonrpc.Get(r.Params, "arguments")})
	if fault.KindOf(err) != fault.Denied {
		return err
	}
	return &fault.Error{Kind: fault.Denied, Code: policy.CodeNeedsApproval, Message: fault.MessageOf(err)}
}
