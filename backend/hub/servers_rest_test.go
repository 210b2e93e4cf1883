package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestAboutReportsTheCompanionAndWhetherAuthenticationIsOff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs need a file name extension on Windows")
	}
	program := filepath.Join(t.TempDir(), "agent-discover")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	quoted, _ := json.Marshal(program)
	for setting, off := range map[string]string{"": `"auth_off":false`, "off": `"auth_off":true`} {
		t.Setenv("AGENT_DISCOVER_AUTH", setting)
		newScenario(t, hub.Options{}).play(
			step{name: "auth " + setting, method: "GET", path: "/api/about", status: 200, want: []string{`"program":` + string(quoted), off, `"version":"`}},
		)
	}
}

func TestAddingAndUpdatingAcceptTheSameTypes(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	loose := `"args":["-p",8080,true,null],"env":{"PORT":3000,"ON":true,"NONE":null},"tags":[1]`
	stored := []string{`"args":["-p","8080","true"]`, `"env":{"ON":"true","PORT":"3000"}`, `"tags":["1"]`}
	for _, r := range []row{
		{"add", "POST", "/api/servers", `{"name":"one",` + loose + `}`, nil, 201, stored, nil},
		{"ignore another kind of value", "POST", "/api/servers", `{"name":"two","args":"x","env":["x"],"tags":7}`, nil, 201, []string{`"args":[]`, `"env":{}`, `"tags":[]`}, nil},
		{"update", "PUT", "/api/servers/2", `{` + loose + `}`, nil, 200, stored, nil},
		{"arguments of another type", "PUT", "/api/servers/2", `{"args":"x","description":"d"}`, nil, 422, []string{`"args has the wrong type: string"`}, nil},
		{"variables of another type", "PUT", "/api/servers/2", `{"env":["x"],"description":"d"}`, nil, 422, []string{`"env has the wrong type: array"`}, nil},
		{"tags of another type", "PUT", "/api/servers/2", `{"tags":7,"description":"d"}`, nil, 422, []string{`"tags has the wrong type: number"`}, nil},
		{"headers of another type", "PUT", "/api/servers/2", `{"headers":"x","description":"d"}`, nil, 422, []string{`"headers has the wrong type: string"`}, nil},
		{"nothing was changed", "GET", "/api/servers/2", "", nil, 200, append([]string{`"description":""`}, stored...), nil},
		{"a transient server with arguments of another type", "POST", "/api/transient", `{"command":"a","args":"x"}`, nil, 422, []string{`"args has the wrong type: string"`}, nil},
		{"a command", "PUT", "/api/servers/2", `{"command":"x"}`, nil, 200, stored, nil},
		{"only a remote transport for a command", "PUT", "/api/servers/2", `{"transport":"sse"}`, nil, 422, []string{`homepage is required for the transport sse`}, nil},
		{"no command", "PUT", "/api/servers/2", `{"command":""}`, nil, 200, stored, nil},
		{"empty them", "PUT", "/api/servers/2", `{"args":[],"env":{},"tags":[]}`, nil, 200, []string{`"args":[]`, `"env":{}`, `"tags":[]`}, nil},
		{"a remote transport without an address", "PUT", "/api/servers/2", `{"transport":"sse"}`, nil, 422, []string{`homepage is required for the transport sse`}, nil},
		{"a remote transport with one", "PUT", "/api/servers/2", `{"transport":"sse","homepage":"http://127.0.0.1:9/sse"}`, nil, 200, []string{`"transport":"sse"`}, nil},
		{"a preset without arguments", "POST", "/api/presets", `{"server":"one","kind":"tool","target":"t","preset":"p","payload":null}`, nil, 201, []string{`"payload":{}`}, nil},
		{"a transient command with arguments", "POST", "/api/transient", `{"command":"a b"}`, nil, 400, []string{`command contains unsafe characters: give the program in command and its arguments in args`}, nil},
		{"the page of a server", "GET", "/tester/1", "", nil, 200, []string{"<!doctype html>"}, nil},
		{"the page of all servers", "GET", "/tester", "", nil, 200, []string{"<!doctype html>"}, nil},
		{"the same", "GET", "/tester/", "", nil, 200, []string{"<!doctype html>"}, nil},
		{"the page of a transient server", "GET", "/tester/transient/x", "", nil, 200, []string{"<!doctype html>"}, nil},
	} {
		r.send(t, h)
	}
}

func TestServersAreManagedOverREST(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	for _, r := range []row{
		{"no servers", "GET", "/api/servers", "", nil, 200, []string{"[]"}, nil},
		{"not JSON", "POST", "/api/servers", `{bad`, nil, 422, []string{`{"error":"Invalid JSON in request body","code":`}, nil},
		{"not an object", "POST", "/api/servers", `[1]`, nil, 422, []string{`{"error":"Request body must be a JSON object","code":`}, nil},
		{"null", "POST", "/api/servers", `null`, nil, 422, []string{`Request body must be a JSON object`}, nil},
		{"without a name", "POST", "/api/servers", `{}`, nil, 422, []string{`{"error":"Name is required","code":`}, nil},
		{"invalid name", "POST", "/api/servers", `{"name":"bad name","command":"x"}`, nil, 422, []string{`Invalid name \"bad name\" — use alphanumeric`}, nil},
		{"create", "POST", "/api/servers", `{"name":"one","start":false,"command":"no-such-program-xyz","args":["a"],"env":{"K":"v"},"tags":["t"],"description":"first"}`, nil, 201, []string{`"id":1`, `"source":"local"`, `"transport":"stdio"`, `"installed":true`, `"active":false`, `"package_name":null`, `"approved":true`}, nil},
		{"create again", "POST", "/api/servers", `{"name":"one"}`, nil, 409, []string{`Server \"one\" already exists`}, nil},
		{"without a command", "POST", "/api/servers", `{"name":"two"}`, nil, 201, []string{`"command":null`, `"installed":false`}, nil},
		{"search in descriptions", "GET", "/api/servers?query=firs", "", nil, 200, []string{`"name":"one"`}, []string{`"name":"two"`}},
		{"only installed", "GET", "/api/servers?installed=true", "", nil, 200, []string{`"name":"one"`}, []string{`"name":"two"`}},
		{"by source", "GET", "/api/servers?source=other", "", nil, 200, []string{"[]"}, nil},
		{"one server", "GET", "/api/servers/1", "", nil, 200, []string{`"tools":[]`}, nil},
		{"unknown id", "GET", "/api/servers/99", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"invalid id", "GET", "/api/servers/abc", "", nil, 404, nil, nil},
		{"change", "PUT", "/api/servers/1", `{"description":"changed","args":[],"keep_running":false}`, nil, 200, []string{`"description":"changed"`, `"args":[]`, `"no-such-program-xyz"`}, nil},
		{"change without a body", "PUT", "/api/servers/1", ``, nil, 422, nil, nil},
		{"activate without a command", "POST", "/api/servers/2/activate", "", nil, 400, []string{`{"error":"No command configured","code":`}, nil},
		{"activate a missing program", "POST", "/api/servers/1/activate", "", nil, 500, []string{`{"error":"Failed to activate \"one\": command \"no-such-program-xyz\" not found on PATH. Original: spawn no-such-program-xyz ENOENT","code":`}, nil},
		{"failed server", "GET", "/api/servers/1", "", nil, 200, []string{`"health_status":"unknown"`, `"last_health_check":null`, `"error_count":1`, `"last_error":"Failed to activate`}, nil},
		{"deactivate an inactive server", "POST", "/api/servers/1/deactivate", "", nil, 200, []string{`"status":"not_active"`}, nil},
		{"no calls yet", "GET", "/api/logs", "", nil, 200, []string{`"entries":[]`, `"total":0`}, nil},
		{"no tools yet", "GET", "/api/tools", "", nil, 200, []string{"[]"}, nil},
		{"nothing active", "GET", "/api/status", "", nil, 200, []string{`"active_count":0`, `"servers":[]`}, nil},
		{"no clients", "GET", "/api/clients", "", nil, 200, []string{"[]"}, nil},
		{"approve", "POST", "/api/servers/1/approve", "", nil, 200, []string{`"approved":true`, `"launch_hash":"`}, nil},
		{"approve another launch hash", "POST", "/api/servers/1/approve", `{"launch_hash":"0123"}`, nil, 409, []string{`has changed since it was shown; nothing was approved`}, nil},
		{"approve with an invalid body", "POST", "/api/servers/1/approve", `[]`, nil, 422, nil, nil},
		{"delete", "DELETE", "/api/servers/1", "", nil, 200, []string{`{"status":"deleted"}`}, nil},
		{"delete again", "DELETE", "/api/servers/1", "", nil, 404, nil, nil},
	} {
		r.send(t, h)
	}
}
