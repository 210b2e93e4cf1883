// Package mcpshape answers whether MCP clients accept what a server lists and answers, and
// mends what they refuse. Clients that are made with the official SDKs for TypeScript and
// Python check every list and every result as a whole: one member of the wrong type makes
// them refuse all of it. The shapes here are the stricter ones of both SDKs, and of all
// their versions where these differ.
//
// A member that clients refuse is mended if its meaning is clear, and otherwise left out.
// Everything else stays byte for byte, and what clients accept is returned itself. Whether
// the schema of a tool suits the models of a vendor is for package schemacompat.
package mcpshape

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Kind is what an item is.
type Kind string

// These are the kinds of items that servers list.
const (
	Tool     Kind = "tool"
	Prompt   Kind = "prompt"
	Resource Kind = "resource"
	Template Kind = "resource template"
)

// KindIn returns the kind of the items of a list, by the member of the result that holds the
// list, such as resourceTemplates.
func KindIn(list string) Kind {
	return map[string]Kind{"tools": Tool, "prompts": Prompt, "resources": Resource, "resourceTemplates": Template}[list]
}

// Change is one thing that was mended or left out.
type Change struct {
	// Member is the path of the member, as in arguments[0].required; empty for the whole.
	Member string
	// Text says what was wrong and what clients are shown, without a subject: "is null; left
	// out".
	Text string
}

// String returns a sentence without a full stop.
func (c Change) String() string { return strings.TrimSpace(c.Member + " " + c.Text) }

// maxChanges is how many changes of one item or result are described.
const maxChanges = 20

// maxDepth is the maximum nesting of a member in a list; deeper JSON is refused by the
// parsers of common languages.
const maxDepth = 100

// Item returns an item of a list as clients accept it, which is definition itself if
// nothing has to change. definition is valid JSON. The error says why the item cannot be
// shown at all.
func Item(kind Kind, definition json.RawMessage) (json.RawMessage, []Change, error) {
	var r report
	out, why := item(kind).fit(&r, r.whole(definition))
	if why != "" {
		return nil, nil, errors.New(why)
	}
	return out, r.changes, nil
}

// report collects changes. Each shape adds those below it, with paths that begin at the
// shape's own value, and its caller puts the name of the value before them.
type report struct {
	changes []Change
	of      Of   // whose result it is; empty for items of lists
	modern  bool // the client is of the modern era
}

func (r *report) add(member, text string) {
	if len(r.changes) < maxChanges {
		r.changes = append(r.changes, Change{member, text})
	}
}

// below puts a name before the paths of the changes that were added since there were n.
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

// whole returns a value without white space around it and without halves of characters,
// with which parsers refuse the whole message.
func (r *report) whole(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if whole := wholeCharacters(raw); !same(whole, raw) {
		r.add("", "has half a character (an unpaired surrogate); shown as U+FFFD")
		return whole
	}
	return raw
}

// is describes a value that has the wrong type.
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
