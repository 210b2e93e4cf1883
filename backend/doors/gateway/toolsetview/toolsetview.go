// Package toolsetview shows toolsets to MCP clients: the surface that has the tools of one toolset and no
// others, the toolset that a client equips, and the actions on toolsets.
package toolsetview

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// View is the surface of a toolset: exactly its tools, and the prompts and resources
// of their servers, which need not be always listed. Everything else does not exist for
// the client, whatever name it uses.
type View struct {
	choice    *Choice
	registry  Registry
	list      List
	tools     Tools
	calls     Calls
	translate Translate
	lists     func(method string, servers []registry.Server) json.RawMessage
	info      json.RawMessage

	mu     sync.Mutex
	served []string // names of the toolset's servers when Moved was last called
}

// Options are the dependencies of a View.
type Options struct {
	Registry  Registry
	List      List
	Tools     Tools
	Calls     Calls
	Translate Translate
	// Lists returns the result of a list method other than tools/list, with the items of the given servers.
	Lists func(method string, servers []registry.Server) json.RawMessage
	Info  json.RawMessage // the serverInfo of the hub
}

// Registry lists the servers.
type Registry interface{ List() []registry.Server }

// List is the tool list of the session.
type List interface {
	// Answer returns the result of tools/list, and records that the client has read the list.
	Answer(ctx context.Context, listed func() ([]*catalog.Tool, surfaces.Definitions)) (json.RawMessage, error)
}

// Tools finds tools by the names that the session's client uses.
type Tools interface {
	// ShownIn returns the tool in tools that the client is shown under a name, or nil if there is none.
	ShownIn(tools []*catalog.Tool, name string) *catalog.Tool
	// ForView returns the server whose tool a view of MCP Apps means by a name. It considers only servers of
	// which the client has read a view; ok is false unless exactly one of them has a tool of that name.
	ForView(tool string) (server string, ok bool)
}

// Calls sends the session's calls of tools.
type Calls interface {
	Call(ctx context.Context, server, tool string, params json.RawMessage) (call.Result, error)
	// Refuse records a call that is not sent.
	Refuse(ctx context.Context, server, tool string, params json.RawMessage, why error)
}

// Translate translates between the names and URIs of servers and the names and URIs that clients are shown; see package
// names.
type Translate interface {
	Incoming(serves func(server string) bool, method string, params json.RawMessage) (server string, own json.RawMessage, err error)
	Shown(server, method string, message json.RawMessage, bare string) json.RawMessage
}

// New returns the view of the toolset c.Set.
func New(c *Choice, o Options) *View {
	v := &View{
		choice: c, registry: o.Registry, list: o.List, tools: o.Tools, calls: o.Calls, translate: o.Translate, lists: o.Lists, info: o.Info,
	}
	v.served = v.serverNames()
	return v
}

// Set returns the name of the toolset.
func (v *View) Set() string { return v.choice.Set }

// Introduce describes the surface to a client.
func (v *View) Introduce(_ context.Context, client json.RawMessage) (surfaces.Introduction, error) {
	if v.choice.Toolsets == nil {
		return surfaces.Introduction{}, errNone
	}
	if err := v.choice.Toolsets.Usable(v.choice.Set); err != nil {
		return surfaces.Introduction{}, err
	}
	text := "The tools of the user's toolset " + v.choice.Set + ", each named server__tool. There are no others."
	if t, err := v.choice.Toolsets.Get(v.choice.Set); err == nil && t.Description != "" {
		text += " " + t.Description
	}
	return surfaces.Introduction{Info: v.Info(), Capabilities: surfaces.Capabilities(client), Instructions: text}, nil
}

// Info returns the serverInfo of results.
func (v *View) Info() json.RawMessage { return v.info }

// List serves the list methods. Each list has one page.
func (v *View) List(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch {
	case jsonrpc.Get(params, "cursor") != nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	case method != "tools/list":
		return v.lists(method, v.servers()), nil
	}
	return v.list.Answer(ctx, v.Listed)
}

// own returns the tools of the toolset as clients list them.
func (v *View) own() []*catalog.Tool {
	if v.choice.Toolsets == nil {
		return nil
	}
	return v.choice.toolsOf(v.choice.Set)
}

// servers returns the servers of the toolset.
func (v *View) servers() (out []registry.Server) {
	for _, server := range v.registry.List() {
		if v.Shows(server.Name) {
			out = append(out, server)
		}
	}
	return out
}

// TTL returns how long clients may cache a list, in milliseconds.
func (v *View) TTL(string) int64 { return surfaces.ListTTL }

// Resolve returns the server and the name of the tool that name refers to. name is either the name under which the
// client lists the tool, or the full name of a tool of the toolset.
func (v *View) Resolve(name string) (server, tool string, ok bool) {
	if t := v.tools.ShownIn(v.own(), name); t != nil {
		return t.Server, t.Name, true
	}
	if v.choice.Toolsets == nil {
		return "", "", false
	}
	set, _ := v.choice.Toolsets.Get(v.choice.Set) // if there is no such toolset, set has no tools
	t, ok := resolve.Among(set.Keys(), name)
	return t.Server, t.Tool, ok
}

// Call serves tools/call.
func (v *View) Call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name, ok := jsonrpc.String(jsonrpc.Get(params, "name"))
	if !ok || name == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: tools/call needs the name of a tool")
	}
	server, tool, ok := v.Resolve(name)
	if !ok {
		tool = name
		server, ok = v.tools.ForView(name)
	}
	if !ok {
		err := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Unknown tool: %s. There are only the tools of the list.", name)
		v.calls.Refuse(ctx, "", name, params, err)
		return nil, err
	}
	called, err := v.calls.Call(ctx, server, tool, params)
	return answer.Call(called.JSON, err)
}

// Incoming returns the server of a request, and the params as the server knows them.
func (v *View) Incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return v.translate.Incoming(v.Shows, method, params)
}

// Shown returns a message of a server with the names and URIs that the client is shown.
func (v *View) Shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	return v.translate.Shown(server, method, message, bare)
}

// Listed returns the tools in the client's list.
func (v *View) Listed() ([]*catalog.Tool, surfaces.Definitions) {
	return v.own(), surfaces.Definitions{}
}

// Shows reports whether the toolset contains tools of a server.
func (v *View) Shows(server string) bool {
	return server != "" && v.choice.Toolsets != nil && v.choice.Toolsets.Serves(v.choice.Set, server)
}

// serverNames returns the names of the toolset's servers.
func (v *View) serverNames() []string {
	names := []string{}
	for _, server := range v.servers() {
		names = append(names, server.Name)
	}
	return names
}

// Moved returns the names of the servers that have joined or left the toolset since the last call of Moved.
func (v *View) Moved() []string {
	now := v.serverNames()
	v.mu.Lock()
	before := v.served
	v.served = now
	v.mu.Unlock()
	return slices.DeleteFunc(slices.Concat(before, now), func(server string) bool {
		return slices.Contains(before, server) == slices.Contains(now, server)
	})
}
