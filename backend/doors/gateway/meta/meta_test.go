package meta

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
)

func TestAToolIsAsDangerousAsItsAnnotationsSay(t *testing.T) {
	for hints, want := range map[string]string{
		`{}`: callAny, `{"readOnlyHint":true}`: CallRead, `{"readOnlyHint":false}`: callAny, `{"destructiveHint":false}`: CallWrite,
		`{"readOnlyHint":true,"destructiveHint":true}`: CallRead, `{"readOnlyHint":"true"}`: callAny, `{"destructiveHint":true}`: callAny,
	} {
		tool, _ := catalog.NewTool("s", json.RawMessage(`{"name":"t","annotations":`+hints+`}`))
		if got := callerFor(tool); got != want {
			t.Errorf("%s: %s, want %s", hints, got, want)
		}
	}
}

func TestDefinitionsNameTheRequiredArgumentsInFewTokens(t *testing.T) {
	many := &roster.Roster{
		Servers:  []string{"github", "filesystem", "playwright", "postgres", "notion", "supabase", "slack", "linear", "sentry"},
		Subjects: []string{"issue", "page", "file", "query", "browser", "message", "row", "table"},
	}
	want := map[string]string{
		searchName: "[query]", listToolsName: "[server]", detailsName: "[server tool]", executeName: "[server tool arguments]",
	}
	definitions := Definitions(many)
	for _, definition := range definitions {
		var tool struct {
			Name, Description string
			InputSchema       struct{ Required []string }
		}
		if err := json.Unmarshal(definition, &tool); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(tool.InputSchema.Required); got != cmp.Or(want[tool.Name], "[]") {
			t.Errorf("%s requires %s", tool.Name, got)
		}
		if words := strings.Fields(tool.Description); len(words) < 3 {
			t.Errorf("%s is described as %q", tool.Name, tool.Description)
		}
	}
	list, _ := json.Marshal(map[string]any{"tools": definitions}) // encoding JSON cannot fail
	if n := tokens.Count(string(list)); n >= 600 {
		t.Errorf("the definitions take %d tokens", n)
	}
}
