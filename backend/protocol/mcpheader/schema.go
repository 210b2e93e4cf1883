package mcpheader

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// annotation is the member of a schema that names a header.
const annotation = "x-mcp-header"

// maxDepth is the nesting of schemas up to which annotations are read.
const maxDepth = 64

// Param is an argument of a tool that a header repeats.
type Param struct {
	Header string   // without ParamPrefix
	Path   []string // names of properties, from the arguments inwards
}

// Params are the arguments of a tool that headers repeat, in the order of the schema.
type Params []Param

// ReadParams returns the arguments that headers repeat according to the input schema of
// a tool. An error describes the first bad annotation: clients over HTTP must not use a
// tool that has one. An annotation is good if
//   - the path from the root to its property contains no keyword other than properties,
//   - its property has the type string, integer or boolean,
//   - its value is an HTTP token that differs from those of all other annotations, ignoring case.
func ReadParams(schema json.RawMessage) (Params, error) {
	w := walk(schema)
	if len(w.faults) > 0 {
		return nil, fmt.Errorf("read tool schema: %w", w.faults[0].err)
	}
	return w.params, nil
}

// RemoveBad returns an input schema without its bad annotations. All other bytes stay as
// they are. Of annotations with the same name the first one stays.
func RemoveBad(schema json.RawMessage) json.RawMessage {
	var cuts []jsonscan.Span
	for _, f := range walk(schema).faults {
		cuts = jsonscan.AppendCuts(cuts, schema, f.at, func(name []byte) bool { return string(name) == annotation })
	}
	if len(cuts) == 0 {
		return schema
	}
	// The cuts are not in order if a schema has its annotation after the schemas inside it.
	slices.SortFunc(cuts, func(a, b jsonscan.Span) int { return a.Start - b.Start })
	return jsonscan.AppendWithout(nil, schema, cuts)
}

// walker collects the annotations of a schema.
type walker struct {
	data   []byte
	seen   map[string]bool // headers, in lower case
	params Params
	faults []fault
}

// fault is a bad annotation. Its schema begins at the position at.
type fault struct {
	at  int
	err error
}

func walk(schema json.RawMessage) *walker {
	w := &walker{data: schema, seen: make(map[string]bool)}
	if jsonscan.Valid(schema) {
		w.schema(jsonscan.Space(schema, 0), []string{}, 0)
	}
	return w
}

// schema reads the schema that begins at data[at]. path has the names of the properties from the root down to the
// schema: none for the root itself. path is nil if any keyword other than properties is on the way.
func (w *walker) schema(at int, path []string, depth int) {
	if depth > maxDepth || w.data[at] != '{' {
		return
	}
	w.annotation(at, path)
	for o := jsonscan.Members(w.data, at); o.Next(); {
		name, _ := jsonscan.String(o.Quoted())
		switch kindOf[name] {
		case schemaByName:
			w.schemas(o.Start(), path, name == "properties", depth)
		case schemaOrList:
			if w.data[o.Start()] != '[' {
				w.schema(o.Start(), nil, depth+1)
				continue
			}
			for a := jsonscan.Elements(w.data, o.Start()); a.Next(); {
				w.schema(a.Start(), nil, depth+1)
			}
		}
	}
}

// schemas reads the members of the object that begins at data[at]. Each of them is a schema.
func (w *walker) schemas(at int, path []string, properties bool, depth int) {
	for o := jsonscan.Members(w.data, at); o.Next(); {
		var inner []string
		if name, _ := jsonscan.String(o.Quoted()); properties && path != nil {
			inner = append(path[:len(path):len(path)], name)
		}
		w.schema(o.Start(), inner, depth+1)
	}
}

// annotation reads the annotation of the schema that begins at data[at], if the schema has one.
func (w *walker) annotation(at int, path []string) {
	schema := json.RawMessage(w.data[at:])
	raw := jsonrpc.Get(schema, annotation)
	if raw == nil {
		return
	}
	header, ok := jsonrpc.String(raw)
	lower := strings.ToLower(header)
	var err error
	switch kind := jsonrpc.GetString(schema, "type"); {
	case len(path) == 0:
		err = errors.New("it is not on a property that is reached by properties only")
	case !ok || !httpguts.ValidHeaderFieldName(header):
		err = errors.New("its value is not a token of HTTP")
	case kind != "string" && kind != "integer" && kind != "boolean":
		err = errors.New("the type of its property is not string, integer or boolean")
	case w.seen[lower]:
		err = errors.New("another property has the same one")
	}
	if err != nil {
		w.faults = append(w.faults, fault{at, fmt.Errorf("bad %s at property %q: %w", annotation, strings.Join(path, "."), err)})
		return
	}
	w.seen[lower] = true
	w.params = append(w.params, Param{header, path})
}

// Kinds of members of a schema that contain schemas.
const (
	schemaByName = 1 + iota // an object of schemas
	schemaOrList            // a schema or an array of schemas
)

// kindOf lists the members of a schema that contain schemas. All others are data.
var kindOf = map[string]int{
	"properties": schemaByName, "patternProperties": schemaByName, "$defs": schemaByName, "definitions": schemaByName,
	"dependentSchemas": schemaByName, "dependencies": schemaByName,
	"items": schemaOrList, "prefixItems": schemaOrList, "additionalItems": schemaOrList, "unevaluatedItems": schemaOrList,
	"contains": schemaOrList, "additionalProperties": schemaOrList, "unevaluatedProperties": schemaOrList,
	"propertyNames": schemaOrList, "contentSchema": schemaOrList, "not": schemaOrList,
	"if": schemaOrList, "then": schemaOrList, "else": schemaOrList,
	"allOf": schemaOrList, "anyOf": schemaOrList, "oneOf": schemaOrList,
}
