// Package mcpshape checks whether MCP clients accept the lists and results of a server, and
// corrects those that clients refuse. Clients that are made with the official SDKs for
// TypeScript and Python check every list and every result as a whole: one member of the
// wrong type makes them refuse all of it. If the two SDKs or their versions differ, the
// shapes in this package follow the strictest version.
//
// A member that clients refuse is corrected if its meaning is clear, and otherwise left out.
// All other bytes stay unchanged, and a value that clients accept is returned without a
// copy. Package schemacompat adapts the schemas of tools to the models of a vendor.
package mcpshape

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Kind is the kind of an item in a list of a server.
type Kind string

// The kinds of items that servers list.
const (
	Tool     Kind = "tool"
	Prompt   Kind = "prompt"
	Resource Kind = "resource"
	Template Kind = "resource template"
)

// KindIn returns the kind of the items of a list. list is the name of the member of a result
// that holds the list, such as resourceTemplates.
func KindIn(list string) Kind {
	return map[string]Kind{"tools": Tool, "prompts": Prompt, "resources": Resource, "resourceTemplates": Template}[list]
}

// Change describes a member that was corrected or left out.
type Change struct {
	// Member is the path of the member, as in arguments[0].required; empty for the whole
	// item or result.
	Member string
	// Text says what was wrong and what clients get instead. It follows the member in a
	// sentence: "is null; left out".
	Text string
}

// String returns a sentence without a full stop.
func (c Change) String() string { return strings.TrimSpace(c.Member + " " + c.Text) }

// maxChanges is the largest number of changes in the report of one item or result.
const maxChanges = 20

// maxDepth is the maximum nesting of a member in a list; deeper JSON is refused by the
// parsers of common languages.
const maxDepth = 100

// Item returns the definition of a list item in the form that clients accept. If nothing
// has to change, this is definition itself. definition must be valid JSON. The error says
// why the item cannot be corrected.
func Item(kind Kind, definition json.RawMessage) (json.RawMessage, []Change, error) {
	var r report
	out, why := item(kind).fit(&r, r.whole(definition))
	if why != "" {
		return nil, nil, errors.New(why)
	}
	return out, r.changes, nil
}

// report collects changes. Each shape adds its changes with paths relative to its own
// value; its caller then prefixes these paths with the name of the value.
type report struct {
	changes []Change
	of      Of   // the source of the result; empty for items of lists
	modern  bool // the client uses MCP 2026-07-28 or later
}

func (r *report) add(member, text string) {
	if len(r.changes) < maxChanges {
		r.changes = append(r.changes, Change{member, text})
	}
}

// below prefixes the paths of all changes after the first n with a name.
func (r *report) below(n int, name string) {
	for i := range r.changes[n:] {
		c := &r.changes[n+i]
		switch {
		case c.Member == "" || c.Member[0] == '[':
			c.Member = name + c.Member
		default:
			c.Member = name + "." + c.Member
		}
	}
}

// whole returns raw without surrounding white space, and with U+FFFD in place of
// unpaired surrogates, which would make parsers refuse the whole message.
func (r *report) whole(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if whole := wholeCharacters(raw); !same(whole, raw) {
		r.add("", "has half a character (an unpaired surrogate); shown as U+FFFD")
		return whole
	}
	return raw
}

// is describes a value that has the wrong type, in words that follow its name.
func is(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "is missing"
	}
	switch raw[0] {
	case 'n':
		return "is null"
	case 't', 'f':
		return "is " + string(raw)
	case '"':
		return "is the text " + safetext.Label(safetext.Clip(string(raw), 40))
	case '[':
		return "is a list"
	case '{':
		return "is an object"
	}
	return "is the number " + safetext.Clip(string(raw), 40)
}

func element(at int) string { return "[" + strconv.Itoa(at) + "]" }
