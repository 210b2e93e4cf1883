package difference_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/textdiff"
	"github.com/agent-discover/agent-discover/backend/trust/difference"
)

// told returns a line for each change: the field, the kind, the change in words and, after
// a bar, the parts of a changed text. Removed parts are in [-…-] and added ones in {+…+}.
func told(changes []difference.Change) string {
	var out strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&out, "%s %s: %s", c.Field, c.Kind, c.Words)
		for i, p := range c.Parts {
			if i == 0 {
				out.WriteString(" | ")
			}
			switch p.Kind {
			case textdiff.Add:
				out.WriteString("{+" + p.Text + "+}")
			case textdiff.Remove:
				out.WriteString("[-" + p.Text + "-]")
			default:
				out.WriteString(p.Text)
			}
		}
		out.WriteString("\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func TestDefinitionsAreComparedInWords(t *testing.T) {
	for name, row := range map[string]struct{ before, after, want string }{
		"the same in another order": {`{"name":"a","description":"b"}`, `{"description":"b","name":"a"}`, ""},
		"a word": {
			`{"description":"Reads a file"}`, `{"description":"Reads every file"}`,
			"/description text: /description reads otherwise | Reads [-a-]{+every+} file",
		},
		"a character that nobody sees": {
			`{"description":"Reads a file"}`, "{\"description\":\"Reads a\u200b file\"}",
			"/description text: /description reads otherwise | Reads a{+⟨U+200B⟩+} file",
		},
		"spaces": {
			`{"description":"a b"}`, `{"description":"a  b"}`, "/description text: /description reads otherwise | a[- -]{+  +}b",
		},
		"an argument": {
			`{"inputSchema":{"properties":{}}}`, `{"inputSchema":{"properties":{"a/b":{"type":"string"}}}}`,
			`/inputSchema/properties/a~1b added: there is a new "a/b"`,
		},
		"one less": {
			`{"inputSchema":{"properties":{"x":{}}}}`, `{"inputSchema":{"properties":{}}}`,
			`/inputSchema/properties/x removed: "x" is gone`,
		},
		"required": {
			`{"inputSchema":{"required":["x"]}}`, `{"inputSchema":{"required":["y"]}}`,
			"/inputSchema/required required: \"y\" is required now\n/inputSchema/required required: \"x\" is not required any more",
		},
		"a type": {
			`{"inputSchema":{"properties":{"x":{"type":"string"}}}}`, `{"inputSchema":{"properties":{"x":{"type":"number"}}}}`,
			`/inputSchema/properties/x/type type: type was "string", is "number"`,
		},
		"other values": {
			`{"inputSchema":{"properties":{"x":{"enum":["a"]}}}}`, `{"inputSchema":{"properties":{"x":{"enum":["a","b"]}}}}`,
			`/inputSchema/properties/x/enum enum: enum was ["a"], is ["a","b"]`,
		},
		"a default": {
			`{"inputSchema":{"properties":{"x":{}}}}`, `{"inputSchema":{"properties":{"x":{"default":1}}}}`,
			`/inputSchema/properties/x/default default: default is 1 now`,
		},
		"a nested text": {
			`{"inputSchema":{"properties":{"x":{"items":{"description":"a"}}}}}`,
			`{"inputSchema":{"properties":{"x":{"items":{"description":"b"}}}}}`,
			`/inputSchema/properties/x/items/description text: /inputSchema/properties/x/items/description reads otherwise | [-a-]{+b+}`,
		},
		"an annotation": {
			`{"inputSchema":{},"annotations":{"readOnlyHint":true}}`, `{"inputSchema":{},"annotations":{"readOnlyHint":false}}`,
			`/annotations/readOnlyHint annotation: was read-only, is able to change things`,
		},
		"one that went": {
			`{"inputSchema":{},"annotations":{"destructiveHint":false}}`, `{"inputSchema":{},"annotations":{}}`,
			`/annotations/destructiveHint annotation: was unable to destroy things, is able to destroy things`,
		},
		"said by itself": {
			`{"inputSchema":{},"annotations":{}}`, `{"inputSchema":{},"annotations":{"destructiveHint":true}}`,
			`/annotations/destructiveHint annotation: says now that it is able to destroy things`,
		},
		"instructions": {`"Be kind."`, `"Be quick."`, " text: the text reads otherwise | Be [-kind-]{+quick+}."},
		"all of it":    {``, `{"name":"a"}`, "/name added: /name is new"},
		"not JSON":     {`{`, `{"name":"a"}`, " other: the text is another value"},
	} {
		if got := told(difference.Of(json.RawMessage(row.before), json.RawMessage(row.after))); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

func FuzzAnyDefinitionsCanBeCompared(f *testing.F) {
	f.Add(`{"name":"a","inputSchema":{"required":"x","properties":[1]}}`, `{"name":1,"inputSchema":{"properties":{"x":true}}}`)
	f.Add(`[`, "{\"a\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, before, after string) {
		changes := difference.Of(json.RawMessage(before), json.RawMessage(after))
		if _, err := json.Marshal(changes); err != nil {
			t.Error(err)
		}
		if before == after && before != "" && len(changes) > 0 {
			t.Errorf("%q differs from itself: %+v", before, changes)
		}
	})
}
