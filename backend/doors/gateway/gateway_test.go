package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

func TestListedToolsKeepValidMembersAndGetANewName(t *testing.T) {
	for def, want := range map[string]string{
		`{ "name":"t", "x":9007199254740993, "inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`: `{ "name":"s__t", "x":9007199254740993, "inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`,
		`{"name":"t","inputSchema":{"properties":{}}}`:                                                                `{"name":"s__t","inputSchema":{"properties":{},"type":"object"}}`,
		`{"name":"t"}`: `{"name":"s__t","inputSchema":{"type":"object"}}`,
		`{"name":"t","inputSchema":{"type":"object","properties":{"x":true,"y":false,"z":{"type":"null"}},"required":"x"}}`: `{"name":"s__t","inputSchema":{"type":"object","properties":{"x":{},"y":{"not":{}},"z":{"type":"null"}}}}`,
		`{"name":"t","inputSchema":{"type":["object","null"],"properties":[]}}`:                                             `{"name":"s__t","inputSchema":{"type":"object"}}`,
		`{"name":"t","inputSchema":true,"description":null,"title":7,"annotations":"x"}`:                                    `{"name":"s__t","inputSchema":{"type":"object"}}`,
		`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"},"execution":{"taskSupport":"maybe"}}`:  `{"name":"s__t","inputSchema":{"type":"object"},"execution":{}}`,
		`{"name":"t","inputSchema":{"type":"object","x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) +
			`}}`: `{"name":"s__t","inputSchema":{"type":"object"}}`,
	} {
		tool, ok := catalog.NewTool("s", json.RawMessage(def))
		if !ok {
			t.Fatal(def)
		}
		if got := string(listed(tool, tool.Proxied())); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// fixedServers is a registry store with fixed servers.
type fixedServers struct{ list []registry.Server }

func (n fixedServers) Servers(context.Context) ([]registry.Server, error)         { return n.list, nil }
func (fixedServers) InsertServer(context.Context, registry.Server) (int64, error) { return 0, nil }
func (fixedServers) UpdateServer(context.Context, registry.Server) error          { return nil }
func (fixedServers) DeleteServer(context.Context, int64) error                    { return nil }
func (fixedServers) MatchServers(context.Context, string) ([]int64, error)        { return nil, nil }
func (fixedServers) Scrub(context.Context) error                                  { return nil }
func (fixedServers) Compact(context.Context) error                                { return nil }

type usage map[string]int

func (u usage) Usage() map[string]int { return u }

func TestInstructionsNameTheMostUsedServersThatAreApproved(t *testing.T) {
	names := strings.Fields("github gitlab jira confluence slack notion linear sentry postgres filesystem memory playwright kubernetes " +
		"grafana stripe")
	var servers []registry.Server
	for i, name := range names {
		servers = append(servers, registry.Server{ID: int64(i + 1), Name: name, Command: "run", Approved: name != "stripe"})
	}
	reg, err := registry.Open(t.Context(), fixedServers{servers}, &events.Bus{})
	if err != nil {
		t.Fatal(err)
	}
	g := New(Options{
		Registry: reg, Usage: usage{"postgres": 9, "slack": 5, "stripe": 99}, Catalog: catalogtest.Open(t, &events.Bus{}, nil),
		Bus: &events.Bus{},
	})
	for _, surface := range []string{surfaces.Registry, surfaces.Meta} {
		text := newSession(g, Opening{Surface: surface}).surface.(*allServers).own.Instructions()
		if !strings.HasPrefix(text, "Tools of postgres, slack, ") || !strings.Contains(text, " more: ") ||
			strings.Contains(text, "stripe") {
			t.Errorf("got %s", text)
		}
	}
}
