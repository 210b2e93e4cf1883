package schemacompat

import (
	"regexp"
	"strings"
)

// way is how a vendor takes schemas.
type way struct {
	// root adapts the schema of a tool's arguments.
	root func(a *adapter, v *value) *value
	// name is what properties may be called: at the root, or for strict ones
	// anywhere.
	name *regexp.Regexp
	// rootless are keywords that the root may not have.
	rootless []string
	// items reports whether arrays have to say what is in them, as one schema.
	items bool
	// refers reports whether a reference may stay that leads somewhere in the
	// schema itself.
	refers func(reference string) bool
	// pattern reports whether a regular expression is taken.
	pattern func(expression string) bool
}

// simpleName is what Anthropic's interface says of names of arguments.
var simpleName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// ways are what is known of the vendors, from what their interfaces answer and
// their documentation says.
var ways = map[Dialect]way{
	// "input_schema does not support oneOf, allOf, or anyOf at the top level";
	// "Property keys should match pattern", of arguments themselves only; "It must
	// match JSON Schema draft 2020-12".
	Anthropic: {
		root: (*adapter).lenientRoot, name: simpleName, refers: inPlace,
		pattern: func(string) bool { return true },
	},
	// "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/
	// 'const'/'not' at the top level"; "array schema missing items"; a "reference
	// can only point to definitions defined at the top level"; expressions are
	// Python's.
	OpenAI: {
		root: (*adapter).lenientRoot, name: simpleName, refers: toDefinition, items: true,
		rootless: []string{"enum", "const", "not"},
		pattern:  func(expression string) bool { return !strings.Contains(strings.ToLower(expression), `\p{`) },
	},
	// A selection of OpenAPI 3.0: "Unknown name … Cannot find field" for any other
	// keyword; one type each, "must be specified when not using one_of, any_of";
	// "When using any_of, it must be the only field set"; enum "only allowed for
	// STRING type"; "items: missing field"; "required[0]: property is not
	// defined"; "properties: should be non-empty for OBJECT type"; "only 'enum'
	// and 'date-time' are supported for STRING type"; "parameter names must start
	// with a letter or an underscore".
	Gemini: {root: (*adapter).strictRoot, name: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)},
}

// toDefinition is about references to what the root defines by a name.
func toDefinition(reference string) bool {
	for _, place := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(reference, place); ok {
			return !strings.Contains(name, "/")
		}
	}
	return reference == "#"
}

// inPlace is about references to what keeps its place when a schema is adapted.
func inPlace(reference string) bool {
	rest, below := strings.CutPrefix(reference, "#/properties/")
	name, _, _ := strings.Cut(rest, "/")
	return toDefinition(reference) || below && simpleName.MatchString(name) && !intoList.MatchString(rest)
}

// intoList is the way into a tuple, which is written anew.
var intoList = regexp.MustCompile(`/items/\d`)
