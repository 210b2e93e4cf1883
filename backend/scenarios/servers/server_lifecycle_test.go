package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// TestServerIsManagedFromCreationToDeletion also checks the events that WebSocket
// clients receive.
func TestServerIsManagedFromCreationToDeletion(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	t.Setenv("AGENT_DISCOVER_ROOTS", "file:///a, file:///b")
	setup := filepath.Join(t.TempDir(), "setup.json")
	if err := os.WriteFile(setup, []byte(`{"servers":[{"name":"declared","command":"true"},{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "roots", Method: "GET", Path: "/api/roots", Status: 200,
			Want: []string{`{"roots":[{"uri":"file:///a","name":"file:///a"},{"uri":"file:///b","name":"file:///b"}]}`},
		},
		hubtest.Step{
			Name: "programs", Method: "GET", Path: "/api/prereqs", Status: 200, Want: []string{`"npx":`, `"uvx":`, `"docker":`, `"uv":`},
		},
		hubtest.Step{
			Name: "sync with a setup file", Method: "POST", Path: "/api/sync", Body: s.JSON(map[string]string{"file": setup}), Status: 200,
			Want:   []string{`"registered":["declared"]`, `"errors":[{"name":"(unnamed)","error":"missing name field"}]`},
			Events: []string{`state "declared"`},
		},
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("notes"), Status: 201, Keep: "id",
			Want: []string{`"source":"local"`, `"active":false`}, Events: []string{`state "notes"`},
		},
		hubtest.Step{
			Name: "add it again", Method: "POST", Path: "/api/servers", Body: s.Server("notes"), Status: 409,
			Want: []string{`already exists`},
		},
		hubtest.Step{
			Name: "add without a name", Method: "POST", Path: "/api/servers", Body: `{"command":"x"}`, Status: 422,
			Want: []string{"Name is required"},
		},
		hubtest.Step{
			Name: "change", Method: "PUT", Path: "/api/servers/{id}", Body: `{"description":"keeps notes"}`, Status: 200,
			Want: []string{`"description":"keeps notes"`}, Events: []string{`state "description":"keeps notes"`},
		},
		hubtest.Step{
			Name: "search", Method: "GET", Path: "/api/servers?query=notes", Status: 200, Want: []string{`"name":"notes"`},
			Never: []string{"declared"},
		},
		hubtest.Step{
			Name: "set secret", Method: "PUT", Path: "/api/servers/{id}/secrets/API_KEY", Body: `{"value":"correct-horse"}`, Status: 200,
			Want: []string{`"status":"set"`, `"key":"API_KEY"`}, Never: []string{"correct-horse"},
			Events: []string{`state "secret_names":["API_KEY"]`},
		},
		hubtest.Step{
			Name: "masked secret", Method: "GET", Path: "/api/servers/{id}/secrets", Status: 200,
			Want: []string{`"key":"API_KEY","masked_value":"********"`}, Never: []string{"correct-horse"},
		},
		hubtest.Step{Name: "all secrets", Method: "GET", Path: "/api/secrets", Status: 200, Never: []string{"correct-horse"}},
		hubtest.Step{
			Name: "activate", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200, Want: []string{`"status":"activated"`},
			Events: []string{`state "active":[{"name":"notes"`},
		},
		hubtest.Step{
			Name: "activate again", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200,
			Want: []string{`{"status":"already_active"}`},
		},
		hubtest.Step{
			Name: "always listed server", Method: "GET", Path: "/api/servers/{id}", Status: 200,
			Want: []string{`"active":true`, `"tools":[{"id":`}, Never: []string{"correct-horse"},
		},
		hubtest.Step{Name: "status", Method: "GET", Path: "/api/status", Status: 200, Want: []string{`"active_count":1`, `"name":"notes"`}},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"environment"}`, Status: 200,
			Want: []string{"API_KEY=correct-horse"}, Events: []string{`log_entry "tool":"environment"`, `state "total_calls":1`},
		},
		hubtest.Step{
			Name: "log without the secret", Method: "GET", Path: "/api/logs?server=notes&kind=call", Status: 200,
			Want: []string{`"tool":"environment"`, `"success":true`}, Never: []string{"correct-horse"},
		},
		hubtest.Step{
			Name: "metrics of the server", Method: "GET", Path: "/api/servers/{id}/metrics", Status: 200,
			Want: []string{`"tool_name":"environment","call_count":1`, `"p95_ms":`},
		},
		hubtest.Step{
			Name: "metrics of all servers", Method: "GET", Path: "/api/metrics", Status: 200,
			Want: []string{`"server_name":"notes","total_calls":1`},
		},
		hubtest.Step{
			Name: "exported log", Method: "GET", Path: "/api/logs/export?format=csv&server=notes",
			Status: 200, Want: []string{"environment"}, Never: []string{"correct-horse"},
		},
		hubtest.Step{Name: "clear the log", Method: "DELETE", Path: "/api/logs", Status: 200, Want: []string{`{"status":"cleared"}`}},
		hubtest.Step{
			Name: "delete secret", Method: "DELETE", Path: "/api/servers/{id}/secrets/API_KEY", Status: 200,
			Want: []string{`"status":"deleted"`, `"key":"API_KEY"`}, Events: []string{"state "},
		},
		hubtest.Step{
			Name: "deactivate", Method: "POST", Path: "/api/servers/{id}/deactivate", Status: 200,
			Want: []string{`{"status":"deactivated"}`}, Events: []string{`state "active":[]`},
		},
		hubtest.Step{
			Name: "deactivate again", Method: "POST", Path: "/api/servers/{id}/deactivate", Status: 200,
			Want: []string{`{"status":"not_active"}`},
		},
		hubtest.Step{
			Name: "tools of the server that is not always listed", Method: "GET", Path: "/api/tools?server=notes", Status: 200,
			Want: []string{`"name":"echo"`},
		},
		hubtest.Step{
			Name: "delete", Method: "DELETE", Path: "/api/servers/{id}", Status: 200, Want: []string{`{"status":"deleted"}`},
			Events: []string{"state "},
		},
		hubtest.Step{
			Name: "deleted server", Method: "GET", Path: "/api/servers/{id}", Status: 404, Want: []string{`{"error":"Not found","code":`},
		},
		hubtest.Step{
			Name: "add an unreachable server", Method: "POST", Path: "/api/servers",
			Body:   `{"name":"far","start":false,"transport":"streamable-http","homepage":"http://127.0.0.1:9/mcp"}`,
			Status: 201, Keep: "name", Want: []string{`"id":3,`, `"installed":true`},
		},
		hubtest.Step{
			Name: "activate the unreachable server", Method: "POST", Path: "/api/servers/3/activate", Status: 500,
			Want: []string{`Failed to activate \"far\"`, "connection refused"},
		},
		hubtest.Step{
			Name: "its error count", Method: "GET", Path: "/api/servers/3", Status: 200,
			Want: []string{`"error_count":1`, `"health_status":"unknown"`},
		},
		hubtest.Step{Name: "metrics of the deleted server", Method: "GET", Path: "/api/metrics", Status: 200, Never: []string{"notes"}},
	)
}

func TestAServerThatMissesAVariableNamesIt(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	server := s.Server("brave", "-crash", "BRAVE_API_KEY environment variable is required")
	s.Play(
		hubtest.Step{Name: "add", Method: "POST", Path: "/api/servers", Body: server, Status: 201, Keep: "id"},
		hubtest.Step{
			Name: "activate", Method: "POST", Path: "/api/servers/{id}/activate", Status: 500,
			Want: []string{
				`"error":"BRAVE_API_KEY environment variable is required. Failed to activate \"brave\"`,
				`"missing_variable":"BRAVE_API_KEY"`,
			},
		},
		hubtest.Step{
			Name: "look", Method: "GET", Path: "/api/servers/{id}", Status: 200,
			Want: []string{`"last_error":"BRAVE_API_KEY environment variable is required. Failed`, `"missing_variable":"BRAVE_API_KEY"`},
		},
		hubtest.Step{
			Name: "set another variable", Method: "PUT", Path: "/api/servers/{id}", Body: `{"env":{"OTHER":"x"}}`, Status: 200,
			Want: []string{`"missing_variable":"BRAVE_API_KEY"`},
		},
		hubtest.Step{
			Name: "set the variable", Method: "PUT", Path: "/api/servers/{id}", Body: `{"env":{"BRAVE_API_KEY":"x"}}`, Status: 200,
			Never: []string{`missing_variable`},
		},
	)
}
