package gateway

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxSchemaDepth is the nesting of a schema up to which clients in every
// language can read it.
const maxSchemaDepth = 100

// listed returns a tool's definition under the name by which a session knows it.
// What MCP's own schema forbids is mended or left out: clients that check drop
// their whole list for one such tool. A definition that is in order keeps its
// every byte; get_schema shows any as it is.
func listed(t *catalog.Tool, name string) json.RawMessage {
	def := jsonrpc.Set(t.Definition, "name", jsonrpc.Quote(name))
	for _, member := range []struct {
		name  string
		kinds string // first bytes that a value may have
	}{{"title", `"`}, {"description", `"`}, {"annotations", "{"}, {"execution", "{"}, {"_meta", "{"}, {"icons", "["}} {
		if value := jsonrpc.Get(def, member.name); value != nil && !strings.Contains(member.kinds, string(value[:1])) {
			def = jsonrpc.Delete(def, member.name)
		}
	}
	switch jsonrpc.GetString(jsonrpc.Get(def, "execution"), "taskSupport") {
	case "", "forbidden", "optional", "required":
	default:
		def = jsonrpc.Delete(def, "execution")
	}
	if out := jsonrpc.Get(def, "outputSchema"); out != nil && !objectSchema(out) {
		def = jsonrpc.Delete(def, "outputSchema")
	}
	if in := jsonrpc.Get(def, "inputSchema"); !objectSchema(in) {
		def = jsonrpc.Set(def, "inputSchema", mended(in))
	}
	return def
}

// objectSchema reports whether a schema is one that MCP allows for arguments
// and structured results: an object's, with properties that are schemas of
// their own.
func objectSchema(schema json.RawMessage) bool {
	if jsonrpc.GetString(schema, "type") != "object" || depth(schema) > maxSchemaDepth {
		return false
	}
	ok := true
	if properties := jsonrpc.Get(schema, "properties"); properties != nil {
		ok = properties[0] == '{'
		jsonrpc.Each(properties, func(_ string, property json.RawMessage) { ok = ok && property[0] == '{' })
	}
	var required []string
	if raw := jsonrpc.Get(schema, "required"); raw != nil && json.Unmarshal(raw, &required) != nil {
		ok = false
	}
	return ok
}

// mended makes an argument schema that MCP allows of one that it does not.
func mended(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || schema[0] != '{' || depth(schema) > maxSchemaDepth {
		return json.RawMessage(`{"type":"object"}`)
	}
	schema = jsonrpc.Set(schema, "type", json.RawMessage(`"object"`))
	if properties := jsonrpc.Get(schema, "properties"); properties != nil && properties[0] != '{' {
		schema = jsonrpc.Delete(schema, "properties")
	} else if properties != nil {
		jsonrpc.Each(properties, func(name string, property json.RawMessage) {
			switch string(property) {
			case "false":
				properties = jsonrpc.Set(properties, name, json.RawMessage(`{"not":{}}`))
			default:
				if property[0] != '{' { // true, or nothing that JSON Schema knows
					properties = jsonrpc.Set(properties, name, json.RawMessage(`{}`))
				}
			}
		})
		schema = jsonrpc.Set(schema, "properties", properties)
	}
	var required []string
	if raw := jsonrpc.Get(schema, "required"); raw != nil && json.Unmarshal(raw, &required) != nil {
		schema = jsonrpc.Delete(schema, "required")
	}
	return schema
}

// depth is how deep a value is nested. Braces in strings count too, which no
// real schema has so many of.
func depth(raw json.RawMessage) int {
	deepest, now := 0, 0
	for _, c := range raw {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}
