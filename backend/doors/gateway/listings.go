package gateway

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// kinds are the lists besides tools/list, by method.
var kinds = map[string]features.Kind{
	"prompts/list":             features.Prompts,
	"resources/list":           features.Resources,
	"resources/templates/list": features.Templates,
}

// capabilityOf returns the capability of a server that has a list, by method.
var capabilityOf = map[string]string{
	"tools/list":               "tools",
	"prompts/list":             "prompts",
	"resources/list":           "resources",
	"resources/templates/list": "resources",
}

// memberOf returns the member of the result that a method lists.
func memberOf(method string) string {
	if kind, ok := kinds[method]; ok {
		return string(kind)
	}
	return "tools"
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

// listFrom returns the result of a list request besides tools/list, with what servers have
// listed.
func (g *Gateway) listFrom(method string, servers []registry.Server) json.RawMessage {
	kind := kinds[method]
	out := []byte(`{"` + string(kind) + `":[`)
	for _, server := range servers {
		definitions := accepted(kind, g.listings.Of(server.Name, kind))
		if kind == features.Prompts {
			definitions = fullNames(server.Name, definitions)
		}
		of := names.Outgoing(g.slugs.of(server), method, listOf(string(kind), definitions))
		items := of[bytes.IndexByte(of, '[')+1 : len(of)-2]
		if len(items) > 0 && out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = append(out, items...)
	}
	return append(out, "]}"...)
}

// fullNames returns the prompts of a server with the names that clients are shown.
func fullNames(server string, definitions []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(definitions))
	for i, definition := range definitions {
		out[i] = jsonrpc.Set(definition, "name", jsonrpc.Quote(names.Full(server, jsonrpc.GetString(definition, "name"))))
	}
	return out
}

// listOf returns the result of a list request, with definitions as its only member.
func listOf(member string, definitions []json.RawMessage) json.RawMessage {
	out := []byte(`{"` + member + `":[`)
	for i, definition := range definitions {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, definition...)
	}
	return append(out, "]}"...)
}
