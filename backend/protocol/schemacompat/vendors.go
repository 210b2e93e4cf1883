package schemacompat

import (
	"regexp"
	"strings"
)

type vendorRules struct {
	// root adapts the schema of a tool's arguments.
	root func(a *adapter, v *value) *value
	// name matches the allowed names of properties: of the arguments themselves
	// for Anthropic and OpenAI, of all objects for Gemini.
	name *regexp.Regexp
	// rootless lists keywords that are not allowed at the root.
	rootless []string
	// items reports whether arrays need the keyword items, with one schema for all items.
	items bool
	// refers reports whether a reference to a part of the schema may stay.
	refers func(reference string) bool
	// pattern reports whether a regular expression is accepted.
	pattern func(expression string) bool
}

// simpleName is the pattern that Anthropic's API documents for names of arguments.
var simpleName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// rules holds the rules of the vendors, from the errors of their APIs (quoted here)
// and from their documentation.
var rules = map[Vendor]vendorRules{
	// "input_schema does not support oneOf, allOf, or anyOf at the top level";
	// "Property keys should match pattern", for the arguments themselves only; "It must
	// match JSON Schema draft 2020-12".
	Anthropic: {
		root: (*adapter).lenientRoot, name: simpleName, refers: inPlace,
		pattern: func(string) bool { return true },
	},
	// "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/
	// 'const'/'not' at the top level"; "array schema missing items"; a "reference
	// can only point to definitions defined at the top level". Regular expressions
	// have the syntax of Python.
	OpenAI: {
		root: (*adapter).lenientRoot, name: simpleName, refers: toDefinition, items: true,
		rootless: []string{"enum", "const", "not"},
		pattern:  func(expression string) bool { return !strings.Contains(strings.ToLower(expression), `\p{`) },
	},
	// A subset of OpenAPI 3.0. For any other keyword the error is "Unknown name …
	// Cannot find field". Each schema has one type, which "must be specified when
	// not using one_of, any_of". Other errors: "When using any_of, it must be the
	// only field set"; enum is "only allowed for STRING type"; "items: missing
	// field"; "required[0]: property is not defined"; "properties: should be
	// non-empty for OBJECT type"; "only 'enum' and 'date-time' are supported for
	// STRING type"; "parameter names must start with a letter or an underscore".
	Gemini: {root: (*adapter).strictRoot, name: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)},
}

// toDefinition reports whether a reference points to the root schema or to one of its
// named definitions.
func toDefinition(reference string) bool {
	for _, place := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(reference, place); ok {
			return !strings.Contains(name, "/")
		}
	}
	return reference == "#"
}

// inPlace reports whether a reference points to a part of the schema whose position
// does not change when the schema is adapted.
func inPlace(reference string) bool {
	rest, below := strings.CutPrefix(reference, "#/properties/")
	name, _, _ := strings.Cut(rest, "/")
	return toDefinition(reference) || below && simpleName.MatchString(name) && !intoList.MatchString(rest)
}

// intoList matches JSON pointers to an item of a tuple. Adapting rewrites tuples, so
// these pointers become invalid.
var intoList = regexp.MustCompile(`/items/\d`)
