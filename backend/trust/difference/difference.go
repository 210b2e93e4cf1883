// Package difference describes how two definitions of a tool, prompt or resource differ, in words for a person who
// decides about the later one. It compares texts word by word, with invisible characters made visible; schemas by the
// place of each property; and annotations by their meaning.
package difference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/textdiff"
)

// The kinds of changes.
const (
	Text       = "text"       // a text for models or people; see Change.Parts
	Added      = "added"      // a member that only the later definition has
	Removed    = "removed"    // a member that only the earlier definition has
	Required   = "required"   // an argument has become required or optional
	Type       = "type"       // the allowed type of a value
	Enum       = "enum"       // the allowed values
	Default    = "default"    // the value that is used if none is given
	Annotation = "annotation" // a hint of the server about the effects of a tool
	Other      = "other"
)

// Change is one difference.
type Change struct {
	Field  string          `json:"field" doc:"JSON pointer to the member that has changed."`
	Kind   string          `json:"kind" enum:"text,added,removed,required,type,enum,default,annotation,other"`
	Before string          `json:"before,omitempty" doc:"The value before the change: a text as it is, any other value as JSON. Invisible characters are shown as U+XXXX."`
	After  string          `json:"after,omitempty"`
	Parts  []textdiff.Part `json:"parts,omitempty" doc:"For a change of a text, the parts of the text, each unchanged, removed or added. Invisible characters are shown as U+XXXX."`
	Words  string          `json:"words" doc:"The change as a sentence."`
}

// Of returns the changes from a definition to a later one. Changes of the members that people
// look at first come first. An empty before or after means that there is no such definition.
// Both definitions may come from a hostile server.
func Of(before, after json.RawMessage) []Change {
	c := comparison{changes: []Change{}}
	a, b := decode(before), decode(after)
	if len(before) == 0 {
		a = map[string]any{}
	}
	if len(after) == 0 {
		b = map[string]any{}
	}
	old, isObject := a.(map[string]any)
	now, alsoObject := b.(map[string]any)
	if !isObject || !alsoObject {
		c.value("", a, b)
		return c.changes
	}
	_, isTool := now["inputSchema"]
	for _, name := range namesOf(old, now) {
		was, had := old[name]
		is, has := now[name]
		at := "/" + escape(name)
		switch {
		case name == "annotations" && had && has && isTool:
			c.annotations(at, was, is)
		case had && has && (name == "inputSchema" || name == "outputSchema"):
			c.schema(at, was, is)
		default:
			c.member(at, was, had, is, has)
		}
	}
	return c.changes
}

func decode(raw json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	return value
}

// first lists the members that come first in a result, because people look at them first.
var first = []string{"name", "uri", "uriTemplate", "title", "description", "annotations", "inputSchema", "arguments"}

// namesOf returns the names of the members that one of the objects or both have, the most
// important first.
func namesOf(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	names := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(names, func(x, y string) int {
		return rank(x) - rank(y)
	})
	return names
}

func rank(name string) int {
	if i := slices.Index(first, name); i >= 0 {
		return i
	}
	return len(first)
}

// escape returns a name as a part of a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

type comparison struct{ changes []Change }

// maxChanges limits the changes in a result. If there are more, an additional change at the end
// says so.
const maxChanges = 500

func (c *comparison) add(change Change) {
	switch {
	case len(c.changes) < maxChanges:
		c.changes = append(c.changes, change)
	case len(c.changes) == maxChanges:
		c.changes = append(c.changes, Change{Kind: Other, Words: fmt.Sprintf("there are more than %d changes", maxChanges)})
	}
}

// member compares a member of two objects. One of the objects may lack it.
func (c *comparison) member(at string, was any, had bool, is any, has bool) {
	switch {
	case had && has:
		c.value(at, was, is)
	case has:
		c.add(Change{Field: at, Kind: Added, After: shown(is), Words: at + " is new"})
	case had:
		c.add(Change{Field: at, Kind: Removed, Before: shown(was), Words: at + " is gone"})
	}
}

// value compares two values of any type.
func (c *comparison) value(at string, was, is any) {
	old, isObject := was.(map[string]any)
	now, alsoObject := is.(map[string]any)
	if isObject && alsoObject {
		for _, name := range namesOf(old, now) {
			before, had := old[name]
			after, has := now[name]
			c.member(at+"/"+escape(name), before, had, after, has)
		}
		return
	}
	a, isList := was.([]any)
	b, alsoList := is.([]any)
	if isList && alsoList && len(a) == len(b) {
		for i := range a {
			c.value(fmt.Sprintf("%s/%d", at, i), a[i], b[i])
		}
		return
	}
	text, isText := was.(string)
	later, alsoText := is.(string)
	switch {
	case isText && alsoText && text != later:
		c.text(at, text, later)
	case !reflect.DeepEqual(was, is):
		c.add(Change{Field: at, Kind: Other, Before: shown(was), After: shown(is), Words: cmp.Or(at, "the text") + " is another value"})
	}
}

func (c *comparison) text(at, was, is string) {
	parts := textdiff.Words(was, is)
	for i := range parts {
		parts[i].Text = Visible(parts[i].Text)
	}
	c.add(Change{
		Field: at, Kind: Text, Before: Visible(was), After: Visible(is), Parts: parts, Words: cmp.Or(at, "the text") + " reads otherwise",
	})
}

// hints are the annotations of a tool, with their meaning if they are true and if they are
// false, and their default value (MCP 2025-06-18, ToolAnnotations).
var hints = map[string]struct {
	yes, no string
	byHand  bool
}{
	"readOnlyHint":    {"read-only", "able to change things", false},
	"destructiveHint": {"able to destroy things", "unable to destroy things", true},
	"idempotentHint":  {"harmless to repeat", "not harmless to repeat", false},
	"openWorldHint":   {"in contact with the outside world", "without contact with the outside world", true},
}

func (c *comparison) annotations(at string, was, is any) {
	old, isObject := was.(map[string]any)
	now, alsoObject := is.(map[string]any)
	if !isObject || !alsoObject {
		c.value(at, was, is)
		return
	}
	for _, name := range namesOf(old, now) {
		hint, known := hints[name]
		before, had := old[name]
		after, has := now[name]
		if !known {
			c.member(at+"/"+escape(name), before, had, after, has)
			continue
		}
		a, b := truth(before, hint.byHand), truth(after, hint.byHand)
		if a == b && had == has {
			continue
		}
		said := map[bool]string{true: hint.yes, false: hint.no}
		words := "was " + said[a] + ", is " + said[b]
		if a == b {
			words = "says now that it is " + said[b]
			if !has {
				words = "does not say any more that it is " + said[a]
			}
		}
		c.add(Change{Field: at + "/" + name, Kind: Annotation, Before: shownIf(before, had), After: shownIf(after, has), Words: words})
	}
}

func truth(value any, otherwise bool) bool {
	if b, ok := value.(bool); ok {
		return b
	}
	return otherwise
}

func shownIf(value any, has bool) string {
	if !has {
		return ""
	}
	return shown(value)
}

// maxShown limits the length of a value, in characters.
const maxShown = 4000

// shown returns a value as JSON for people.
func shown(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // decoded JSON can be encoded
	text := []rune(strings.TrimSuffix(out.String(), "\n"))
	if len(text) > maxShown {
		text = append(text[:maxShown], '…')
	}
	return Visible(string(text))
}
