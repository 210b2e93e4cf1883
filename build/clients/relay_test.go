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

// relay stands where our entry points to, starts the real program, and writes down both directions.
type relay struct {
	p               *person
	asked, answered string
}

// intercept puts a relay in the place of agent-discover; the entries in files stay as they are.
func (p *person) intercept() *relay {
	p.t.Helper()
	dir := filepath.Dir(p.program)
	r := &relay{p: p, asked: filepath.Join(dir, "asked"), answered: filepath.Join(dir, "answered")}
	moved := filepath.Join(dir, "moved", "agent-discover")
	if err := os.Mkdir(filepath.Dir(moved), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(p.program, moved); err != nil {
		p.t.Fatal(err)
	}
	script := "#!/bin/sh\ntee -a '" + r.asked + "' | '" + moved + "' \"$@\" | tee -a '" + r.answered + "'\n"
	if err := os.WriteFile(p.program, []byte(script), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// tools returns the names of the tools in every answer to tools/list.
func (r *relay) tools() []string {
	r.p.t.Helper()
	type message struct {
		ID     json.RawMessage
		Method string
		Result struct{ Tools []struct{ Name string } }
	}
	wanted := make(map[string]bool)
	for line := range strings.Lines(r.p.read(r.asked)) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/list" {
			wanted[string(m.ID)] = true
		}
	}
	var names []string
	for line := range strings.Lines(r.p.read(r.answered)) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "" && wanted[string(m.ID)] {
			for _, tool := range m.Result.Tools {
				names = append(names, tool.Name)
			}
		}
	}
	return names
}

// converse has a client list the tools of its servers, as it does at the start of a session. Its model refuses, so that
// the session ends with its first turn.
func (p *person) converse(c *client) {
	p.t.Helper()
	if c.session == nil {
		c.list(p, c)
		return
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"there is no model here"}}`))
	}))
	defer model.Close()
	cmd := p.client(c, c.session...)
	for _, variable := range c.sessionEnv {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(variable, "{model}", model.URL))
	}
	out, err := cmd.CombinedOutput()
	p.t.Logf("%s: %v\n%.3000s", strings.Join(c.session, " "), err, out)
}
