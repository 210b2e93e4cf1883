package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestChangesOfToolsAreAnnouncedKeptAndMeasured(t *testing.T) {
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, cleanChanges)})
	s.play(
		step{name: "add", method: "POST", path: "/api/servers", body: s.server("sky"), status: 201, keep: "id"},
		step{
			name: "list", method: "POST", path: "/api/servers/{id}/refresh", status: 200,
			events: []string{`tools "server":"sky","changes":[{"tool":"`, `tools "summary":{"added":17,"updated":0,"removed":0,"unchanged":0},"timestamp":"`},
		},
		step{
			name: "a tool more", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"grow","args":{"name":"cloud","text":"A cloud"}}`, status: 200,
			events: []string{`tools {"tool":"cloud","change":"added","currentHash":"`},
		},
		step{name: "history", method: "GET", path: "/api/discovery/history?server=sky&tool=cloud", status: 200, want: []string{`{"changes":[{"tool":"cloud","change":"added","currentHash":"`, `"version":1`}},
		step{name: "history of nothing", method: "GET", path: "/api/discovery/history?server=sky&tool=none", status: 200, want: []string{`{"changes":[]}`}},
		step{name: "measured", method: "GET", path: "/api/discovery", status: 200, want: []string{`"tools":18`, `"hits":`, `"servers":[{"server":"sky","at":"`, `"failed":0`}},
		step{name: "list all", method: "POST", path: "/api/discovery", status: 200, want: []string{`"server":"sky"`, `"tools":18`}},
		step{name: "list one", method: "POST", path: "/api/discovery?server=sky", status: 200, want: []string{`"tools":18`}},
		step{name: "list none", method: "POST", path: "/api/discovery?server=none", status: 404},
		step{name: "remove", method: "DELETE", path: "/api/servers/{id}", status: 200, events: []string{`tools "removed":18`}},
	)
}

func TestToolsAreListedAgainOnDemandAndWhenTheListIsOutdated(t *testing.T) {
	const settings = "port: 0\nlimits: {refresh_tools: 0s}\ntrust: {changes: clean}\n"
	folder := newDataFolder(t, settings)
	h, _ := runHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-silent")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "sky", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	a := introduced(t, h, companion.Entry{Surface: "meta"}, "{}")
	tools := func() string {
		return a.exchange("tools/call", "{"+calling("list_tools", `{"server":"sky"}`)+"}")
	}
	grow := func(name string) {
		t.Helper()
		a.exchange("tools/call", "{"+calling("call_tool", `{"call_as":"mcp__sky__grow","arguments":{"name":"`+name+`","text":"New"}}`)+"}")
		if strings.Contains(tools(), name) {
			t.Fatalf("%s is listed before anybody has asked the server", name)
		}
	}
	grow("cloud")
	a.exchange("tools/call", "{"+calling("refresh_cache", "{}")+"}")
	if got := tools(); !strings.Contains(got, "cloud") {
		t.Errorf("after refresh_cache: %s", got)
	}
	grow("rain")
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	if got := tools(); !strings.Contains(got, "rain") {
		t.Errorf("after a refresh through REST: %s", got)
	}
	grow("snow")
	writeSettings(t, folder, settings+"discovery: {cache: {enabled: false}}\n")
	do(t, h, "POST", "/api/config/reload", nil, nil)
	if got := tools(); !strings.Contains(got, "snow") {
		t.Errorf("without the cache: %s", got)
	}
}
