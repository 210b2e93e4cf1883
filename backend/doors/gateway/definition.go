package gateway

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxSchemaDepth is the maximum nesting of a schema in a tool list; deeper JSON
// is rejected by the parsers of common languages.
const maxSchemaDepth = 100

// listed returns a tool's definition under another name, as a tool list
// contains it. Members that MCP's schema forbids are repaired or left out,
// because clients that validate reject the whole list for one invalid tool. A
// valid definition is unchanged except for the name. get_schema returns the
// original.
func listed(t *catalog.Tool, name string) json.RawMessage {
	def := jsonrpc.Set(t.Definition, "name", jsonrpc.Quote(name))
	for _, member := range []struct {
		name  string
		kinds string // characters with which the value may begin
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
		def = jsonrpc.Set(def, "inputSchema", repaired(in))
	}
	return def
}

// objectSchema reports whether MCP allows a schema for arguments and for
// structured results: the type is object, and the properties are schemas.
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

// repaired returns the closest argument schema that MCP allows.
func repaired(schema json.RawMessage) json.RawMessage {
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
				if property[0] != '{' { // the value is true, or not a schema
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

// depth returns the nesting depth of a JSON value. It counts brackets in strings
// too; real schemas have too few of them to matter.
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
