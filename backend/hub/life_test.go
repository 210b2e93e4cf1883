package hub_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// What a person does with a server, from its first day to its last, and what
// everybody who looks is told of it.
func TestTheLifeOfAServerIsSeenByAll(t *testing.T) {
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
		step{name: "declared ones come in", method: "POST", path: "/api/sync", body: s.json(map[string]string{"file": setup}), status: 200, want: []string{`"registered":["declared"]`, `"errors":[{"name":"(unnamed)","error":"missing name field"}]`}, events: []string{`state "declared"`}},
		step{name: "one more", method: "POST", path: "/api/servers", body: s.server("notes"), status: 201, keep: "id", want: []string{`"source":"local"`, `"active":false`}, events: []string{`state "notes"`}},
		step{name: "not twice", method: "POST", path: "/api/servers", body: s.server("notes"), status: 409, want: []string{`already exists`}},
		step{name: "a name of nobody", method: "POST", path: "/api/servers", body: `{"command":"x"}`, status: 422, want: []string{"Name is required"}},
		step{name: "changed", method: "PUT", path: "/api/servers/{id}", body: `{"description":"keeps notes"}`, status: 200, want: []string{`"description":"keeps notes"`}, events: []string{`state "description":"keeps notes"`}},
		step{name: "found", method: "GET", path: "/api/servers?query=notes", status: 200, want: []string{`"name":"notes"`}, never: []string{"declared"}},
		step{name: "a secret", method: "PUT", path: "/api/servers/{id}/secrets/API_KEY", body: `{"value":"correct-horse"}`, status: 200, want: []string{`"status":"set"`, `"key":"API_KEY"`}, never: []string{"correct-horse"}, events: []string{`state "secret_names":["API_KEY"]`}},
		step{name: "masked", method: "GET", path: "/api/servers/{id}/secrets", status: 200, want: []string{`"key":"API_KEY","masked_value":"corr****"`}, never: []string{"correct-horse"}},
		step{name: "where secrets are", method: "GET", path: "/api/secrets", status: 200, never: []string{"correct-horse"}},
		step{name: "activated", method: "POST", path: "/api/servers/{id}/activate", status: 200, want: []string{`"status":"activated"`}, events: []string{`state "active":[{"name":"notes"`}},
		step{name: "once", method: "POST", path: "/api/servers/{id}/activate", status: 200, want: []string{`{"status":"already_active"}`}},
		step{name: "shown", method: "GET", path: "/api/servers/{id}", status: 200, want: []string{`"active":true`, `"tools":[{"id":`}, never: []string{"correct-horse"}},
		step{name: "active", method: "GET", path: "/api/status", status: 200, want: []string{`"active_count":1`, `"name":"notes"`}},
		step{name: "called", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"environment"}`, status: 200, want: []string{"API_KEY=correct-horse"}, events: []string{`log_entry "tool":"environment"`, `state "total_calls":1`}},
		step{name: "recorded without the secret", method: "GET", path: "/api/logs?server=notes&kind=call", status: 200, want: []string{`"tool":"environment"`, `"success":true`}, never: []string{"correct-horse"}},
		step{name: "measured", method: "GET", path: "/api/servers/{id}/metrics", status: 200, want: []string{`"tool_name":"environment","call_count":1`, `"p95_ms":`}},
		step{name: "in all", method: "GET", path: "/api/metrics", status: 200, want: []string{`"server_name":"notes","total_calls":1`}},
		step{name: "taken along", method: "GET", path: "/api/logs/export?format=csv&server=notes", status: 200, want: []string{"environment"}, never: []string{"correct-horse"}},
		step{name: "cleared", method: "DELETE", path: "/api/logs", status: 200, want: []string{`{"status":"cleared"}`}},
		step{name: "the secret goes", method: "DELETE", path: "/api/servers/{id}/secrets/API_KEY", status: 200, want: []string{`"status":"deleted"`, `"key":"API_KEY"`}, events: []string{"state "}},
		step{name: "deactivated", method: "POST", path: "/api/servers/{id}/deactivate", status: 200, want: []string{`{"status":"deactivated"}`}, events: []string{`state "active":[]`}},
		step{name: "deactivated again", method: "POST", path: "/api/servers/{id}/deactivate", status: 200, want: []string{`{"status":"not_active"}`}},
		step{name: "its tools are known still", method: "GET", path: "/api/tools?server=notes", status: 200, want: []string{`"name":"echo"`}},
		step{name: "deleted", method: "DELETE", path: "/api/servers/{id}", status: 200, want: []string{`{"status":"deleted"}`}, events: []string{"state "}},
		step{name: "gone", method: "GET", path: "/api/servers/{id}", status: 404, want: []string{`{"error":"Not found","code":`}},
		step{name: "one that runs nowhere", method: "POST", path: "/api/servers", body: `{"name":"far","transport":"streamable-http","homepage":"http://127.0.0.1:9/mcp"}`, status: 201, keep: "name", want: []string{`"id":3,`, `"installed":true`}},
		step{name: "is said so", method: "POST", path: "/api/servers/3/activate", status: 500, want: []string{`Failed to activate \"far\"`, "connection refused"}},
		step{name: "and counted", method: "GET", path: "/api/servers/3", status: 200, want: []string{`"error_count":1`, `"health_status":"unknown"`}},
		step{name: "with what was measured", method: "GET", path: "/api/metrics", status: 200, never: []string{"notes"}},
	)
}
