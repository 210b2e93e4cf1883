package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestAPausedHubStartsNothing(t *testing.T) {
	const clear = `{"error":"all servers are paused by the user; resume them from the tray or with: agent-discover resume","code":`
	folder := paths.Folder(t.TempDir())
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "one that runs", method: "POST", path: "/api/servers", body: s.server("on"), status: 201},
		step{name: "active", method: "POST", path: "/api/servers/1/activate", status: 200, events: []string{`state "running":true`}},
		step{name: "one that does not", method: "POST", path: "/api/servers", body: s.server("off"), status: 201},
		step{name: "not paused", method: "GET", path: "/api/status", status: 200, never: []string{"paused"}},
		step{name: "paused", method: "POST", path: "/api/pause", status: 200, want: []string{`{"paused":true}`}, events: []string{`state "running":false`}},
		step{name: "twice", method: "POST", path: "/api/pause", status: 200, want: []string{`{"paused":true}`}},
		step{name: "shown", method: "GET", path: "/api/status", status: 200, want: []string{`"paused":true`, `"active_count":1`, `"echo"`}},
		step{name: "no call", method: "POST", path: "/api/servers/1/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 403, want: []string{clear}, events: []string{`log_entry "outcome":"refused"`}},
		step{name: "no question", method: "GET", path: "/api/servers/1/resources", status: 403, want: []string{clear}},
		step{name: "no refresh", method: "POST", path: "/api/servers/1/refresh", status: 403, want: []string{clear}},
		step{name: "no activation", method: "POST", path: "/api/servers/2/activate", status: 403, want: []string{clear}},
		step{name: "no check", method: "POST", path: "/api/servers/1/health", status: 403, want: []string{clear}},
		step{name: "no check of all", method: "POST", path: "/api/health", status: 403, want: []string{clear}},
		step{name: "no transient server", method: "POST", path: "/api/transient", body: s.server("x"), status: 403, want: []string{clear}},
		step{name: "nothing is counted as an error", method: "GET", path: "/api/servers/2", status: 200, want: []string{`"error_count":0`, `"active":false`}},
		step{name: "kept running later", method: "PUT", path: "/api/servers/1", body: `{"keep_running":true}`, status: 200},
	)
	call := `{"action":"proxy_call","server":"on","tool":"echo","arguments":{"text":"x"}}`
	if got := registryCall(t, s.hub, call); !strings.Contains(got, "paused by the user") {
		t.Errorf("an agent is told %s", got)
	}
	if got := registryCall(t, s.hub, `{"action":"find_tool","query":"give back the text"}`); !strings.Contains(got, "mcp__on__echo") {
		t.Errorf("an agent finds %s", got)
	}
	s.hub.Stop()
	again := waitAndRun(t, s, folder)
	again.play(
		step{name: "after a restart", method: "GET", path: "/api/status", status: 200, want: []string{`"paused":true`}},
		step{name: "no call", method: "POST", path: "/api/servers/1/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 403, want: []string{clear}},
		step{name: "resumed", method: "POST", path: "/api/resume", status: 200, want: []string{`{"paused":false}`}, events: []string{`state "running":true`}},
		step{name: "a call", method: "POST", path: "/api/servers/2/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 400},
		step{name: "an activation", method: "POST", path: "/api/servers/2/activate", status: 200},
	)
	if instance.Paused(folder) {
		t.Error("the next hub would be paused")
	}
}

func waitAndRun(t *testing.T, before *scenario, folder paths.Folder) *scenario {
	t.Helper()
	if err := <-before.ended; err != nil {
		t.Fatal(err)
	}
	return newScenario(t, hub.Options{Folder: folder})
}
