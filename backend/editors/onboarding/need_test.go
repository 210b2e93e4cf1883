package onboarding

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

func TestANeedIsTheBeginningOfTheShortestDescription(t *testing.T) {
	for _, row := range []struct {
		what         string
		descriptions []string
		want         string
	}{
		{"one tool", []string{"Return the weather forecast for a city in Europe"}, "return the weather forecast for a"},
		{"the shortest", []string{"Delete a file or a folder", "Read a file."}, "read a file"},
		{"too short to be a need", []string{"Echo text"}, "my tool 0"},
		{"none", []string{""}, "my tool 0"},
		{"only the first line", []string{"Read a file\nand more of it"}, "read a file"},
		{"characters of a shell", []string{"Run `rm` $(now) \"please\"; ok"}, "run rm now please ok"},
		{"hidden characters", []string{"Read\u200b a file"}, "read a file"},
	} {
		var tools []*catalog.Tool
		for i, text := range row.descriptions {
			tools = append(tools, &catalog.Tool{Name: "my_tool-" + string(rune('0'+i)), Description: text})
		}
		if got := needOf(tools); got != row.want {
			t.Errorf("%s: got %q, want %q", row.what, got, row.want)
		}
	}
}

func TestANeedForADeletionIsProposedOnlyIfThereIsNoOther(t *testing.T) {
	tool := func(name, description string) string {
		return `{"name":"` + name + `","description":"` + description + `"}`
	}
	tools := catalogtest.Open(t, &events.Bus{}, map[string][]json.RawMessage{
		"files": catalogtest.Definitions(tool("delete_file", "Delete a file"), tool("write_file", "Write a text to a file")),
		"clock": catalogtest.Definitions(tool("read_clock", "Read the time of a city")),
		"trash": catalogtest.Definitions(tool("delete_all", "Delete all files now")),
	})
	g := New(Options{
		Tools: tools,
		Find:  func(context.Context, string) *search.Hit { return &search.Hit{Tool: &catalog.Tool{Name: "found"}} },
		Danger: func(t *catalog.Tool) int {
			verb, _, _ := strings.Cut(t.Name, "_")
			return map[string]int{"read": 0, "write": 1, "delete": 2}[verb]
		},
	})
	for _, row := range []struct {
		servers []string
		want    string
	}{
		{[]string{"trash", "files", "clock"}, "read the time of a city"},
		{[]string{"trash", "files"}, "write a text to a file"},
		{[]string{"trash"}, "delete all files now"},
	} {
		var ready []SetupStart
		for _, name := range row.servers {
			ready = append(ready, SetupStart{Name: name, State: Ready})
		}
		if got := g.try(t.Context(), ready); got == nil || got.Need != row.want {
			t.Errorf("%v: got %+v, want the need %q", row.servers, got, row.want)
		}
	}
}
