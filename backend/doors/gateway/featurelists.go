package gateway

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// kinds maps each list method other than tools/list to the kind of item that the method returns.
var kinds = map[string]features.Kind{
	"prompts/list":             features.Prompts,
	"resources/list":           features.Resources,
	"resources/templates/list": features.Templates,
}

// capabilityOf maps each list method to the capability that a server declares if it supports the method.
var capabilityOf = map[string]string{
	"tools/list":               "tools",
	"prompts/list":             "prompts",
	"resources/list":           "resources",
	"resources/templates/list": "resources",
}

// featureLists makes the results of prompts/list, resources/list and resources/templates/list.
type featureLists struct {
	features *features.Keeper
	slugs    *slugs
}

// from returns the result of a list method other than tools/list: the items that the given servers have listed.
func (l *featureLists) from(method string, servers []registry.Server) json.RawMessage {
	kind := kinds[method]
	out := []byte(`{"` + string(kind) + `":[`)
	for _, server := range servers {
		definitions := accepted(kind, l.features.Of(server.Name, kind))
		if kind == features.Prompts {
			for i, d := range definitions {
				definitions[i] = jsonrpc.Set(d, "name", jsonrpc.Quote(names.Full(server.Name, jsonrpc.GetString(d, "name"))))
			}
		}
		of := names.Outgoing(l.slugs.of(server), method, answer.List(string(kind), definitions))
		items := of[bytes.IndexByte(of, '[')+1 : len(of)-2]
		if len(items) > 0 && out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = append(out, items...)
	}
	return append(out, "]}"...)
}

// hasAny reports whether any of the servers has an item in a list.
func (l *featureLists) hasAny(servers []string, list listing) bool {
	for _, server := range servers {
		if slices.ContainsFunc(list.kinds, func(k features.Kind) bool { return len(l.features.Of(server, k)) > 0 }) {
			return true
		}
	}
	return false
}
