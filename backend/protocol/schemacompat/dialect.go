// Package dialect answers which JSON schemas a model's vendor takes for the
// arguments of a tool, and turns one that it refuses into the nearest that it
// takes. It changes what a client is shown, never what is called.
//
// What a schema says and a vendor refuses goes into the description as words,
// so that a model still reads it. Arguments that fit a schema fit the adapted
// one too, which may allow more; of alternatives that is so for properties that
// each of them names. References that run in a circle end in any value of their
// type.
package schemacompat

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Dialect is what a vendor's models take.
type Dialect string

// The dialects. The empty one takes anything.
const (
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
	OpenAI    Dialect = "openai"
)

const (
	// maxBytes is the size up to which a schema is looked into; a vendor refuses
	// far smaller ones.
	maxBytes = 1 << 20
	// maxNesting is how deep arrays and objects may be nested; what is deeper
	// counts as a schema that takes anything.
	maxNesting = 128
	// maxGrowth is by how many bytes references may make a schema longer.
	maxGrowth = 16 << 10
	// maxLoose is how many values of any type are written out; it takes much.
	maxLoose = 250
	// maxPasses is how often a schema is looked at until nothing changes.
	maxPasses = 4
	// maxChanges is how many kinds of changes are told.
	maxChanges = 20
)

// anyArguments is the schema of what cannot be told.
var anyArguments = json.RawMessage(`{"type":"object"}`)

// Adapt returns a schema that a dialect takes, and what was changed in words; a
// schema that it takes as it is comes back unchanged, the very same bytes. What
// is no schema of an object's properties, or too large for one, becomes one of
// any object. The schema stays the caller's, and so does the result.
func Adapt(d Dialect, schema json.RawMessage) (adapted json.RawMessage, changes []string) {
	way, known := ways[d]
	if !known {
		return schema, nil
	}
	adapted = schema
	for range maxPasses {
		next, said, same := pass(way, adapted)
		if same {
			return adapted, changes
		}
		adapted = next
		for _, change := range said {
			if !slices.Contains(changes, change) && len(changes) < maxChanges {
				changes = append(changes, change)
			}
		}
	}
	return anyArguments, append(changes, "too entangled: any arguments are taken")
}

// pass adapts a schema once; same when nothing is to be changed.
func pass(w way, schema json.RawMessage) (next json.RawMessage, changes []string, same bool) {
	if len(schema) > maxBytes || !jsonscan.Valid(schema) {
		return anyArguments, []string{"not a schema of at most 1 MB: any arguments are taken"}, false
	}
	root, cut := parse(schema)
	a := &adapter{way: w, document: root, spare: maxGrowth, loose: maxLoose}
	out := w.root(a, root)
	written := out.append(nil)
	if !cut && string(written) == string(root.append(nil)) {
		return schema, nil, true
	}
	if cut {
		a.note("nested too deep: cut there")
	}
	if len(a.changes) == 0 {
		a.note("put in order")
	}
	return written, a.changes, false
}

// adapter is one pass over one schema.
type adapter struct {
	way      way
	document *value // in which references are looked up
	spare    int    // bytes by which the schema may still grow
	loose    int    // values of any type that may still be written out
	changes  []string
}

func (a *adapter) note(change string) {
	if len(a.changes) < maxChanges && !slices.Contains(a.changes, change) {
		a.changes = append(a.changes, change)
	}
}
