package servers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
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
		hubtest.NewScenario(t, hub.Options{}).Play(
			hubtest.Step{
				Name: "auth " + setting, Method: "GET", Path: "/api/about", Status: 200,
				Want: []string{`"program":` + string(quoted), off, `"version":"`},
			},
		)
	}
}

func TestAddingAndUpdatingAcceptTheSameTypes(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	loose := `"args":["-p",8080,true,null],"env":{"PORT":3000,"ON":true,"NONE":null},"tags":[1]`
	stored := []string{`"args":["-p","8080","true"]`, `"env":{"ON":"true","PORT":"3000"}`, `"tags":["1"]`}
	for _, r := range []hubtest.Row{
		{Name: "add", Method: "POST", Path: "/api/servers", Body: `{"name":"one",` + loose + `}`, Status: 201, Want: stored},
		{
			Name: "ignore another kind of value", Method: "POST", Path: "/api/servers",
			Body: `{"name":"two","args":"x","env":["x"],"tags":7}`, Status: 201, Want: []string{`"args":[]`, `"env":{}`, `"tags":[]`},
		},
		{Name: "update", Method: "PUT", Path: "/api/servers/2", Body: `{` + loose + `}`, Status: 200, Want: stored},
		{
			Name: "arguments of another type", Method: "PUT", Path: "/api/servers/2", Body: `{"args":"x","description":"d"}`, Status: 422,
			Want: []string{`"args has the wrong type: string"`},
		},
		{
			Name: "variables of another type", Method: "PUT", Path: "/api/servers/2", Body: `{"env":["x"],"description":"d"}`, Status: 422,
			Want: []string{`"env has the wrong type: array"`},
		},
		{
			Name: "tags of another type", Method: "PUT", Path: "/api/servers/2", Body: `{"tags":7,"description":"d"}`, Status: 422,
			Want: []string{`"tags has the wrong type: number"`},
		},
		{
			Name: "headers of another type", Method: "PUT", Path: "/api/servers/2", Body: `{"headers":"x","description":"d"}`, Status: 422,
			Want: []string{`"headers has the wrong type: string"`},
		},
		{
			Name: "nothing was changed", Method: "GET", Path: "/api/servers/2", Status: 200,
			Want: append([]string{`"description":""`}, stored...),
		},
		{
			Name: "a transient server with arguments of another type", Method: "POST", Path: "/api/transient", Person: true,
			Body: `{"command":"a","args":"x"}`, Status: 422, Want: []string{`"args has the wrong type: string"`},
		},
		{Name: "a command", Method: "PUT", Path: "/api/servers/2", Body: `{"command":"x"}`, Status: 200, Want: stored},
		{
			Name: "another spelling of stdio for a command", Method: "PUT", Path: "/api/servers/2", Body: `{"transport":"STDIO"}`,
			Status: 200, Want: stored,
		},
		{
			Name: "only a remote transport for a command", Method: "PUT", Path: "/api/servers/2", Body: `{"transport":"sse"}`, Status: 422,
			Want: []string{`homepage is required for the transport sse`},
		},
		{Name: "no command", Method: "PUT", Path: "/api/servers/2", Body: `{"command":""}`, Status: 200, Want: stored},
		{
			Name: "empty them", Method: "PUT", Path: "/api/servers/2", Body: `{"args":[],"env":{},"tags":[]}`, Status: 200,
			Want: []string{`"args":[]`, `"env":{}`, `"tags":[]`},
		},
		{
			Name: "a remote transport without an address", Method: "PUT", Path: "/api/servers/2", Body: `{"transport":"sse"}`, Status: 422,
			Want: []string{`homepage is required for the transport sse`},
		},
		{
			Name: "a remote transport with one", Method: "PUT", Path: "/api/servers/2",
			Body: `{"transport":"sse","homepage":"http://127.0.0.1:9/sse"}`, Status: 200, Want: []string{`"transport":"sse"`},
		},
		{
			Name: "a preset without arguments", Method: "POST", Path: "/api/presets",
			Body: `{"server":"one","kind":"tool","target":"t","preset":"p","payload":null}`, Status: 201, Want: []string{`"payload":{}`},
		},
		{
			Name: "a transient command with arguments", Method: "POST", Path: "/api/transient", Person: true,
			Body: `{"command":"a b"}`, Status: 400,
			Want: []string{`command contains unsafe characters: give the program in command and its arguments in args`},
		},
		{Name: "the page of a server", Method: "GET", Path: "/tester/1", Status: 200, Want: []string{"<!doctype html>"}},
		{Name: "the page of all servers", Method: "GET", Path: "/tester", Status: 200, Want: []string{"<!doctype html>"}},
		{Name: "the same", Method: "GET", Path: "/tester/", Status: 200, Want: []string{"<!doctype html>"}},
		{
			Name: "the page of a transient server", Method: "GET", Path: "/tester/transient/x", Status: 200,
			Want: []string{"<!doctype html>"},
		},
	} {
		r.Send(t, h)
	}
}

func TestServersAreManagedOverREST(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	for _, r := range []hubtest.Row{
		{Name: "no servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{"[]"}},
		{
			Name: "not JSON", Method: "POST", Path: "/api/servers", Body: `{bad`, Status: 422, Want: []string{
				`{"error":"Invalid JSON in request body","code":`,
			},
		},
		{
			Name: "not an object", Method: "POST", Path: "/api/servers", Body: `[1]`, Status: 422, Want: []string{
				`{"error":"Request body must be a JSON object","code":`,
			},
		},
		{
			Name: "null", Method: "POST", Path: "/api/servers", Body: `null`, Status: 422,
			Want: []string{`Request body must be a JSON object`},
		},
		{
			Name: "without a name", Method: "POST", Path: "/api/servers", Body: `{}`, Status: 422,
			Want: []string{`{"error":"Name is required","code":`},
		},
		{
			Name: "invalid name", Method: "POST", Path: "/api/servers", Body: `{"name":"bad name","command":"x"}`, Status: 422,
			Want: []string{`Invalid name \"bad name\" — use alphanumeric`},
		},
		{
			Name: "create", Method: "POST", Path: "/api/servers",
			Body:   `{"name":"one","start":false,"command":"no-such-program-xyz","args":["a"],"env":{"K":"v"},"tags":["t"],"description":"first"}`,
			Status: 201, Want: []string{
				`"id":1`, `"source":"local"`, `"transport":"stdio"`, `"installed":true`, `"active":false`, `"package_name":null`,
				`"approved":true`,
			},
		},
		{
			Name: "create again", Method: "POST", Path: "/api/servers", Body: `{"name":"one"}`, Status: 409,
			Want: []string{`Server \"one\" already exists`},
		},
		{
			Name: "without a command", Method: "POST", Path: "/api/servers", Body: `{"name":"two"}`, Status: 201,
			Want: []string{`"command":null`, `"installed":false`, `"state":"incomplete"`, `"state_reason":"has no command configured"`},
		},
		{
			Name: "with an unknown transport", Method: "POST", Path: "/api/servers",
			Body: `{"name":"odd","transport":"htp","homepage":"http://127.0.0.1:9/mcp"}`, Status: 422,
			Want: []string{`unknown transport \"htp\": use stdio, streamable-http or sse`},
		},
		{
			Name: "change to an unknown transport", Method: "PUT", Path: "/api/servers/2",
			Body: `{"transport":"htp","homepage":"http://127.0.0.1:9/mcp"}`, Status: 422,
			Want: []string{`unknown transport \"htp\": use stdio, streamable-http or sse`},
		},
		{
			Name: "with an address of SSE", Method: "POST", Path: "/api/servers",
			Body: `{"name":"old","homepage":"http://127.0.0.1:9/sse?a=b","start":false}`, Status: 201, Want: []string{`"transport":"sse"`},
		},
		{
			Name: "change to another spelling", Method: "PUT", Path: "/api/servers/3", Body: `{"transport":"streamableHttp"}`, Status: 200,
			Want: []string{`"transport":"streamable-http"`},
		},
		{Name: "remove it", Method: "DELETE", Path: "/api/servers/3", Status: 200},
		{
			Name: "search in descriptions", Method: "GET", Path: "/api/servers?query=firs", Status: 200, Want: []string{`"name":"one"`},
			Never: []string{`"name":"two"`},
		},
		{
			Name: "only installed", Method: "GET", Path: "/api/servers?installed=true", Status: 200, Want: []string{`"name":"one"`},
			Never: []string{`"name":"two"`},
		},
		{Name: "by source", Method: "GET", Path: "/api/servers?source=other", Status: 200, Want: []string{"[]"}},
		{Name: "one server", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"tools":[]`}},
		{Name: "unknown id", Method: "GET", Path: "/api/servers/99", Status: 404, Want: []string{`{"error":"Not found","code":`}},
		{Name: "invalid id", Method: "GET", Path: "/api/servers/abc", Status: 404},
		{
			Name: "change", Method: "PUT", Path: "/api/servers/1", Body: `{"description":"changed","args":[],"keep_running":false}`,
			Status: 200, Want: []string{`"description":"changed"`, `"args":[]`, `"no-such-program-xyz"`},
		},
		{Name: "change without a body", Method: "PUT", Path: "/api/servers/1", Body: ``, Status: 422},
		{
			Name: "activate without a command", Method: "POST", Path: "/api/servers/2/activate", Status: 400,
			Want: []string{`{"error":"No command configured","code":`},
		},
		{
			Name: "activate a missing program", Method: "POST", Path: "/api/servers/1/activate", Status: 500, Want: []string{
				`{"error":"Failed to activate \"one\": command \"no-such-program-xyz\" not found on PATH. Original: spawn no-such-program-xyz ENOENT","code":`,
			},
		},
		{
			Name: "failed server", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{
				`"health_status":"unknown"`, `"last_health_check":null`, `"error_count":1`, `"last_error":"Failed to activate`,
			},
		},
		{
			Name: "deactivate a server that is not always listed", Method: "POST", Path: "/api/servers/1/deactivate", Status: 200,
			Want: []string{`"status":"not_active"`},
		},
		{Name: "no calls yet", Method: "GET", Path: "/api/logs", Status: 200, Want: []string{`"entries":[]`, `"total":0`}},
		{Name: "no tools yet", Method: "GET", Path: "/api/tools", Status: 200, Want: []string{"[]"}},
		{Name: "none always listed", Method: "GET", Path: "/api/status", Status: 200, Want: []string{`"active_count":0`, `"servers":[]`}},
		{Name: "no clients", Method: "GET", Path: "/api/clients", Status: 200, Want: []string{"[]"}},
		{
			Name: "approve", Method: "POST", Path: "/api/servers/1/approve", Status: 200,
			Want: []string{`"approved":true`, `"launch_hash":"`},
		},
		{
			Name: "approve another launch hash", Method: "POST", Path: "/api/servers/1/approve", Body: `{"launch_hash":"0123"}`,
			Status: 409, Want: []string{`has changed since it was shown; nothing was done`},
		},
		{Name: "approve with an invalid body", Method: "POST", Path: "/api/servers/1/approve", Body: `[]`, Status: 422},
		{Name: "delete", Method: "DELETE", Path: "/api/servers/1", Status: 200, Want: []string{`{"status":"deleted"}`}},
		{Name: "delete again", Method: "DELETE", Path: "/api/servers/1", Status: 404},
	} {
		r.Send(t, h)
	}
}
