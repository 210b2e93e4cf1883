package servers_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestPausedHubStartsNoServer(t *testing.T) {
	const paused = `{"error":"all servers are paused by the user; resume them from the tray or with: agent-discover resume","code":`
	folder := paths.Folder(t.TempDir())
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{Name: "add a server", Method: "POST", Path: "/api/servers", Body: s.Server("on"), Status: 201},
		hubtest.Step{
			Name: "activate", Method: "POST", Path: "/api/servers/1/activate", Status: 200, Events: []string{`state "running":true`},
		},
		hubtest.Step{Name: "add another server", Method: "POST", Path: "/api/servers", Body: s.StoppedServer("off"), Status: 201},
		hubtest.Step{Name: "status before the pause", Method: "GET", Path: "/api/status", Status: 200, Never: []string{"paused"}},
		hubtest.Step{
			Name: "pause", Method: "POST", Path: "/api/pause", Status: 200, Want: []string{`{"paused":true}`},
			Events: []string{`state "running":false`},
		},
		hubtest.Step{Name: "pause again", Method: "POST", Path: "/api/pause", Status: 200, Want: []string{`{"paused":true}`}},
		hubtest.Step{
			Name: "status during the pause", Method: "GET", Path: "/api/status", Status: 200,
			Want: []string{`"paused":true`, `"active_count":1`, `"echo"`},
		},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"echo","args":{"text":"x"}}`, Status: 403,
			Want: []string{paused}, Events: []string{`log_entry "outcome":"refused"`},
		},
		hubtest.Step{Name: "resources", Method: "GET", Path: "/api/servers/1/resources", Status: 403, Want: []string{paused}},
		hubtest.Step{Name: "refresh", Method: "POST", Path: "/api/servers/1/refresh", Status: 403, Want: []string{paused}},
		hubtest.Step{Name: "activation", Method: "POST", Path: "/api/servers/2/activate", Status: 403, Want: []string{paused}},
		hubtest.Step{Name: "health check", Method: "POST", Path: "/api/servers/1/health", Status: 403, Want: []string{paused}},
		hubtest.Step{Name: "health check of all", Method: "POST", Path: "/api/health", Status: 403, Want: []string{paused}},
		hubtest.Step{
			Name: "transient server", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("x"), Status: 403, Want: []string{paused},
		},
		hubtest.Step{
			Name: "error count", Method: "GET", Path: "/api/servers/2", Status: 200, Want: []string{`"error_count":0`, `"active":false`},
		},
		hubtest.Step{Name: "keep the server running", Method: "PUT", Path: "/api/servers/1", Body: `{"keep_running":true}`, Status: 200},
	)
	call := `{"action":"proxy_call","server":"on","tool":"echo","arguments":{"text":"x"}}`
	if got := hubtest.RegistryCall(t, s.Hub, call); !strings.Contains(got, "paused by the user") {
		t.Errorf("a call of an agent returned %s", got)
	}
	if got := hubtest.RegistryCall(t, s.Hub, `{"action":"find_tool","query":"give back the text"}`); !strings.Contains(got,
		"mcp__on__echo") {
		t.Errorf("find_tool returned %s", got)
	}
	s.Hub.Stop()
	again := restart(t, s, folder)
	again.Play(
		hubtest.Step{Name: "status after a restart", Method: "GET", Path: "/api/status", Status: 200, Want: []string{`"paused":true`}},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"echo","args":{"text":"x"}}`,
			Status: 403, Want: []string{paused},
		},
		hubtest.Step{
			Name: "resume", Method: "POST", Path: "/api/resume", Status: 200, Want: []string{`{"paused":false}`},
			Events: []string{`state "running":true`},
		},
		hubtest.Step{
			Name: "call of an idle server", Method: "POST", Path: "/api/servers/2/call", Body: `{"tool":"echo","args":{"text":"x"}}`,
			Status: 400,
		},
		hubtest.Step{Name: "activation after the pause", Method: "POST", Path: "/api/servers/2/activate", Status: 200},
	)
	if instance.Paused(folder) {
		t.Error("the pause setting is still stored")
	}
}

// restart waits until a hub that was asked to stop has ended, and starts another one
// with the same data folder.
func restart(t *testing.T, before *hubtest.Scenario, folder paths.Folder) *hubtest.Scenario {
	t.Helper()
	if err := <-before.Ended; err != nil {
		t.Fatal(err)
	}
	return hubtest.NewScenario(t, hub.Options{Folder: folder})
}
