package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/policy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Rules, approvals and holds are about definitions, so a name that no list contains would pass them. Therefore requests that
// name a tool or a prompt are sent only if the server lists exactly this name: many servers read another spelling of a name,
// such as one in upper case or with a space after it, as the name.

// listsTool returns nil if the server of a call lists its tool, or has listed it and it is held. Otherwise it asks the server
// for its tools again. asked reports whether it did.
func (p *Proxy) listsTool(ctx context.Context, server registry.Server, r Request) (asked bool, err error) {
	lists := func() bool {
		if server.ID == 0 { // its tools are in no catalog
			return p.upstream.Lists(server.Name, "tools/list", r.Tool)
		}
		_, known := p.catalog.Snapshot().Lookup(server.Name, r.Tool)
		return known || p.trust != nil && p.trust.RefuseTool(server, r.Tool) != nil
	}
	if lists() {
		return false, nil
	}
	asking := p.upstream.Reread(ctx, server, r.Session, "tools/list")
	if lists() {
		return true, nil
	}
	if err := p.upstream.LeftOut(server, r.Session, r.Tool); err != nil {
		return true, err
	}
	var near []string
	if p.near != nil {
		near = p.near(r.LimitedAs, server.Name, r.Tool)
	}
	return true, unlisted(server, "tool", r.Tool, near, asking)
}

// Listed returns nil if a request other than tools/call may be sent to a server although the server may not list what it
// names. Prompts have to be listed, as tools have. Resources need not be: they may come from templates and from results, and
// what is held of them is compared by their meaning, not by their spelling.
func (p *Proxy) Listed(ctx context.Context, server registry.Server, session, method string, params json.RawMessage) error {
	switch method {
	case "prompts/get":
	case "completion/complete":
		if params = jsonrpc.Get(params, "ref"); jsonrpc.GetString(params, "type") == "ref/resource" {
			return nil
		}
	default:
		return nil
	}
	unknown := slices.DeleteFunc(namesIn(params), func(name string) bool { return p.listsPrompt(server, name) })
	if len(unknown) == 0 {
		return nil
	}
	asking := p.upstream.Reread(ctx, server, session, "prompts/list")
	for _, name := range unknown {
		if !p.listsPrompt(server, name) {
			return unlisted(server, "prompt", name, nil, asking)
		}
	}
	return nil
}

// namesIn returns every name that a server may read in the params of a request.
func namesIn(params json.RawMessage) (names []string) {
	jsonrpc.Each(params, func(member string, value json.RawMessage) {
		if name, ok := jsonrpc.String(value); ok && strings.EqualFold(member, "name") {
			names = append(names, name)
		}
	})
	return names
}

// listsPrompt reports whether a server lists a prompt, or has listed it and it is held.
func (p *Proxy) listsPrompt(server registry.Server, name string) bool {
	if server.ID == 0 || p.listings == nil {
		return p.upstream.Lists(server.Name, "prompts/list", name)
	}
	for _, definition := range p.listings.Of(server.Name, features.Prompts) {
		if listed, ok := jsonrpc.String(jsonrpc.Get(definition, "name")); ok && listed == name {
			return true
		}
	}
	return p.trust != nil && p.trust.Refuse(server, "prompts/get", jsonrpc.Set(nil, "name", jsonrpc.Quote(name))) != nil
}

// unlisted returns the error of a request that names what its server does not list. near are names that may be meant, and
// asking is why the server could not be asked for its list. MCP clients get the error that servers give for unknown names.
func unlisted(server registry.Server, what, name string, near []string, asking error) error {
	if asking != nil && !errors.Is(asking, upstream.ErrUnread) {
		return asking
	}
	text := fmt.Sprintf("server %q has no %s %q", server.Name, what, name)
	if asking != nil {
		text += ", and could not be asked again: " + fault.MessageOf(asking)
	}
	known := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s %s not found", map[string]string{"tool": "Tool", "prompt": "Prompt"}[what], name)
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
		names, _ := json.Marshal(near) // strings cannot fail
		known.Data = jsonrpc.Set(nil, "did_you_mean", names)
	}
	return &fault.Error{Kind: fault.NotFound, Code: policy.CodeUnlisted, Message: text, Err: known, DidYouMean: near}
}
