package arguments

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestTheErrorNamesTheFieldOfTheWrongType(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":7}`:        "name must be of type string, not number",
		`{"intents":{}}`:    "intents must be of type array, not object",
		`"find_tool"`:       "arguments must be a JSON object",
		``:                  "arguments must be a JSON object",
		`{"inputs":{}}`:     "",
		`{"limit":"5"}`:     "",
		`{"intents":"one"}`: "intents must be of type array, not string",
	} {
		var args Arguments
		got := ""
		if err := Read(json.RawMessage(raw), &args); err != nil {
			got = fault.MessageOf(err)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func TestAnInputIsOneValueOrMany(t *testing.T) {
	var args Arguments
	if err := Read(json.RawMessage(`{"inputs":{"one":"a","many":["b","c"],"number":7}}`), &args); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(args.Inputs), "map[many:[b c] number:[7] one:[a]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInnerArgumentsAreAnObject(t *testing.T) {
	for raw, want := range map[string]string{``: `{}`, `null`: `{}`, `{"a":1}`: `{"a":1}`, `"x"`: ``, `[]`: ``} {
		var given json.RawMessage
		if raw != "" {
			given = json.RawMessage(raw)
		}
		got, err := Inner(given)
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
}
