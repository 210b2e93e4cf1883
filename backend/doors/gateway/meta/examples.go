package meta

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// examplesOf returns a list of examples of arguments of a tool, or nil if the server gives none. It returns those of the
// schema or of the definition. Otherwise it combines the first examples of the single arguments.
func examplesOf(t *catalog.Tool) json.RawMessage {
	schema := t.InputSchema()
	for _, all := range []json.RawMessage{
		jsonrpc.Get(schema, "examples"), jsonrpc.Get(t.Definition, "examples"), jsonrpc.Get(t.Definition, "input_examples"),
	} {
		if all != nil {
			return all
		}
	}
	if one := exampleOf(schema); one != nil {
		return slices.Concat([]byte("["), one, []byte("]"))
	}
	return nil
}

// exampleOf returns an object with the examples of single arguments that a schema has, and the values that it sets for
// required ones. It returns nil if no argument has an example, or if a required argument has no value.
func exampleOf(schema json.RawMessage) (object json.RawMessage) {
	var required []string
	_ = json.Unmarshal(jsonrpc.Get(schema, "required"), &required) // an invalid list requires nothing
	properties, exemplified := jsonrpc.Get(schema, "properties"), false
	if !jsonrpc.IsObject(properties) {
		return nil
	}
	jsonrpc.Each(properties, func(name string, property json.RawMessage) {
		value := jsonrpc.Get(property, "example")
		if value == nil {
			value = first(jsonrpc.Get(property, "examples"))
		}
		exemplified = exemplified || value != nil
		if value == nil && slices.Contains(required, name) {
			value = valueOf(property)
		}
		if value != nil {
			object = jsonrpc.Set(object, name, value)
		}
	})
	for _, name := range required {
		exemplified = exemplified && jsonrpc.Get(object, name) != nil
	}
	if !exemplified {
		return nil
	}
	return object
}

// valueOf returns a value that the schema of an argument itself names, or nil.
func valueOf(property json.RawMessage) json.RawMessage {
	for _, member := range []string{"const", "default"} {
		if value := jsonrpc.Get(property, member); value != nil {
			return value
		}
	}
	return first(jsonrpc.Get(property, "enum"))
}

func first(list json.RawMessage) json.RawMessage {
	for item := range jsonrpc.Items(list) {
		return item
	}
	return nil
}
