package roster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

func TestSubjectsAreNounsOfTools(t *testing.T) {
	names := []string{"github", "filesystem", "notion"}
	bus := &events.Bus{}
	servers, err := registry.Open(t.Context(), fixedServers{names}, bus)
	if err != nil {
		t.Fatal(err)
	}
	tools := catalogtest.Open(t, bus, map[string][]json.RawMessage{
		"github":     named("create_issue list_issues get_issue search_code get_file_contents create_pull_request"),
		"filesystem": named("read_file write_file list_directory"),
		"notion":     named("create_page get_page query_database"),
	})
	keeper := NewKeeper(servers, inventory.New(servers, tools, nil), func() map[string]int { return nil })
	if got, want := keeper.Now().Subjects, []string{
		"file", "issue", "page", "directory", "code", "database", "pull",
	}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for tool, want := range map[string][]string{
		"getUserStatuses": {"user", "statuse"}, "list_all": nil, "github_search_repositories": {"repository"},
		"browser_take_screenshot": {"browser"}, "x": nil, strings.Repeat("long", 9): nil,
	} {
		if got := nounsOf(tool, []string{"github"}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tool, got, want)
		}
	}
}

// named returns the definitions of tools. tools contains their names, separated by spaces.
func named(tools string) (out []json.RawMessage) {
	for _, name := range strings.Fields(tools) {
		out = append(out, json.RawMessage(`{"name":"`+name+`","inputSchema":{"type":"object"}}`))
	}
	return out
}

// fixedServers is a registry store with approved servers of fixed names.
type fixedServers struct{ names []string }

func (f fixedServers) Servers(context.Context) (out []registry.Server, err error) {
	for i, name := range f.names {
		out = append(out, registry.Server{ID: int64(i + 1), Name: name, Command: "run", Approved: true})
	}
	return out, nil
}
func (fixedServers) InsertServer(context.Context, registry.Server) (int64, error) { return 0, nil }
func (fixedServers) UpdateServer(context.Context, registry.Server) error          { return nil }
func (fixedServers) DeleteServer(context.Context, int64) error                    { return nil }
func (fixedServers) MatchServers(context.Context, string) ([]int64, error)        { return nil, nil }
func (fixedServers) Scrub(context.Context) error                                  { return nil }
func (fixedServers) Compact(context.Context) error                                { return nil }
