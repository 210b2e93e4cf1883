// Package schemacompat adapts the JSON Schemas of tool arguments for vendors of
// models that accept only a subset of JSON Schema. It changes a schema that a vendor
// rejects into the nearest one that it accepts. Only the schemas that clients see
// change, never the calls to servers.
//
// Rules of a schema that a vendor does not support are added to the description in
// words, so that models can still follow them. Arguments that are valid for a
// schema are valid for the adapted schema too, which may allow more. There is one
// exception: if a schema has alternatives, this holds only for arguments whose
// properties are all named by the alternative that they match. At a reference that
// would form a cycle, the adapted schema accepts any value of the target's type.
//
// The package has its own schema tree, because libraries for JSON Schema validate
// data and do not rewrite schemas for vendors, and because decoding into Go maps
// would lose the order of members and the spelling of numbers.
package schemacompat

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Vendor is a vendor of models, which accepts a subset of JSON Schema.
type Vendor string

// The vendors with known rules. Schemas for other vendors are not changed.
const (
	Anthropic Vendor = "anthropic"
	Gemini    Vendor = "gemini"
	OpenAI    Vendor = "openai"
)

const (
	// maxBytes is the size of the largest schema that is adapted. Vendors reject
	// much smaller ones.
	maxBytes = 1 << 20
	// maxNesting is the depth of nested arrays and objects below which values
	// are replaced by empty schemas.
	maxNesting = 128
	// maxGrowth is the number of bytes by which written-out references may
	// enlarge a schema.
	maxGrowth = 16 << 10
	// maxLoose is the number of schemas for values of any type that are written out
	// as alternatives of all types. Further such schemas accept only strings and
	// null.
	maxLoose = 250
	// maxPasses bounds how often a schema is adapted until it no longer changes.
	maxPasses = 4
	// maxChanges bounds the number of reported changes.
	maxChanges = 20
)

// anyArguments is the schema for tools whose own schema cannot be adapted.
var anyArguments = json.RawMessage(`{"type":"object"}`)

// clientChanges are the changes that every client itself makes to a schema before
// it sends the schema to its vendor.
var clientChanges = []string{
	"removed: $schema", "removed: $id", "removed: $defs", "removed: definitions", "removed: additionalProperties",
	"removed: default", "reordered",
}

// ClientsAdapt reports whether clients make all of the changes themselves, so that they
// can use the schema without Adapt. changes is a result of Adapt.
func ClientsAdapt(changes []string) bool {
	return !slices.ContainsFunc(changes, func(change string) bool { return !slices.Contains(clientChanges, change) })
}

// Adapt returns a schema that a vendor accepts, and a list of the changes in words.
// If the vendor accepts the schema as it is, Adapt returns the same bytes and no
// changes. Text that is not valid JSON, or too large, becomes a schema that accepts
// any object. Adapt does not modify the bytes of schema.
func Adapt(v Vendor, schema json.RawMessage) (adapted json.RawMessage, changes []string) {
	found, known := rules[v]
	if !known {
		return schema, nil
	}
	adapted = schema
	for range maxPasses {
		next, notes, same := pass(found, adapted)
		if same {
			return adapted, changes
		}
		adapted = next
		for _, change := range notes {
			if !slices.Contains(changes, change) && len(changes) < maxChanges {
				changes = append(changes, change)
			}
		}
	}
	return anyArguments, append(changes, "too complex: any arguments are accepted")
}

// pass adapts a schema once; same reports that nothing changed.
func pass(v vendorRules, schema json.RawMessage) (next json.RawMessage, changes []string, same bool) {
	if len(schema) > maxBytes || !jsonscan.Valid(schema) {
		return anyArguments, []string{"not a schema of at most 1 MB: any arguments are accepted"}, false
	}
	p := parser{data: schema}
	root, _ := p.value(jsonscan.Space(schema, 0), 0)
	a := &adapter{rules: v, document: root, spare: maxGrowth, loose: maxLoose}
	out := v.root(a, root)
	written := out.append(nil)
	if !p.cut && string(written) == string(root.append(nil)) {
		return schema, nil, true
	}
	if p.cut {
		a.note("nested too deep: cut off")
	}
	if len(a.changes) == 0 {
		a.note("reordered")
	}
	return written, a.changes, false
}

// adapter is the state of one pass over a schema.
type adapter struct {
	rules    vendorRules
	document *value // the root, in which references are resolved
	spare    int    // bytes by which the schema may still grow
	loose    int    // number of values of any type that may still be written out
	changes  []string
}

func (a *adapter) note(change string) {
	if len(a.changes) < maxChanges && !slices.Contains(a.changes, change) {
		a.changes = append(a.changes, change)
	}
}
