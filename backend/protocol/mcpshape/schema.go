package mcpshape

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// schema has the members of a schema that clients check.
var schema = object{
	{name: "type", of: oneOf("object"), required: true, otherwise: value(`"object"`)},
	{name: "properties", of: properties{}},
	{name: "required", of: list{text}},
	{name: "$schema", of: text},
}

// inputSchema accepts schemas of arguments, and replaces any other value by the closest
// schema.
type inputSchema struct{}

func (inputSchema) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	const anything = `{"type":"object"}`
	switch {
	case len(raw) == 0 || raw[0] != '{':
		r.add("", is(raw)+"; shown as one that allows all arguments")
		return json.RawMessage(anything), ""
	case depth(raw) > maxDepth:
		r.add("", "is nested too deeply; shown as one that allows all arguments")
		return json.RawMessage(anything), ""
	}
	return schema.fit(r, raw)
}

// outputSchema accepts schemas of structured results. It refuses a schema whose type is not
// object, because clients would check results by a corrected schema that the server does
// not follow.
type outputSchema struct{}

func (outputSchema) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if raw[0] != '{' {
		return nil, is(raw)
	}
	if jsonrpc.GetString(raw, "type") != "object" {
		return nil, "has no type object"
	}
	return schema.fit(r, raw)
}

// properties accepts objects whose members are schemas. Members are never left out, because
// each names an argument of the tool.
type properties struct{}

func (properties) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if raw[0] != '{' {
		return nil, is(raw)
	}
	out := raw
	jsonrpc.Each(raw, func(name string, property json.RawMessage) {
		if property[0] == '{' {
			return
		}
		by := `{}`
		if string(property) == "false" {
			by = `{"not":{}}`
		}
		r.add(safetext.Label(name), is(property)+"; shown as the schema "+by)
		out = jsonrpc.Set(out, name, json.RawMessage(by))
	})
	return out, ""
}
