package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

const (
	boardTool   = `{"name":"board","description":"Draw the board of open chess games","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://board"},"k":1}}`
	refreshTool = `{"name":"refresh","description":"Refresh the board of open chess games","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}}`
	secretTool  = `{"name":"think","description":"Think about the position","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["model"]}}}`
)

// withViews runs a hub with two always listed servers. Each has a view, and both have tools of the same names.
func withViews(t *testing.T) *hub.Hub {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{})
	for i, name := range []string{"one", "two"} {
		command := mcptest.Command(t, "-only", "-offers", "-definition", boardTool, "-definition", refreshTool, "-definition", secretTool,
			"-result", `{"content":[{"type":"text","text":"from `+name+`"}]}`)
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
		hubtest.Do(t, h, "POST", "/api/servers/"+string(rune('1'+i))+"/activate", nil, nil)
	}
	return h
}

func TestToolsForViewsAreListedButNotForModels(t *testing.T) {
	h := withViews(t)
	a := hubtest.Join(t, h, "agent")
	want := strings.Replace(refreshTool, `"refresh"`, `"one__refresh"`, 1)
	if got := a.Exchange("tools/list", `{}`); !strings.Contains(got, want) ||
		!strings.Contains(got, `"_meta":{"ui":{"resourceUri":"ui://one+board"},"k":1}`) {
		t.Errorf("tools/list: %s", got)
	}
	for arguments, never := range map[string]string{
		`{"action":"find_tool","query":"refresh the board of open chess games","limit":50}`: "refresh",
		`{"action":"find_tool","query":"one__refresh"}`:                                     `__refresh"`,
		`{"action":"get_schema","call_as":"mcp__one__refresh"}`:                             `"found": true`,
		`{"action":"proxy_call","call_as":"mcp__one__refresh"}`:                             "from one",
		`{"action":"proxy_call","server":"one","tool":"refresh"}`:                           "from one",
	} {
		if got := a.Registry(arguments); strings.Contains(strings.ReplaceAll(got, arguments, ""), never) &&
			!strings.Contains(got, "not for models") {
			t.Errorf("%s: %s", arguments, got)
		}
	}
	if got := a.Exchange("tools/call", `{"name":"one__refresh"}`); !strings.Contains(got, "from one") {
		t.Errorf("the client calls a listed tool: %s", got)
	}
}

func TestAViewCallsItsOwnServerByTheServersNames(t *testing.T) {
	h := withViews(t)
	a := hubtest.Join(t, h, "agent")
	const call, unknown = `{"name":"refresh"}`, "Unknown tool: refresh"
	if got := a.Exchange("tools/call", call); !strings.Contains(got, unknown) {
		t.Errorf("before a view was read: %s", got)
	}
	if got := a.Exchange("resources/read", `{"uri":"ui://two+note"}`); !strings.Contains(got, "no such resource: ui://note") {
		t.Fatal(got)
	}
	if got := a.Exchange("tools/call", call); !strings.Contains(got, unknown) {
		t.Errorf("after a view could not be read: %s", got)
	}
	if got := a.Exchange("resources/read", `{"uri":"ui://two+board"}`); !strings.Contains(got, `"uri":"ui://two+board"`) {
		t.Fatal(got)
	}
	if got := a.Exchange("tools/call", call); got != `"result":{"content":[{"type":"text","text":"from two"}]}` {
		t.Errorf("after the view was read: %s", got)
	}
	if got := a.Exchange("tools/call", `{"name":"think"}`); !strings.Contains(got, "Unknown tool: think") {
		t.Errorf("a tool for models only: %s", got)
	}
	if got := hubtest.Join(t, h, "other").Exchange("tools/call", call); !strings.Contains(got, unknown) {
		t.Errorf("another client: %s", got)
	}
	a.Exchange("resources/read", `{"uri":"ui://one+board"}`)
	if got := a.Exchange("tools/call", call); !strings.Contains(got, unknown) {
		t.Errorf("after two views were read: %s", got)
	}
	if got := a.Exchange("resources/read", `{"uri":"ui://board"}`); !strings.Contains(got, "several servers have it") {
		t.Errorf("a view that is in no list of resources: %s", got)
	}
}

func TestMCPAppsAreDeclaredToClientsThatDeclareThem(t *testing.T) {
	h := withViews(t)
	const apps = `"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}`
	initialize := `{"protocolVersion":"2025-11-25","capabilities":{%},"clientInfo":{"name":"agent","version":"1"}}`
	discover := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{%}}}`
	for method, params := range map[string]string{"initialize": initialize, "server/discover": discover} {
		for entry, want := range map[companion.Entry]bool{{}: true, hubtest.Server("one"): false} {
			got := hubtest.ArriveBy(t, h, entry).Exchange(method, strings.Replace(params, "%", apps, 1))
			if strings.Contains(got, apps) != want {
				t.Errorf("%s of %+v: %s", method, entry, got)
			}
		}
		if got := hubtest.Arrive(t, h).Exchange(method, strings.Replace(params, "%", "", 1)); strings.Contains(got, "extensions") {
			t.Errorf("%s without MCP Apps: %s", method, got)
		}
	}
}
