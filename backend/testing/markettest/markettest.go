// Package markettest serves a small marketplace on loopback for tests: an official registry and an npm registry. It
// also creates programs that replace node, npm and npx and start a fake MCP server instead of a package. Packages are
// registries from which npm and uv install real packages.
//
// The official registry has io.github.ada/forecast, whose package forecast-mcp needs the variable CITY and the
// secret API_KEY, and io.github.ada/far at an address where nothing listens. npm has weather-mcp, which needs
// nothing, broken-mcp, which exits at once, and slow-mcp, whose download does not end. The npm packages have the
// version 1.0.0 until Publish is called. The server of version 2.0.0 has other tools.
package markettest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// npmPackages are the descriptions of the packages on npm, by their names.
var npmPackages = map[string]string{
	"weather-mcp": "Tells the weather of tomorrow", "broken-mcp": "Weather station that is closed", "slow-mcp": "Weather of last century",
	"forecast-mcp": "Weather forecasts",
}

const entries = `[{"server": {
	"name": "io.github.ada/forecast", "title": "Forecast", "description": "Weather forecasts for a city", "version": "2.1.0",
	"repository": {"url": "https://code.example/ada/forecast", "source": "github"},
	"packages": [{"registryType": "npm", "identifier": "forecast-mcp", "version": "2.1.0", "transport": {"type": "stdio"},
		"environmentVariables": [
			{"name": "CITY", "description": "City of the forecast", "isRequired": true},
			{"name": "API_KEY", "description": "Key of the weather service", "isRequired": true, "isSecret": true},
			{"name": "UNITS", "description": "Of temperatures", "choices": ["metric", "imperial"], "default": "metric"}]}]
}, "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active", "publishedAt": "2024-01-02T03:04:05Z", "isLatest": true}}},
{"server": {
	"name": "io.github.ada/far", "description": "Weather far away", "version": "1.0.0",
	"remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:9/mcp"}]
}, "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active", "publishedAt": "2024-01-02T03:04:05Z", "isLatest": true}}}]`

// Market is a marketplace on loopback.
type Market struct {
	Address string // base URL of both registries

	mu     sync.Mutex
	latest map[string]string // versions of npm packages
}

// Serve serves a marketplace until the test ends.
func Serve(t testing.TB) *Market {
	t.Helper()
	m := &Market{latest: make(map[string]string)}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(server.Close)
	m.Address = server.URL
	return m
}

// Publish makes a version of an npm package the latest one.
func (m *Market) Publish(name, version string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest[name] = version
}

func (m *Market) version(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return cmp.Or(m.latest[name], "1.0.0")
}

func (m *Market) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if name, ok := strings.CutPrefix(path, "v0.1/servers"); ok {
		serveEntries(w, strings.TrimPrefix(name, "/"), r.URL.Query().Get("search"))
		return
	}
	if path == "-/v1/search" {
		var found []any
		word, _, _ := strings.Cut(r.URL.Query().Get("text"), " ")
		for name, description := range npmPackages {
			if strings.Contains(strings.ToLower(name+" "+description), word) {
				found = append(found, map[string]any{
					"package": map[string]any{
						"name": name, "version": m.version(name), "description": description, "keywords": []string{"mcp-server"},
					}, "downloads": map[string]any{"monthly": 4000},
				})
			}
		}
		answer(w, map[string]any{"objects": append([]any{}, found...)})
		return
	}
	name, latest := strings.CutSuffix(path, "/latest")
	description, ok := npmPackages[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	versions := make(map[string]any)
	for _, version := range []string{"1.0.0", "2.0.0", "2.1.0"} {
		versions[version] = map[string]any{
			"name": name, "version": version, "description": description, "keywords": []string{"mcp", "mcp-server"},
			"bin": map[string]string{name: "main.js"},
		}
	}
	if latest {
		answer(w, versions[m.version(name)])
		return
	}
	answer(w, map[string]any{
		"name": name, "dist-tags": map[string]string{"latest": m.version(name)}, "versions": versions, "readme": "# " + name,
		"time": map[string]string{
			"created": "2023-01-01T00:00:00.000Z", "1.0.0": "2024-01-01T00:00:00.000Z", "2.0.0": "2025-01-01T00:00:00.000Z",
		},
	})
}

// serveEntries answers with entries of the official registry: all of them, those that match search, or the one with
// the given name.
func serveEntries(w http.ResponseWriter, name, search string) {
	var all []map[string]any
	if err := json.Unmarshal([]byte(entries), &all); err != nil {
		panic(err)
	}
	found := []any{}
	for _, entry := range all {
		own, _ := entry["server"].(map[string]any)["name"].(string)
		if wanted, _, ok := strings.Cut(name, "/versions"); ok {
			if wanted == own {
				answer(w, entry)
				return
			}
			continue
		}
		if strings.Contains(own, search) {
			found = append(found, entry)
		}
	}
	if name != "" {
		w.WriteHeader(http.StatusNotFound)
		answer(w, map[string]string{"error": "not found"})
		return
	}
	answer(w, map[string]any{"servers": found, "metadata": map[string]any{"count": len(found)}})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has left
}

// Prepare creates the programs in a folder, which the caller puts first in the PATH, and configures npm in a home
// folder for this marketplace. server is the command that starts the fake MCP server of package mcptest. The
// replaced npm appends its arguments to npm.log in the home folder. The program of the server is linked into the folder,
// too, because a confined server finds no program elsewhere in the folder for temporary files.
func (m *Market) Prepare(t testing.TB, home, programs string, server []string) {
	t.Helper()
	linked := filepath.Join(programs, "server")
	if err := errors.Join(os.MkdirAll(programs, 0o700), os.Link(server[0], linked)); err != nil {
		t.Fatal(err)
	}
	quoted := make([]string, len(server))
	for i, word := range append([]string{linked}, server[1:]...) {
		quoted[i] = "'" + word + "'"
	}
	start := "exec " + strings.Join(quoted, " ")
	files := map[string]string{
		filepath.Join(programs, "node"): "echo v24.1.0",
		filepath.Join(programs, "npm"): `[ "$1" = --version ] || echo "$*" >> "$HOME/npm.log"
case "$*" in
--version) echo 11.6.0;;
*slow-mcp*) echo "npm http fetch GET 200 slow-mcp"; exec sleep 600;;
*) echo "npm http fetch GET 200 a package";;
esac`,
		filepath.Join(programs, "npx"): fmt.Sprintf(`case "$*" in
--version) echo 11.6.0;;
*broken-mcp*) echo "Error: the station is closed" >&2; exit 1;;
*@2.0.0*) %[1]s -tool 'wind=Tell the wind' -tool 'forecast=Tell the weather of tomorrow';;
*) %[1]s -tool 'forecast=Tell the weather';;
esac`, start),
	}
	for path, script := range files {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry="+m.Address+"/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
