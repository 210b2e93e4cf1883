package call

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacheck"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Rules, approvals and holds apply to listed definitions, so a name that no list contains would pass them. Therefore
// requests that name a tool or a prompt are sent only if the server lists exactly this name: many servers also accept
// other spellings of a name, for example in upper case or with a space after it.

// resolve sets e.server, the policy e.by and, for a call, e.Tool to the name that the server lists. It returns an
// error if the server must not be called or does not list the requested name. asked reports whether the hub asked
// the server for its list again.
func (e *exchange) resolve(ctx context.Context) (asked bool, err error) {
	e.by = e.p.options.Rules.Get()
	if e.server, err = e.p.admit(e.Request); err != nil {
		return false, err
	}
	switch e.Method {
	case callTool:
		if e.server.ID != 0 {
			e.Tool = e.by.Original(e.Server, e.Tool, e.p.options.Catalog.Snapshot())
		}
		return e.listsTool(ctx)
	case "prompts/get":
		return e.listsPrompt(ctx, e.Params)
	case "completion/complete":
		if ref := jsonrpc.Get(e.Params, "ref"); jsonrpc.GetString(ref, "type") != "ref/resource" {
			return e.listsPrompt(ctx, ref)
		}
	}
	// Resources need not be listed: they may come from templates and from results. The check for held resources
	// does not depend on the spelling of a URI.
	return false, nil
}

// admit returns the server to call, or an error if it must not be called.
func (p *Pipeline) admit(r Request) (registry.Server, error) {
	if r.Unlisted.Name != "" && r.Unlisted.ID == 0 {
		return r.Unlisted, nil
	}
	server, err := p.options.Registry.Get(r.Server)
	if err != nil {
		return server, p.options.Registry.Unknown(r.Server)
	}
	return server, server.Usable()
}

// listsTool returns an error if the server does not list the tool of a call, unless the tool is held. If the tool is
// unknown, listsTool first asks the server for its tools again; asked reports whether it did.
func (e *exchange) listsTool(ctx context.Context) (asked bool, err error) {
	o, server := e.p.options, e.server
	lists := func() bool {
		if server.ID == 0 { // its tools are in no catalog
			return o.Upstream.Lists(server.Name, "tools/list", e.Tool)
		}
		_, known := o.Catalog.Snapshot().Lookup(server.Name, e.Tool)
		return known || e.p.heldTool(server, e.Tool) != nil
	}
	if lists() {
		return false, nil
	}
	asking := o.Upstream.Reread(ctx, server, e.Session, "tools/list")
	if lists() {
		return true, nil
	}
	if err := o.Upstream.LeftOut(server, e.Session, e.Tool); err != nil {
		return true, err
	}
	var near []string
	if o.Near != nil {
		near = o.Near(e.LimitedAs, server.Name, e.Tool)
	}
	return true, unlisted(server, "tool", e.Tool, near, asking)
}

// listsPrompt returns an error if params name a prompt that the server does not list, unless the prompt is held.
// If the prompt is unknown, listsPrompt first asks the server for its prompts again; asked reports whether it
// did.
func (e *exchange) listsPrompt(ctx context.Context, params json.RawMessage) (asked bool, err error) {
	if e.Internal {
		return false, nil
	}
	unknown := slices.DeleteFunc(namesIn(params), func(name string) bool { return e.p.hasPrompt(e.server, name) })
	if len(unknown) == 0 {
		return false, nil
	}
	asking := e.p.options.Upstream.Reread(ctx, e.server, e.Session, "prompts/list")
	for _, name := range unknown {
		if !e.p.hasPrompt(e.server, name) {
			return true, unlisted(e.server, "prompt", name, nil, asking)
		}
	}
	return true, nil
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

// hasPrompt reports whether a server lists a prompt, or the prompt is held.
func (p *Pipeline) hasPrompt(server registry.Server, name string) bool {
	if server.ID == 0 {
		return p.options.Upstream.Lists(server.Name, "prompts/list", name)
	}
	for _, definition := range p.options.Features.Of(server.Name, features.Prompts) {
		if listed, ok := jsonrpc.String(jsonrpc.Get(definition, "name")); ok && listed == name {
			return true
		}
	}
	return p.held(server, "prompts/get", jsonrpc.Set(nil, "name", jsonrpc.Quote(name))) != nil
}

// misfit returns the value of Result.Misfit for what a server has answered.
func (e *exchange) misfit(result Result, err error) string {
	_, answered := errors.AsType[*jsonrpc.Error](err)
	if e.Method != callTool || !e.sent || !answered && !result.ToolError {
		return ""
	}
	t, known := e.p.options.Catalog.Snapshot().Lookup(e.server.Name, e.Tool)
	if !known {
		return ""
	}
	arguments := jsonrpc.Get(e.Params, "arguments")
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	return strings.Join(schemacheck.Check(t.InputSchema(), arguments), "; ")
}

// unlisted returns the error of a request for a tool or prompt that its server does not list. near are similar
// names. asking is the error of asking the server for its list again, or nil. MCP clients get the error that
// servers return for unknown names.
func unlisted(server registry.Server, what, name string, near []string, asking error) error {
	if asking != nil && !errors.Is(asking, upstream.ErrUnread) {
		return asking
	}
	known := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s %s not found",
		map[string]string{"tool": "Tool", "prompt": "Prompt"}[what], name)
	if len(near) > 0 {
		names, _ := json.Marshal(near) // encoding strings cannot fail
		known.Data = jsonrpc.Set(nil, "did_you_mean", names)
	}
	failed := resolve.Unlisted(server.Name, what, name, near, asking)
	failed.Err = known
	return failed
}
