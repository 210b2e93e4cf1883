package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// override changes the appearance of one tool.
type override struct {
	settings.ToolOverride
	last atomic.Pointer[appearance] // the last result of Appearance
}

// appearance is a tool before and after its override is applied.
type appearance struct {
	from, to *catalog.Tool
	renamed  bool
}

// Appearance returns a tool of a snapshot as agents see it: with its configured name and description, and without
// its fixed arguments. It does not rename the tool if the server has another tool of the configured name. The
// result keeps the ID of the tool and the name that the server lists, but has another hash and number of tokens. A
// tool without an override is returned unchanged.
func (p *Policy) Appearance(t *catalog.Tool, in *catalog.Snapshot) *catalog.Tool {
	o := p.overrides[t.Key()]
	if o == nil {
		return t
	}
	_, taken := in.Lookup(t.Server, o.Name)
	renamed := o.Name != "" && !taken
	if last := o.last.Load(); last != nil && last.from == t && last.renamed == renamed {
		return last.to
	}
	to := *t
	if renamed {
		to.Name, to.Own = o.Name, t.Name
		to.Definition = jsonrpc.Set(to.Definition, "name", jsonrpc.Quote(o.Name))
	}
	if o.Description != "" {
		to.Description = o.Description
		to.Definition = jsonrpc.Set(to.Definition, "description", jsonrpc.Quote(o.Description))
	}
	if schema := jsonrpc.Get(to.Definition, "inputSchema"); len(o.Arguments) > 0 && len(schema) > 0 {
		to.Definition = jsonrpc.Set(to.Definition, "inputSchema", withoutArguments(schema, o.Arguments))
	}
	sum := sha256.Sum256(append([]byte(t.Hash), to.Definition...))
	to.Hash = hex.EncodeToString(sum[:])
	if t.Tokens > 0 { // 0 means that the tokens of the tool are not counted yet
		to.Tokens = tokens.Known(string(to.Definition))
	}
	o.last.Store(&appearance{t, &to, renamed})
	return &to
}

// withoutArguments returns a schema without the fixed arguments in its members properties and required.
func withoutArguments(schema json.RawMessage, fixed map[string]json.RawMessage) json.RawMessage {
	if properties := jsonrpc.Get(schema, "properties"); len(properties) > 0 && properties[0] == '{' {
		for name := range fixed {
			properties = jsonrpc.Delete(properties, name)
		}
		schema = jsonrpc.Set(schema, "properties", properties)
	}
	required := jsonrpc.Get(schema, "required")
	if len(required) == 0 || required[0] != '[' {
		return schema
	}
	left := []byte{'['}
	for item := range jsonrpc.Items(required) {
		if name, ok := jsonrpc.String(item); ok && fixed[name] != nil {
			continue
		}
		if len(left) > 1 {
			left = append(left, ',')
		}
		left = append(left, item...)
	}
	if len(left) == 1 {
		return jsonrpc.Delete(schema, "required")
	}
	return jsonrpc.Set(schema, "required", append(left, ']'))
}

// Original returns the name that a server lists for the tool that agents see under name. If no tool is shown under
// name, or the server lists a tool of that name itself, Original returns name.
func (p *Policy) Original(server, name string, in *catalog.Snapshot) string {
	original, ok := p.renamed[catalog.Key{Server: server, Tool: name}]
	if _, taken := in.Lookup(server, name); ok && !taken {
		return original
	}
	return name
}

// Params returns the params of tools/call with the fixed arguments of a tool. tool is the name that its server
// lists. A fixed argument replaces all arguments of the same name in params. The case of the names does not
// matter, because some servers ignore it.
func (p *Policy) Params(server, tool string, params json.RawMessage) json.RawMessage {
	o := p.overrides[catalog.Key{Server: server, Tool: tool}]
	if o == nil || len(o.Arguments) == 0 {
		return params
	}
	arguments := jsonrpc.Get(params, "arguments")
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if arguments[0] != '{' {
		return params // the arguments are not an object, so the server refuses the call
	}
	for _, name := range o.Arguments.Names() {
		arguments = jsonrpc.Set(jsonrpc.Unambiguous(arguments, name), name, o.Arguments[name])
	}
	return jsonrpc.Set(params, "arguments", arguments)
}
