package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/tokens"
	"github.com/agent-discover/agent-discover/backend/wire"
)

func TestTheToolThatEverySessionPaysForIsSmall(t *testing.T) {
	list, err := encode(map[string]any{"tools": []json.RawMessage{registryTool}})
	if err != nil || !wire.Valid(list) {
		t.Fatal(err)
	}
	if n := tokens.Count(string(list)); n > 500 {
		t.Errorf("the tool list costs %d tokens", n)
	}
	var def struct {
		InputSchema struct {
			Properties map[string]struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(registryTool, &def); err != nil {
		t.Fatal(err)
	}
	offered := def.InputSchema.Properties["action"].Enum
	if len(offered) != len(actions)+1 { // proxy_call has a way of its own
		t.Errorf("offered are %v", offered)
	}
	for _, action := range actions {
		if !strings.Contains(fmt.Sprint(offered), action.name) {
			t.Errorf("%s is not offered", action.name)
		}
	}
}

func TestAListedToolKeepsAllButItsName(t *testing.T) {
	for def, want := range map[string]string{
		`{ "name":"t", "x":9007199254740993, "inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`: `{ "name":"s__t", "x":9007199254740993, "inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`,
		`{"name":"t","inputSchema":{"properties":{}}}`:                                                                `{"name":"s__t","inputSchema":{"properties":{},"type":"object"}}`,
		`{"name":"t"}`: `{"name":"s__t","inputSchema":{"type":"object"}}`,
	} {
		tool, ok := catalog.NewTool("s", json.RawMessage(def))
		if !ok {
			t.Fatal(def)
		}
		if got := string(listed(tool)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestASuggestionLeavesTheResultWhole(t *testing.T) {
	near := []*catalog.Tool{{Server: "s", Name: "read", Description: "Reads. More."}}
	got := string(appendSuggestion(json.RawMessage(`{"isError":true,"content":[ {"type":"x","n":9007199254740993} ],"_meta":{"k":1}}`), "hint", near))
	want := `{"isError":true,"content":[{"type":"x","n":9007199254740993},{"text":"hint","type":"text"}],"_meta":{"k":1},"did_you_mean":[{"call_as":"mcp__s__read","tool":"read","description":"Reads."}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	odd := json.RawMessage(`{"isError":true}`)
	if got := appendSuggestion(odd, "hint", near); string(got) != string(odd) {
		t.Errorf("got %s", got)
	}
}

func TestRequiredArgumentsAreReadFromAnySchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","description":"the a"},"b":{}},"required":["a"]}`: "[{a string the a}] 1",
		`{"properties":{"a":{"type":["null","integer"]}},"required":["a"]}`:                    "[{a null|integer }] 0",
		`{"required":["ghost"]}`:                           "[{ghost any }] 0",
		`{"properties":{"a":true,"b":7},"required":["a"]}`: "[{a any }] 1",
		`"odd"`: "[] 0",
		`{}`:    "[] 0",
	} {
		tool, _ := catalog.NewTool("s", json.RawMessage(`{"name":"t","inputSchema":`+schema+`}`))
		required, optional := arguable(tool)
		if got := fmt.Sprint(required, optional); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
