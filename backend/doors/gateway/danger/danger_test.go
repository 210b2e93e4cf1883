package danger

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestNoToolIsSuggestedThatIsMoreDangerous(t *testing.T) {
	tool := func(name, annotations string) *catalog.Tool {
		t.Helper()
		made, ok := catalog.NewTool("s",
			json.RawMessage(`{"name":"`+name+`","inputSchema":{"type":"object"},"annotations":`+annotations+`}`))
		if !ok {
			t.Fatal(name)
		}
		return made
	}
	for _, row := range []struct {
		called, other string
		hints         string // of the other tool
		want          bool
	}{
		{"git_status", "git_add", `{}`, false},
		{"git_status", "git_log", `{}`, true},
		{"git_add", "git_status", `{}`, true},
		{"git_add", "git_reset", `{}`, false},
		{"readFile", "deleteFile", `{"readOnlyHint":true}`, false}, // the name counts, because the annotation may be false
		{"readFile", "file_thing", `{"readOnlyHint":true}`, false},
		{"read_file", "read_media", `{"destructiveHint":true}`, false},
		{"delete_file", "delete_files", `{}`, true},
		{"move_file", "write_file", `{}`, true},
		{"get_and_delete", "get_item", `{}`, true},
	} {
		if got := Most(tool(row.other, row.hints)) <= Least(tool(row.called, `{}`)); got != row.want {
			t.Errorf("%s after %s: got %v", row.other, row.called, got)
		}
	}
}
