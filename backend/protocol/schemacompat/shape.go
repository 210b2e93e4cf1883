package schemacompat

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// shape is what the value of a keyword looks like in JSON Schema.
type shape int

const (
	anyShape shape = iota
	textShape
	numberShape
	countShape // a whole number from 0
	flagShape
	listShape
	namesShape // texts, each once
	typeShape
	schemaShape
	schemasShape  // a list
	namedShape    // schemas by name
	itemsShape    // a schema or, in old drafts, a list
	openShape     // a schema for what nothing else is said of, mostly true or false
	referredShape // schemas by name that are only referred to
)

// shapes are those of the keywords of draft 2020-12, and of those that older
// drafts and OpenAPI have beside them.
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

// known are the types of JSON, and what else they are called.
var known = map[string]string{
	"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object", "null": "null",
	"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number", "bool": "boolean",
	"list": "array", "dict": "object", "map": "object", "none": "null",
}

// shaped returns a schema whose keywords are all as JSON Schema has them; what
// is not, and cannot be mended, is left out. The copy is the caller's. What is
// no object says nothing: it takes anything; only false takes nothing.
func (a *adapter) shaped(v *value) *value {
	if v.is("false") {
		a.note("true and false as schemas: written out")
		return objectOf("not", objectOf())
	}
	if !v.isObject() {
		a.note("true and false as schemas: written out")
		return objectOf()
	}
	out := &value{kind: '{', members: make([]member, 0, len(v.members)+2)}
	for _, m := range v.members {
		if mended := mend(m); mended != nil {
			out.members = append(out.members, member{m.name, mended})
		} else {
			a.note("left out, for it is no JSON Schema: " + safetext.Clip(m.name, 40))
		}
	}
	return out
}

// mend returns the value of a keyword as it ought to be, nil when there is none.
func mend(m member) *value {
	v, fits := m.value, true
	switch shapes[m.name] {
	case textShape:
		fits = v.kind == '"'
	case numberShape:
		fits = v.isNumber()
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

// names are the texts of a list, each once.
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

// types are a type or several, by their right names; nil when there is none.
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

// typesOf are the types that a schema names.
func typesOf(v *value) []string {
	t := v.get("type")
	if s, ok := t.text(); ok {
		return []string{s}
	}
	return t.texts()
}

// implied is the type of values that a schema is about which names none, ""
// when it may be any.
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
