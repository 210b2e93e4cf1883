//go:build clients

package clients

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
)

// relay replaces the program that the Agent Discover entry of a client starts. It runs the real program and records
// the input and output of that program.
type relay struct {
	u                   *user
	requests, responses string // paths of files
}

// installRelay replaces agent-discover by a relay. The entries in files stay unchanged.
func (u *user) installRelay() *relay {
	u.t.Helper()
	dir := filepath.Dir(u.program)
	r := &relay{u: u, requests: filepath.Join(dir, "requests"), responses: filepath.Join(dir, "responses")}
	moved := filepath.Join(dir, "moved", "agent-discover")
	if err := os.Mkdir(filepath.Dir(moved), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Rename(u.program, moved); err != nil {
		u.t.Fatal(err)
	}
	script := "#!/bin/sh\ntee -a '" + r.requests + "' | '" + moved + "' \"$@\" | tee -a '" + r.responses + "'\n"
	if err := os.WriteFile(u.program, []byte(script), 0o755); err != nil {
		u.t.Fatal(err)
	}
	return r
}

// definition is a tool as the hub lists it.
type definition struct {
	Name, Description string
	InputSchema       arguments
}

// definitions returns the tools in the answers to tools/list, by name.
func (r *relay) definitions() map[string]definition {
	r.u.t.Helper()
	type message struct {
		ID     json.RawMessage
		Method string
		Result struct{ Tools []definition }
	}
	wanted := make(map[string]bool)
	for line := range strings.Lines(r.u.read(r.requests)) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/list" {
			wanted[string(m.ID)] = true
		}
	}
	tools := make(map[string]definition)
	for line := range strings.Lines(r.u.read(r.responses)) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "" && wanted[string(m.ID)] {
			for _, tool := range m.Result.Tools {
				tools[tool.Name] = tool
			}
		}
	}
	return tools
}

// listTools makes a client list the tools of its servers, as it does at the start of a session.
func (u *user) listTools(c *client) {
	u.t.Helper()
	if c.session == nil {
		c.list(u, c)
		return
	}
	u.runSession(c)
}

// runSession runs a session of a client and returns its output. The model API rejects all requests, so that the session ends
// with its first turn.
func (u *user) runSession(c *client) string {
	u.t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"this test has no model"}}`))
	}))
	defer model.Close()
	cmd := u.client(c, c.session...)
	for _, variable := range c.sessionEnv {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(variable, "{model}", model.URL))
	}
	out, err := cmd.CombinedOutput()
	u.t.Logf("%s: %v\n%.3000s", strings.Join(c.session, " "), err, out)
	return string(out)
}
