package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// allServers is a surface that shows the whole hub: the hub's own tools, the tools, prompts and resources of
// always listed servers, and the session tools.
type allServers struct {
	own         hubTools
	sorted      bool // legacy clients get the same list as modern ones: sorted, without session tools
	registry    *registry.Registry
	inventory   *inventory.Inventory
	tools       *clientTools
	list        *toolList
	calls       *toolCalls
	results     *longResults
	lists       *featureLists
	translation *translation
	about       json.RawMessage // the serverInfo of the hub
}

// Introduce implements surface.
func (a *allServers) Introduce(_ context.Context, client json.RawMessage) (surfaces.Introduction, error) {
	return surfaces.Introduction{Info: a.about, Capabilities: surfaces.Capabilities(client), Instructions: a.own.Instructions()}, nil
}

// Info implements surface.
func (a *allServers) Info() json.RawMessage { return a.about }

// List returns a list as one page. It includes the items that always listed servers have listed, even if they are
// stopped now.
func (a *allServers) List(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch {
	case jsonrpc.Get(params, "cursor") != nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	case method != "tools/list":
		lists := a.lists.from(method, a.inventory.ActiveServers())
		if own, ok := a.own.(hubDocuments); ok {
			return own.WithOwn(method, lists), nil
		}
		return lists, nil
	case isModern(ctx):
		return a.list.Answer(ctx, a.constant)
	}
	return a.list.Answer(ctx, a.Listed)
}

// constant returns the tools that a modern client lists: those of servers, and the hub's own.
func (a *allServers) constant() ([]*catalog.Tool, surfaces.Definitions) {
	return a.tools.constant(), a.own.Listed()
}

// Listed implements surface.
func (a *allServers) Listed() ([]*catalog.Tool, surfaces.Definitions) {
	if a.sorted {
		return a.constant()
	}
	return a.tools.all(), a.own.Listed()
}

// TTL implements surface.
func (a *allServers) TTL(string) int64 { return surfaces.ListTTL }

// Resolve implements surface.
func (a *allServers) Resolve(name string) (server, tool string, ok bool) {
	t, ok := a.tools.Names().Listed(name)
	return t.Server, t.Name, ok
}

// Call implements surface.
func (a *allServers) Call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name, ok := jsonrpc.String(jsonrpc.Get(params, "name"))
	if !ok || name == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: tools/call needs the name of a tool")
	}
	road := name
	if road == registrytool.Name {
		road = "proxy_call"
	}
	if result, own, err := a.own.Call(context.WithValue(ctx, roadKey{}, road), name, params); own {
		return result, err
	}
	server, tool, ok := a.Resolve(name)
	if !ok {
		tool = name
		server, ok = a.tools.ForView(name)
	}
	if !ok {
		unknown := answer.UnknownTool(name, a.tools.Names().Unknown(name), a.own.FindHow())
		err := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s", unknown)
		a.calls.Refuse(ctx, "", name, params, err)
		return nil, err
	}
	called, err := a.calls.Call(ctx, server, tool, params)
	result, err := a.calls.Suggest(server, tool, called, err)
	return a.results.cutDirect(server, tool, result), err
}

// Incoming implements surface.
func (a *allServers) Incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return a.translation.Incoming(nil, method, params)
}

// Shown implements surface.
func (a *allServers) Shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	return a.translation.Shown(server, method, message, bare)
}

// Shows implements surface.
func (a *allServers) Shows(server string) bool {
	if server == "" {
		return true
	}
	s, err := a.registry.Get(server)
	return err == nil && s.InEveryList()
}

// serve implements documents.
func (a *allServers) serve(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	if own, has := a.own.(hubDocuments); has {
		return own.Serve(method, params)
	}
	return nil, false, nil
}
