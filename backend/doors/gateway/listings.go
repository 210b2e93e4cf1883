package gateway

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/listings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// kinds are the lists besides tools/list, by method.
var kinds = map[string]listings.Kind{
	"prompts/list":             listings.Prompts,
	"resources/list":           listings.Resources,
	"resources/templates/list": listings.Templates,
}

// activeServers returns the servers whose tools, prompts and resources every
// session lists.
func (g *Gateway) activeServers() []registry.Server {
	var out []registry.Server
	for _, server := range g.registry.List() {
		if server.Enabled && server.Approved {
			out = append(out, server)
		}
	}
	return out
}

// list serves the lists besides tools/list. They have one page. They contain what
// active servers have listed, also while these are stopped.
func (g *Gateway) list(method string, params json.RawMessage) (json.RawMessage, error) {
	if jsonrpc.Get(params, "cursor") != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	}
	kind := kinds[method]
	out := []byte(`{"` + string(kind) + `":[`)
	for _, server := range g.activeServers() {
		of := listOf(kind, g.listings.Of(server.Name, kind), server.Name)
		of = names.Outgoing(g.slugs.of(server), method, of)
		items := of[bytes.IndexByte(of, '[')+1 : len(of)-2]
		if len(items) > 0 && out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = append(out, items...)
	}
	return append(out, "]}"...), nil
}

// listOf returns the result of a list request with definitions of one server, in
// which prompts have the names that clients are shown.
func listOf(kind listings.Kind, definitions []json.RawMessage, server string) json.RawMessage {
	out := []byte(`{"` + string(kind) + `":[`)
	for i, definition := range definitions {
		if i > 0 {
			out = append(out, ',')
		}
		if kind == listings.Prompts {
			definition = jsonrpc.Set(definition, "name", jsonrpc.Quote(names.Full(server, jsonrpc.GetString(definition, "name"))))
		}
		out = append(out, definition...)
	}
	return append(out, "]}"...)
}
