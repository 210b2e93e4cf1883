package gateway

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestSuggestionsKeepTheRestOfTheResult(t *testing.T) {
	got := string(appendText(json.RawMessage(`{"isError":true,"content":[ {"type":"x","n":9007199254740993} ],"_meta":{"k":1}}`), "hint"))
	want := `{"isError":true,"content":[{"type":"x","n":9007199254740993},{"text":"hint","type":"text"}],"_meta":{"k":1}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	odd := json.RawMessage(`{"isError":true}`)
	if got := appendText(odd, "hint"); string(got) != string(odd) {
		t.Errorf("got %s", got)
	}
}

func TestOnlyUnknownToolsAndWrongArgumentsLeadToSuggestions(t *testing.T) {
	for text, want := range map[string]bool{
		"Unknown tool: red_file": true, "Tool git_stats not found": true, "MCP error -32602: Invalid arguments for tool x": true,
		"1 validation error for call\npath\n  Field required": true, "Missing required parameter: path": true,
		"'path' is a required property": true, "Input validation error: 'path' is a required property": true,
		"Access denied - path outside allowed directories": false, "Invalid argument: permission denied": false, "403 Forbidden": false,
		"fatal: not a git repository": false, "file not found": false, "rate limit exceeded": false, "boom": false, "": false,
	} {
		result, _ := answer.Error(text)
		if got := wrongUse(result); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for code, want := range map[int64]bool{
		jsonrpc.CodeInvalidParams: true, jsonrpc.CodeMethodNotFound: true, jsonrpc.CodeInternalError: false, -32000: false,
	} {
		if got := misdirected(jsonrpc.NewError(code, "Access denied")); got != want {
			t.Errorf("code %d: got %v", code, got)
		}
	}
}
