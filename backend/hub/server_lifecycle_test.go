package hub_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
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
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "roots", method: "GET", path: "/api/roots", status: 200, want: []string{`{"roots":[{"uri":"file:///a","name":"file:///a"},{"uri":"file:///b","name":"file:///b"}]}`}},
		step{name: "programs", method: "GET", path: "/api/prereqs", status: 200, want: []string{`"npx":`, `"uvx":`, `"docker":`, `"uv":`}},
		step{name: "sync with a setup file", method: "POST", path: "/api/sync", body: s.json(map[string]string{"file": setup}), status: 200, want: []string{`"registered":["declared"]`, `"errors":[{"name":"(unnamed)","error":"missing name field"}]`}, events: []string{`state "declared"`}},
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("notes"), status: 201, keep: "id", want: []string{`"source":"local"`, `"active":false`}, events: []string{`state "notes"`}},
		step{name: "add it again", method: "POST", path: "/api/servers", body: s.server("notes"), status: 409, want: []string{`already exists`}},
		step{name: "add without a name", method: "POST", path: "/api/servers", body: `{"command":"x"}`, status: 422, want: []string{"Name is required"}},
		step{name: "change", method: "PUT", path: "/api/servers/{id}", body: `{"description":"keeps notes"}`, status: 200, want: []string{`"description":"keeps notes"`}, events: []string{`state "description":"keeps notes"`}},
		step{name: "search", method: "GET", path: "/api/servers?query=notes", status: 200, want: []string{`"name":"notes"`}, never: []string{"declared"}},
		step{name: "set secret", method: "PUT", path: "/api/servers/{id}/secrets/API_KEY", body: `{"value":"correct-horse"}`, status: 200, want: []string{`"status":"set"`, `"key":"API_KEY"`}, never: []string{"correct-horse"}, events: []string{`state "secret_names":["API_KEY"]`}},
		step{name: "masked secret", method: "GET", path: "/api/servers/{id}/secrets", status: 200, want: []string{`"key":"API_KEY","masked_value":"********"`}, never: []string{"correct-horse"}},
		step{name: "all secrets", method: "GET", path: "/api/secrets", status: 200, never: []string{"correct-horse"}},
		step{name: "activate", method: "POST", path: "/api/servers/{id}/activate", status: 200, want: []string{`"status":"activated"`}, events: []string{`state "active":[{"name":"notes"`}},
		step{name: "activate again", method: "POST", path: "/api/servers/{id}/activate", status: 200, want: []string{`{"status":"already_active"}`}},
		step{name: "active server", method: "GET", path: "/api/servers/{id}", status: 200, want: []string{`"active":true`, `"tools":[{"id":`}, never: []string{"correct-horse"}},
		step{name: "status", method: "GET", path: "/api/status", status: 200, want: []string{`"active_count":1`, `"name":"notes"`}},
		step{name: "call", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"environment"}`, status: 200, want: []string{"API_KEY=correct-horse"}, events: []string{`log_entry "tool":"environment"`, `state "total_calls":1`}},
		step{name: "log without the secret", method: "GET", path: "/api/logs?server=notes&kind=call", status: 200, want: []string{`"tool":"environment"`, `"success":true`}, never: []string{"correct-horse"}},
		step{name: "metrics of the server", method: "GET", path: "/api/servers/{id}/metrics", status: 200, want: []string{`"tool_name":"environment","call_count":1`, `"p95_ms":`}},
		step{name: "metrics of all servers", method: "GET", path: "/api/metrics", status: 200, want: []string{`"server_name":"notes","total_calls":1`}},
		step{name: "exported log", method: "GET", path: "/api/logs/export?format=csv&server=notes", status: 200, want: []string{"environment"}, never: []string{"correct-horse"}},
		step{name: "clear the log", method: "DELETE", path: "/api/logs", status: 200, want: []string{`{"status":"cleared"}`}},
		step{name: "delete secret", method: "DELETE", path: "/api/servers/{id}/secrets/API_KEY", status: 200, want: []string{`"status":"deleted"`, `"key":"API_KEY"`}, events: []string{"state "}},
		step{name: "deactivate", method: "POST", path: "/api/servers/{id}/deactivate", status: 200, want: []string{`{"status":"deactivated"}`}, events: []string{`state "active":[]`}},
		step{name: "deactivate again", method: "POST", path: "/api/servers/{id}/deactivate", status: 200, want: []string{`{"status":"not_active"}`}},
		step{name: "tools of the inactive server", method: "GET", path: "/api/tools?server=notes", status: 200, want: []string{`"name":"echo"`}},
		step{name: "delete", method: "DELETE", path: "/api/servers/{id}", status: 200, want: []string{`{"status":"deleted"}`}, events: []string{"state "}},
		step{name: "deleted server", method: "GET", path: "/api/servers/{id}", status: 404, want: []string{`{"error":"Not found","code":`}},
		step{name: "add an unreachable server", method: "POST", path: "/api/servers", body: `{"name":"far","start":false,"transport":"streamable-http","homepage":"http://127.0.0.1:9/mcp"}`, status: 201, keep: "name", want: []string{`"id":3,`, `"installed":true`}},
		step{name: "activate the unreachable server", method: "POST", path: "/api/servers/3/activate", status: 500, want: []string{`Failed to activate \"far\"`, "connection refused"}},
		step{name: "its error count", method: "GET", path: "/api/servers/3", status: 200, want: []string{`"error_count":1`, `"health_status":"unknown"`}},
		step{name: "metrics of the deleted server", method: "GET", path: "/api/metrics", status: 200, never: []string{"notes"}},
	)
}

func TestAServerThatMissesAVariableNamesIt(t *testing.T) {
	s := newScenario(t, hub.Options{})
	server := s.server("brave", "-crash", "BRAVE_API_KEY environment variable is required")
	s.play(
		step{name: "add", method: "POST", path: "/api/servers", body: server, status: 201, keep: "id"},
		step{
			name: "activate", method: "POST", path: "/api/servers/{id}/activate", status: 500,
			want: []string{`"error":"BRAVE_API_KEY environment variable is required. Failed to activate \"brave\"`, `"missing_variable":"BRAVE_API_KEY"`},
		},
		step{
			name: "look", method: "GET", path: "/api/servers/{id}", status: 200,
			want: []string{`"last_error":"BRAVE_API_KEY environment variable is required. Failed`, `"missing_variable":"BRAVE_API_KEY"`},
		},
		step{
			name: "set another variable", method: "PUT", path: "/api/servers/{id}", body: `{"env":{"OTHER":"x"}}`, status: 200,
			want: []string{`"missing_variable":"BRAVE_API_KEY"`},
		},
		step{
			name: "set the variable", method: "PUT", path: "/api/servers/{id}", body: `{"env":{"BRAVE_API_KEY":"x"}}`, status: 200,
			never: []string{`missing_variable`},
		},
	)
}
