package schemacompat_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// refused returns the reason why a vendor rejects a schema, "" if the vendor accepts
// it. It is an independent implementation of the vendors' rules.
func refused(d schemacompat.Vendor, schema []byte) string {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err.Error()
	}
	object, ok := root.(map[string]any)
	if !ok || object["type"] != "object" {
		return "the root is not an object"
	}
	switch d {
	case schemacompat.Gemini:
		if properties, ok := object["properties"].(map[string]any); ok && len(properties) == 0 {
			object = map[string]any{"type": "object"}
		}
		return geminiRefuses(object, "", true)
	case schemacompat.OpenAI:
		for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"} {
			if _, there := object[keyword]; there {
				return keyword + " at the root"
			}
		}
		if why := openAIRefuses(object, object, ""); why != "" {
			return why
		}
	case schemacompat.Anthropic:
		for _, keyword := range []string{"oneOf", "anyOf", "allOf", "$ref"} {
			if _, there := object[keyword]; there {
				return keyword + " at the root"
			}
		}
	}
	properties, _ := object["properties"].(map[string]any)
	for name, property := range properties {
		if !regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`).MatchString(name) {
			return "a property is called " + name
		}
		if _, ok := property.(map[string]any); !ok {
			return name + " is no schema with keywords"
		}
	}
	return invalid(schema)
}

// invalid returns the reason why a schema is not valid in draft 2020-12, ignoring its
// own $schema.
func invalid(schema []byte) string {
	if why, known := looked.Load(string(schema)); known {
		return why.(string)
	}
	why := ""
	if _, err := compiled(schema); err != nil {
		why = err.Error()
	}
	looked.Store(string(schema), why)
	return why
}

// looked caches the results of invalid, because most schemas are checked often.
var looked sync.Map

// anyText is a regular expression that matches every string.
type anyText struct{}

func (anyText) MatchString(string) bool { return true }
func (anyText) String() string          { return "" }

func compiled(schema []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return nil, err
	}
	if object, ok := document.(map[string]any); ok {
		delete(object, "$schema")
		delete(object, "$id")
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	// Go does not support all regular expressions of JavaScript.
	compiler.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return anyText{}, nil })
	if err := compiler.AddResource("mem:///schema.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("mem:///schema.json")
}

var geminiKnows = strings.Fields(`type format title description nullable enum items maxItems minItems properties
	required minProperties maxProperties minLength maxLength minimum maximum pattern example anyOf propertyOrdering default`)

func geminiRefuses(v any, at string, root bool) string {
	node, ok := v.(map[string]any)
	if !ok {
		return at + ": not an object"
	}
	for keyword := range node {
		if !slices.Contains(geminiKnows, keyword) {
			return at + ": unknown name " + keyword
		}
	}
	if anyOf, there := node["anyOf"]; there {
		list, _ := anyOf.([]any)
		if len(node) > 1 || len(list) < 2 {
			return at + ": anyOf is not alone, or has nothing to choose"
		}
		for i, one := range list {
			if why := geminiRefuses(one, fmt.Sprint(at, "/anyOf/", i), false); why != "" {
				return why
			}
		}
		return ""
	}
	kind, _ := node["type"].(string)
	only := func(keyword string, kinds ...string) string {
		if _, there := node[keyword]; there && !slices.Contains(kinds, kind) {
			return at + ": " + keyword + " on a " + kind
		}
		return ""
	}
	if !slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, kind) {
		return fmt.Sprintf("%s: type %v", at, node["type"])
	}
	for keyword, kinds := range map[string][]string{
		"enum": {"string"}, "items": {"array"}, "minItems": {"array"}, "maxItems": {"array"}, "properties": {"object"},
		"required": {"object"}, "minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"}, "minimum": {"number", "integer"},
		"maximum": {"number", "integer"},
	} {
		if why := only(keyword, kinds...); why != "" {
			return why
		}
	}
	if format, there := node["format"]; there && !slices.Contains(map[string][]any{
		"string": {"enum", "date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"},
	}[kind], format) {
		return fmt.Sprint(at, ": format ", format)
	}
	if values, there := node["enum"]; there {
		list, _ := values.([]any)
		for _, v := range list {
			if s, _ := v.(string); s == "" {
				return at + ": an enum with what is no text"
			}
		}
		if len(list) == 0 {
			return at + ": an empty enum"
		}
	}
	switch kind {
	case "array":
		return geminiRefuses(node["items"], at+"/items", false)
	case "object":
		return geminiRefusesObject(node, at, root)
	}
	return ""
}

func geminiRefusesObject(node map[string]any, at string, root bool) string {
	properties, _ := node["properties"].(map[string]any)
	if len(properties) == 0 && !root {
		return at + ": properties should be non-empty"
	}
	required, _ := node["required"].([]any)
	for _, name := range required {
		if _, there := properties[fmt.Sprint(name)]; !there {
			return fmt.Sprint(at, ": required property ", name, " is not defined")
		}
	}
	for name, property := range properties {
		if !regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`).MatchString(name) {
			return at + ": a property is called " + name
		}
		if why := geminiRefuses(property, at+"/"+name, false); why != "" {
			return why
		}
	}
	return ""
}

// openAIRefuses returns the reason why OpenAI rejects v or a schema within it, "" for
// none. Every object within v is checked, because it may be a schema.
func openAIRefuses(v any, root map[string]any, at string) string {
	node, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	kinds, _ := node["type"].([]any)
	if node["type"] == "array" || slices.Contains(kinds, any("array")) {
		if _, ok := node["items"].(map[string]any); !ok {
			return at + ": array schema missing items"
		}
	}
	if reference, there := node["$ref"].(string); there {
		name := strings.TrimPrefix(strings.TrimPrefix(reference, "#/$defs/"), "#/definitions/")
		definitions, _ := root["$defs"].(map[string]any)
		older, _ := root["definitions"].(map[string]any)
		if reference != "#" && definitions[name] == nil && older[name] == nil {
			return at + ": reference " + reference
		}
	}
	for keyword, below := range node {
		switch keyword {
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			for name, one := range objectOf(below) {
				if why := openAIRefuses(one, root, at+"/"+keyword+"/"+name); why != "" {
					return why
				}
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for i, one := range listOf(below) {
				if why := openAIRefuses(one, root, fmt.Sprint(at, "/", keyword, "/", i)); why != "" {
					return why
				}
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			if why := openAIRefuses(below, root, at+"/"+keyword); why != "" {
				return why
			}
		}
	}
	return ""
}

func objectOf(v any) map[string]any { object, _ := v.(map[string]any); return object }

func listOf(v any) []any { list, _ := v.([]any); return list }
