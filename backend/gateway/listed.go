package gateway

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/wire"
)

// maxSchemaDepth is the nesting of a schema up to which clients in every
// language can read it.
const maxSchemaDepth = 100

// listed returns a tool's definition under the name by which a session knows it.
// What MCP's own schema forbids is mended or left out: clients that check drop
// their whole list for one such tool. A definition that is in order keeps its
// every byte; get_schema shows any as it is.
func listed(t *catalog.Tool, name string) json.RawMessage {
	def := wire.Set(t.Definition, "name", wire.Quote(name))
	for _, member := range []struct {
		name  string
		kinds string // first bytes that a value may have
	}{{"title", `"`}, {"description", `"`}, {"annotations", "{"}, {"execution", "{"}, {"_meta", "{"}, {"icons", "["}} {
		if value := wire.Get(def, member.name); value != nil && !strings.Contains(member.kinds, string(value[:1])) {
			def = wire.Delete(def, member.name)
		}
	}
	switch wire.GetString(wire.Get(def, "execution"), "taskSupport") {
	case "", "forbidden", "optional", "required":
	default:
		def = wire.Delete(def, "execution")
	}
	if out := wire.Get(def, "outputSchema"); out != nil && !objectSchema(out) {
		def = wire.Delete(def, "outputSchema")
	}
	if in := wire.Get(def, "inputSchema"); !objectSchema(in) {
		def = wire.Set(def, "inputSchema", mended(in))
	}
	return def
}

// objectSchema reports whether a schema is one that MCP allows for arguments
// and structured results: an object's, with properties that are schemas of
// their own.
func objectSchema(schema json.RawMessage) bool {
	if wire.GetString(schema, "type") != "object" || depth(schema) > maxSchemaDepth {
		return false
	}
	ok := true
	if properties := wire.Get(schema, "properties"); properties != nil {
		ok = properties[0] == '{'
		wire.Each(properties, func(_ string, property json.RawMessage) { ok = ok && property[0] == '{' })
	}
	var required []string
	if raw := wire.Get(schema, "required"); raw != nil && json.Unmarshal(raw, &required) != nil {
		ok = false
	}
	return ok
}

// mended makes an argument schema that MCP allows of one that it does not.
func mended(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || schema[0] != '{' || depth(schema) > maxSchemaDepth {
		return json.RawMessage(`{"type":"object"}`)
	}
	schema = wire.Set(schema, "type", json.RawMessage(`"object"`))
	if properties := wire.Get(schema, "properties"); properties != nil && properties[0] != '{' {
		schema = wire.Delete(schema, "properties")
	} else if properties != nil {
		wire.Each(properties, func(name string, property json.RawMessage) {
			switch string(property) {
			case "false":
				properties = wire.Set(properties, name, json.RawMessage(`{"not":{}}`))
			default:
				if property[0] != '{' { // true, or nothing that JSON Schema knows
					properties = wire.Set(properties, name, json.RawMessage(`{}`))
				}
			}
		})
		schema = wire.Set(schema, "properties", properties)
	}
	var required []string
	if raw := wire.Get(schema, "required"); raw != nil && json.Unmarshal(raw, &required) != nil {
		schema = wire.Delete(schema, "required")
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
