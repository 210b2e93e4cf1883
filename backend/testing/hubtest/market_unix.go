//go:build unix

package hubtest

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// WeatherStation is an MCP server in JavaScript. Its tool reports whether STATION_TOKEN has the right value, and the
// server prints the value to stderr.
const WeatherStation = `#!/usr/bin/env node
console.error("the token is " + process.env.STATION_TOKEN)
require("readline").createInterface({input: process.stdin}).on("line", line => {
	const m = JSON.parse(line)
	if (m.id === undefined) return
	const known = process.env.STATION_TOKEN === "open-sesame-1234567"
	const results = {
		initialize: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "weather", version: "1.0.0"}},
		"tools/list": {tools: [{name: "forecast", description: "Forecasts the weather", inputSchema: {type: "object"}}]},
		"tools/call": {content: [{type: "text", text: known ? "sunny" : "unknown station"}]},
	}
	const answer = results[m.method] ? {result: results[m.method]} : {error: {code: -32601, message: "unknown method"}}
	console.log(JSON.stringify({jsonrpc: "2.0", id: m.id, ...answer}))
})
`

// WeatherEntry returns the server.json of an npm package that needs a token.
func WeatherEntry() map[string]any {
	return map[string]any{
		"description": "Weather forecasts for stations", "repository": map[string]any{
			"url": "https://github.com/ada/weather", "source": "github",
		},
		"packages": []any{map[string]any{
			"registryType": "npm", "identifier": "@ada/weather", "version": "1.0.0", "transport": map[string]any{"type": "stdio"},
			"environmentVariables": []any{
				map[string]any{"name": "STATION_TOKEN", "description": "Token of the station", "isRequired": true, "isSecret": true},
			},
		}},
	}
}

// RealServer describes a server in the marketplace, and the data with which Live tests it.
type RealServer struct {
	ID, Version string // Version is an older version to install; empty for the listed version
	Name        string
	Answers     string // a person's answers for the plan, as JSON
	Tool, Args  string
	Want        []string // must be in the result of the tool
	Publish     func()   // publishes a newer version; nil if the registry already has one
}

// Live installs a server, calls it, updates it, rolls it back and removes it.
func (s *Scenario) Live(c RealServer) {
	s.T.Helper()
	choice := s.JSON(map[string]any{"id": c.ID, "version": c.Version, "name": c.Name, "answers": json.RawMessage(OrElse(c.Answers, "{}"))})
	updates := "/api/market/updates/" + c.Name
	call := Step{
		Name: "call", Method: "POST", Path: "/api/servers/{0.id}/call",
		Body: `{"tool":"` + c.Tool + `","args":` + OrElse(c.Args, "{}") + `}`, Status: 200, Want: c.Want,
	}
	list := Step{Name: "list", Method: "GET", Path: "/api/market/updates", Status: 200, Keep: "servers.0.version"}
	s.job("/api/market/prepare", choice)
	s.Play(Step{Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash"})
	s.job("/api/market/install", `{"request":`+choice+`,"hash":"{hash}"}`)
	s.Play(
		Step{Name: "servers", Method: "GET", Path: "/api/servers?query=" + c.Name, Status: 200, Keep: "0.id"},
		Step{Name: "activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
		call, list,
	)
	installed := s.value("servers.0.version")
	if c.Publish != nil {
		c.Publish()
		s.job("/api/market/sync", "")
	}
	s.Play(Step{Name: "check", Method: "POST", Path: "/api/market/updates/check", Status: 200, Want: []string{`"updatable":true`}})
	s.job(updates+"/compare", "{}")
	s.Play(Step{Name: "comparison", Method: "GET", Path: updates, Status: 200, Keep: "hash", Want: []string{`"from":"` + installed + `"`}})
	s.job(updates+"/apply", `{"hash":"{hash}"}`)
	s.Play(call, list)
	if now := s.value("servers.0.version"); now == installed {
		s.T.Errorf("the version is still %s after the update", now)
	}
	s.job(updates+"/rollback", "")
	s.Play(call, list)
	if now := s.value("servers.0.version"); now != installed {
		s.T.Errorf("the version is %s after the rollback, want %s", now, installed)
	}
	s.Play(
		Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
		Step{Name: "list after the removal", Method: "GET", Path: "/api/market/updates", Status: 200, Want: []string{`{"servers":[]}`}},
		Step{Name: "servers after the removal", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`[]`}},
		Step{Name: "call after the removal", Method: "POST", Path: "/api/servers/{0.id}/call", Body: call.Body, Status: 404},
	)
}

// OrElse returns text, or other if text is empty.
func OrElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// value returns the last value that a step kept under path.
func (s *Scenario) value(path string) string {
	return strings.NewReplacer(s.Kept...).Replace("{" + path + "}")
}

// Downloads limits the duration of a job that downloads packages.
const Downloads = 5 * time.Minute

// job starts a job as a person and waits until it has succeeded.
func (s *Scenario) job(path, body string) {
	s.T.Helper()
	mark := s.Events.Mark()
	s.step(Step{Name: path, Method: "POST", Path: path, Body: body, Status: http.StatusAccepted, Person: true, Keep: "id"})
	id := s.value("id")
	if !strings.HasPrefix(path, "/api/market/prepare") && id == "null" { // a synchronization is no job: wait for its event
		s.Events.Await(s.T, path, mark, "market.mirror", `"refreshed"`)
		return
	}
	ctx, cancel := context.WithTimeout(s.T.Context(), Downloads)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		_, answer := s.Send("GET", "/api/market/jobs/"+id, "")
		if strings.Contains(answer, `"state":"done"`) {
			return
		}
		if !strings.Contains(answer, `"state":"running"`) || ctx.Err() != nil {
			_, lines := s.Send("GET", "/api/market/jobs/"+id+"/lines", "")
			s.T.Fatalf("%s: %s\n%s", path, answer, lines)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// StationTwo is version 2.0.0 of WeatherStation. It has another tool and needs a region.
var StationTwo = strings.NewReplacer(
	`"1.0.0"`, `"2.0.0"`, `"Forecasts the weather"`, `"Forecasts the weather of a region"`,
	`tools: [{`, `tools: [{name: "alerts", description: "Warns", inputSchema: {type: "object"}}, {`,
	`"sunny"`, `"sunny in " + process.env.REGION`,
).Replace(WeatherStation)

// Republish adds version 2.0.0 of the weather server to the official registry and to npm.
func (r *Registries) Republish() {
	entry := WeatherEntry()
	pkg := entry["packages"].([]any)[0].(map[string]any)
	pkg["version"] = "2.0.0"
	pkg["environmentVariables"] = append(pkg["environmentVariables"].([]any), map[string]any{"name": "REGION", "isRequired": true})
	r.Add("io.github.ada/weather", "2.0.0", entry)
	r.Publish("@ada/weather", NpmPackage{Version: "2.0.0", Description: "An MCP server for weather", Program: StationTwo})
}

// Profile writes a .profile that sets variables and a PATH that begins with path.
func Profile(t *testing.T, home, path string, env map[string]string) {
	t.Helper()
	text := "export PATH='" + path + ":/usr/bin:/bin'\n"
	for name, value := range env {
		text += "export " + name + "='" + value + "'\n"
	}
	WriteFile(t, filepath.Join(home, ".profile"), text)
}

// UserNPM returns the path of npm, and environment variables for it. With these, npm uses the npm settings of
// the person who runs the tests, and a new cache. UserNPM skips the test if npm's registry cannot be reached.
func UserNPM(t *testing.T) (npm string, env map[string]string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	cache := t.TempDir()
	view := exec.CommandContext(t.Context(), npm, "view", "ms@2.1.3", "version", "--fetch-retries=0", "--fetch-timeout=20000",
		"--cache", cache)
	if out, err := view.Output(); err != nil || strings.TrimSpace(string(out)) != "2.1.3" {
		t.Skip("the package registry cannot be reached")
	}
	config, _ := exec.Command(npm, "config", "get", "userconfig").Output()
	env = map[string]string{"npm_config_userconfig": strings.TrimSpace(string(config)), "npm_config_cache": cache}
	for _, name := range []string{
		"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "npm_config_registry",
	} {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	return npm, env
}
