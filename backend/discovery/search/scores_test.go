package search

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestScoresAreInTheOrderOfTheTools(t *testing.T) {
	var tools []*catalog.Tool
	for _, definition := range []string{
		`{"name":"weather","description":"The weather of a city"}`, `{"name":"create_issue","description":"Create an issue"}`,
		`{"name":"notes","description":"Notes about an issue and more"}`,
	} {
		tool, ok := catalog.NewTool("s", json.RawMessage(definition))
		if !ok {
			t.Fatal(definition)
		}
		tools = append(tools, tool)
	}
	got := Scores("create issue", tools)
	if len(got) != 3 || got[0] != 0 || got[1] <= got[2] || got[2] <= 0 || got[1] > 1 {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"", "🙂"} {
		if got := Scores(text, tools); got[0]+got[1]+got[2] != 0 {
			t.Errorf("%q: got %v", text, got)
		}
	}
	if got := Scores("x", nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
