package mcpshape

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Info returns the serverInfo of a server as clients accept it. A missing name is replaced
// by server, the name that the server has in the configuration.
func Info(server string, raw json.RawMessage) (json.RawMessage, []Change) {
	info := object{
		{name: "name", of: text, required: true, otherwise: value(string(jsonrpc.Quote(server)))},
		{name: "version", of: text, required: true, otherwise: value(`""`)},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "websiteUrl", of: text},
		{name: "icons", of: icons},
	}
	var r report
	raw = r.whole(raw)
	if len(raw) == 0 || raw[0] != '{' {
		raw = json.RawMessage(`{}`)
	}
	out, _ := info.fit(&r, raw) // cannot fail for an object
	r.below(0, "serverInfo")
	return out, r.changes
}

var capabilities = func() object {
	changes := member{name: "listChanged", of: flag}
	return object{
		{name: "experimental", of: objects{}},
		{name: "extensions", of: objects{}},
		{name: "logging", of: free},
		{name: "completions", of: free},
		{name: "tools", of: object{changes}},
		{name: "prompts", of: object{changes}},
		{name: "resources", of: object{changes, {name: "subscribe", of: flag}}},
		{name: "tasks", of: object{
			{name: "list", of: free},
			{name: "cancel", of: free},
			{name: "requests", of: object{{name: "tools", of: object{{name: "call", of: free}}}}},
		}},
	}
}()

// Capabilities returns the capabilities of a server as clients accept them. A capability
// with the value true becomes an empty object; one with another value that is not an
// object is left out.
func Capabilities(raw json.RawMessage) (json.RawMessage, []Change) {
	var r report
	raw = r.whole(raw)
	if len(raw) == 0 || raw[0] != '{' {
		if len(raw) > 0 {
			r.add("capabilities", is(raw)+"; shown as none")
		}
		return json.RawMessage(`{}`), r.changes
	}
	for _, c := range capabilities {
		if string(jsonrpc.Get(raw, c.name)) == "true" {
			r.add(c.name, "is true; shown as {}")
			raw = jsonrpc.Set(raw, c.name, json.RawMessage(`{}`))
		}
	}
	out, _ := capabilities.fit(&r, raw) // cannot fail for an object
	r.below(0, "capabilities")
	return out, r.changes
}

// objects accepts objects whose members are objects. Other members are left out.
type objects struct{}

func (objects) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if raw[0] != '{' {
		return nil, is(raw)
	}
	out := raw
	jsonrpc.Each(raw, func(name string, value json.RawMessage) {
		if value[0] != '{' {
			r.add(name, is(value)+"; left out")
			out = jsonrpc.Delete(out, name)
		}
	})
	return out, ""
}
