package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// property is the part of a JSON schema that decides how a value is encoded.
type property struct {
	Type  json.RawMessage `json:"type"`
	Items json.RawMessage `json:"items"`
}

// typed returns KEY=VALUE pairs as a JSON object, with the types of the tool's
// schema.
func typed(tool operations.KnownTool, pairs []string) (json.RawMessage, error) {
	var schema struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		Required             []string                   `json:"required"`
		AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	}
	_ = json.Unmarshal(tool.InputSchema, &schema) // without a usable schema, values keep their JSON type or are strings
	out := json.RawMessage("{}")
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef("%q must have the form KEY=VALUE; give all arguments as JSON with --args", pair)
		}
		raw, known := schema.Properties[key]
		if !known && string(schema.AdditionalProperties) == "false" {
			return nil, fault.New(fault.Invalid, "%s has no argument %q; its arguments: %s", tool.Name, key, names(schema.Properties))
		}
		encoded, err := propertyOf(raw).add(key, value, jsonrpc.Get(out, key))
		if err != nil {
			return nil, err
		}
		out = jsonrpc.Set(out, key, encoded)
	}
	for _, name := range schema.Required {
		if jsonrpc.Get(out, name) == nil {
			return nil, fault.New(fault.Invalid, "%s requires the argument %q; its arguments: %s",
				tool.Name, name, names(schema.Properties))
		}
	}
	return out, nil
}

func names(properties map[string]json.RawMessage) string {
	return strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
}

func propertyOf(schema json.RawMessage) property {
	var p property
	_ = json.Unmarshal(schema, &p) // without a usable schema, the property has no type
	return p
}

// add returns the JSON of a property with one more value. before is the JSON of
// the values so far, or nil. Values are added to an array one by one, or
// several at once as a JSON array; other types accept only one value.
func (p property) add(key, value string, before json.RawMessage) (json.RawMessage, error) {
	if p.kind() != "array" {
		if before != nil {
			return nil, fault.New(fault.Invalid, "%s was given twice, but is not an array", key)
		}
		return p.encode(key, value)
	}
	var elements json.RawMessage
	if trimmed := strings.TrimSpace(value); strings.HasPrefix(trimmed, "[") && jsonrpc.Valid([]byte(trimmed)) {
		elements = json.RawMessage(trimmed[1 : len(trimmed)-1])
	} else {
		element, err := propertyOf(p.Items).encode(key, value)
		if err != nil {
			return nil, err
		}
		elements = element
	}
	if len(before) > 2 && len(bytes.TrimSpace(elements)) > 0 {
		elements = slices.Concat(before[1:len(before)-1], json.RawMessage(","), elements)
	} else if len(before) > 2 {
		return before, nil
	}
	return slices.Concat(json.RawMessage("["), elements, json.RawMessage("]")), nil
}

// encode returns the JSON of one value, converted to the type of the property.
func (p property) encode(key, value string) (json.RawMessage, error) {
	raw := json.RawMessage(value)
	isJSON := jsonrpc.Valid(raw)
	number := isJSON && strings.ContainsRune("-0123456789", rune(value[0]))
	wrong := func(kind string) error {
		return fault.New(fault.Invalid, "%s must be %s, not %q", key, kind, value)
	}
	switch p.kind() {
	case "string":
		return jsonrpc.Quote(value), nil
	case "integer":
		if !number || strings.ContainsAny(value, ".eE") {
			return nil, wrong("a whole number")
		}
		return raw, nil
	case "number":
		if !number {
			return nil, wrong("a number")
		}
		return raw, nil
	case "boolean":
		if value != "true" && value != "false" {
			return nil, wrong("true or false")
		}
		return raw, nil
	case "object":
		if !isJSON || value[0] != '{' {
			return nil, wrong("a JSON object")
		}
		return raw, nil
	}
	if isJSON {
		return raw, nil
	}
	return jsonrpc.Quote(value), nil
}

// kind returns the property's type, or "" if it has none. If the schema allows
// several types, kind returns the first that is not null.
func (p property) kind() string {
	var one string
	if json.Unmarshal(p.Type, &one) == nil {
		return one
	}
	var several []string
	_ = json.Unmarshal(p.Type, &several)
	for _, t := range several {
		if t != "null" {
			return t
		}
	}
	return ""
}
