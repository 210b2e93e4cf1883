package schemacompat

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// shape is the form of a keyword's value in JSON Schema.
type shape int

const (
	anyShape shape = iota
	textShape
	numberShape
	countShape // a non-negative integer
	flagShape
	listShape
	namesShape // a list of distinct strings
	typeShape
	schemaShape
	schemasShape  // a list of schemas
	namedShape    // an object whose members are schemas
	itemsShape    // a schema or, in old drafts, a list
	openShape     // a schema for members or items that no other keyword covers, often true or false
	referredShape // an object whose members are schemas to which references point
)

// shapes holds the shapes of the keywords of draft 2020-12, older drafts and
// OpenAPI.
var shapes = map[string]shape{
	"type": typeShape, "title": textShape, "description": textShape, "format": textShape, "pattern": textShape,
	"$ref": textShape, "$schema": textShape, "$id": textShape, "$comment": textShape, "$anchor": textShape,
	"$dynamicRef": textShape, "$dynamicAnchor": textShape,
	"contentEncoding": textShape, "contentMediaType": textShape,
	"minimum": numberShape, "maximum": numberShape, "exclusiveMinimum": numberShape, "exclusiveMaximum": numberShape,
	"multipleOf": numberShape,
	"minLength":  countShape, "maxLength": countShape, "minItems": countShape, "maxItems": countShape,
	"minProperties": countShape, "maxProperties": countShape, "minContains": countShape, "maxContains": countShape,
	"uniqueItems": flagShape, "nullable": flagShape, "deprecated": flagShape, "readOnly": flagShape, "writeOnly": flagShape,
	"enum": listShape, "examples": listShape, "required": namesShape, "propertyOrdering": namesShape,
	"anyOf": schemasShape, "oneOf": schemasShape, "allOf": schemasShape, "prefixItems": schemasShape,
	"properties": namedShape, "patternProperties": namedShape, "dependentSchemas": namedShape,
	"$defs": referredShape, "definitions": referredShape,
	"items": itemsShape, "contains": schemaShape, "propertyNames": schemaShape, "not": schemaShape,
	"if": schemaShape, "then": schemaShape, "else": schemaShape, "contentSchema": schemaShape,
	"additionalProperties": openShape, "additionalItems": openShape,
	"unevaluatedItems": openShape, "unevaluatedProperties": openShape,
}

// known maps the names of types, and common variants of them, to the names of JSON
// Schema.
var known = map[string]string{
	"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object",
	"null": "null", "str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
	"bool": "boolean", "list": "array", "dict": "object", "map": "object", "none": "null",
}

// shaped returns a copy of a schema in which all keywords have the shape that JSON
// Schema demands. Values of another shape are corrected or removed. If the schema is
// false, the copy is an object that accepts nothing; any other value that is not an
// object becomes an empty schema.
func (a *adapter) shaped(v *value) *value {
	if v.is("false") {
		a.note("true and false as schemas: replaced by objects")
		return objectOf("not", objectOf())
	}
	if !v.isObject() {
		a.note("true and false as schemas: replaced by objects")
		return objectOf()
	}
	out := &value{kind: '{', members: make([]member, 0, len(v.members)+2)}
	for _, m := range v.members {
		if mended := mend(m); mended != nil {
			out.members = append(out.members, member{m.name, mended})
		} else {
			a.note("removed, not valid in JSON Schema: " + safetext.Clip(m.name, 40))
		}
	}
	return out
}

// mend returns the value of a keyword in the shape that JSON Schema demands. It returns
// nil if the value has another shape and cannot be corrected.
func mend(m member) *value {
	v, fits := m.value, true
	switch shapes[m.name] {
	case textShape:
		fits = v.kind == '"'
	case numberShape:
		fits = v.kind == 0 && (v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9')
	case countShape:
		fits = v.isCount()
	case flagShape:
		fits = v.is("true") || v.is("false")
	case listShape:
		fits = v.isList()
	case namesShape:
		return names(v)
	case typeShape:
		return types(v)
	case schemasShape:
		fits = v.isList() && len(v.items) > 0
	case namedShape, referredShape:
		fits = v.isObject()
	case schemaShape, openShape:
		fits = isSchema(v)
	case itemsShape:
		fits = isSchema(v) || v.isList()
	}
	if !fits {
		return nil
	}
	return v
}

func isSchema(v *value) bool { return v.isObject() || v.is("true") || v.is("false") }

// names returns a list of the distinct strings in v, nil if v is not a list.
func names(v *value) *value {
	if !v.isList() {
		return nil
	}
	seen := make(map[string]bool, len(v.items))
	var out []string
	for _, s := range v.texts() {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	if len(out) == len(v.items) {
		return v
	}
	return textList(out)
}

// types returns the value of the keyword type with variants such as "str" replaced by
// the names of JSON Schema, nil if no name is known.
func types(v *value) *value {
	if s, ok := v.text(); ok {
		switch right := known[strings.ToLower(s)]; {
		case right == "":
			return nil
		case right == s:
			return v
		default:
			return textOf(right)
		}
	}
	var out []string
	for _, s := range v.texts() {
		if right := known[strings.ToLower(s)]; right != "" && !slices.Contains(out, right) {
			out = append(out, right)
		}
	}
	switch {
	case len(out) == 0:
		return nil
	case slices.Equal(out, v.texts()) && len(out) == len(v.items):
		return v
	}
	return textList(out)
}

// typesOf returns the types of a schema's keyword type.
func typesOf(v *value) []string {
	t := v.get("type")
	if s, ok := t.text(); ok {
		return []string{s}
	}
	return t.texts()
}

// implied returns the type to which the keywords of a schema apply, "" if none of
// them is specific to a type.
func implied(v *value) string {
	for _, about := range []struct {
		kind     string
		keywords []string
	}{
		{"object", []string{"properties", "required", "patternProperties", "minProperties", "maxProperties", "propertyNames"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}},
		{"string", []string{"pattern", "minLength", "maxLength", "format", "contentEncoding"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	} {
		for _, keyword := range about.keywords {
			if v.get(keyword) != nil {
				return about.kind
			}
		}
	}
	if open := v.get("additionalProperties"); open != nil {
		return "object"
	}
	return ""
}
