package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestPausedHubStartsNoServer(t *testing.T) {
	const paused = `{"error":"all servers are paused by the user; resume them from the tray or with: agent-discover resume","code":`
	folder := paths.Folder(t.TempDir())
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "add a server", method: "POST", path: "/api/servers", body: s.server("on"), status: 201},
		step{name: "activate", method: "POST", path: "/api/servers/1/activate", status: 200, events: []string{`state "running":true`}},
		step{name: "add another server", method: "POST", path: "/api/servers", body: strings.TrimSuffix(s.server("off"), "}") + `,"start":false}`, status: 201},
		step{name: "status before the pause", method: "GET", path: "/api/status", status: 200, never: []string{"paused"}},
		step{name: "pause", method: "POST", path: "/api/pause", status: 200, want: []string{`{"paused":true}`}, events: []string{`state "running":false`}},
		step{name: "pause again", method: "POST", path: "/api/pause", status: 200, want: []string{`{"paused":true}`}},
		step{name: "status during the pause", method: "GET", path: "/api/status", status: 200, want: []string{`"paused":true`, `"active_count":1`, `"echo"`}},
		step{name: "call", method: "POST", path: "/api/servers/1/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 403, want: []string{paused}, events: []string{`log_entry "outcome":"refused"`}},
		step{name: "resources", method: "GET", path: "/api/servers/1/resources", status: 403, want: []string{paused}},
		step{name: "refresh", method: "POST", path: "/api/servers/1/refresh", status: 403, want: []string{paused}},
		step{name: "activation", method: "POST", path: "/api/servers/2/activate", status: 403, want: []string{paused}},
		step{name: "health check", method: "POST", path: "/api/servers/1/health", status: 403, want: []string{paused}},
		step{name: "health check of all", method: "POST", path: "/api/health", status: 403, want: []string{paused}},
		step{name: "transient server", method: "POST", path: "/api/transient", body: s.server("x"), status: 403, want: []string{paused}},
		step{name: "error count", method: "GET", path: "/api/servers/2", status: 200, want: []string{`"error_count":0`, `"active":false`}},
		step{name: "keep the server running", method: "PUT", path: "/api/servers/1", body: `{"keep_running":true}`, status: 200},
	)
	call := `{"action":"proxy_call","server":"on","tool":"echo","arguments":{"text":"x"}}`
	if got := registryCall(t, s.hub, call); !strings.Contains(got, "paused by the user") {
		t.Errorf("a call of an agent returned %s", got)
	}
	if got := registryCall(t, s.hub, `{"action":"find_tool","query":"give back the text"}`); !strings.Contains(got, "mcp__on__echo") {
		t.Errorf("find_tool returned %s", got)
	}
	s.hub.Stop()
	again := restart(t, s, folder)
	again.play(
		step{name: "status after a restart", method: "GET", path: "/api/status", status: 200, want: []string{`"paused":true`}},
		step{name: "call", method: "POST", path: "/api/servers/1/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 403, want: []string{paused}},
		step{name: "resume", method: "POST", path: "/api/resume", status: 200, want: []string{`{"paused":false}`}, events: []string{`state "running":true`}},
		step{name: "call of an inactive server", method: "POST", path: "/api/servers/2/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 400},
		step{name: "activation after the pause", method: "POST", path: "/api/servers/2/activate", status: 200},
	)
	if instance.Paused(folder) {
		t.Error("the pause setting is still stored")
	}
}

// restart waits until a hub that was asked to stop has ended, and starts another one
// with the same data folder.
func restart(t *testing.T, before *scenario, folder paths.Folder) *scenario {
	t.Helper()
	if err := <-before.ended; err != nil {
		t.Fatal(err)
	}
	return newScenario(t, hub.Options{Folder: folder})
}
