package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestOverwriteSetsLikeSet(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, raw := range []string{
		`{"name":"server__tool","arguments":{"a":1}}`, `{ "name" : "server__tool" , "arguments":{}}`,
		`{"arguments":{"name":"no"},"name":"server__tool"}`, `{"name":"t"}`, `{"name":"tool"}`, `{}`, `null`, ``,
		`{"name":"a","name":"server__tool","b":2}`, `{"arguments":"` + long + `","name":"server__tool"}`,
	} {
		want := string(jsonrpc.Set(json.RawMessage(raw), "name", json.RawMessage(`"tool"`)))
		if got := string(jsonrpc.Overwrite(json.RawMessage(raw), "name", json.RawMessage(`"tool"`))); got != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}

func TestOverwriteCopiesNoLongObject(t *testing.T) {
	raw := []byte(`{"name":"server__tool","arguments":"` + strings.Repeat("x", 1<<20) + `"}`)
	value := json.RawMessage(`"tool"`)
	if got := jsonrpc.Overwrite(raw, "name", value); &got[len(got)-1] != &raw[len(raw)-1] {
		t.Error("the object was copied")
	}
}
