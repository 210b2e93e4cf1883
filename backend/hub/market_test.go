//go:build unix

package hub_test

import (
	"database/sql"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// weatherStation is an MCP server in JavaScript that says whether it has got its token, and prints it.
const weatherStation = `#!/usr/bin/env node
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

// weatherEntry is the server.json of a package on npm that needs a token.
func weatherEntry() map[string]any {
	return map[string]any{
		"description": "Weather forecasts for stations", "repository": map[string]any{"url": "https://github.com/ada/weather", "source": "github"},
		"packages": []any{map[string]any{
			"registryType": "npm", "identifier": "@ada/weather", "version": "1.0.0", "transport": map[string]any{"type": "stdio"},
			"environmentVariables": []any{map[string]any{"name": "STATION_TOKEN", "description": "Token of the station", "isRequired": true, "isSecret": true}},
		}},
	}
}

func TestAServerOfTheMarketplaceIsInstalledCalledAndRemoved(t *testing.T) {
	r := newRegistries(t)
	r.home()
	r.add("io.github.ada/weather", "1.0.0", weatherEntry())
	r.publish("@ada/weather", npmPackage{version: "1.0.0", description: "An MCP server for weather", program: weatherStation})
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	folder := newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	s := newScenario(t, hub.Options{Folder: folder})
	const token = "open-sesame-1234567"
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["` + token + `"]}}`
	secret := []string{token}
	s.play(
		step{name: "start page", method: "GET", path: "/api/market/start", status: 200, want: []string{`"id":"npm:@modelcontextprotocol/server-filesystem"`, `"categories":["databases"`}},
		step{
			name: "search", method: "GET", path: "/api/market/search?query=weather&wait_ms=15000", status: 200,
			want: []string{`"ids":["official:io.github.ada/weather","npm:@ada/weather"]`, `"installed":false`, `"done":true`},
		},
		step{name: "another source", method: "GET", path: "/api/market/search?query=weather&source=cargo", status: 422, want: []string{`"error":`}},
		step{
			name: "details", method: "GET", path: "/api/market/details?id=official:io.github.ada/weather", status: 200,
			want: []string{`"description":"Weather forecasts for stations"`, `"options":[{"id":"npm"`, `"program":"npx"`},
		},
		step{name: "unknown server", method: "GET", path: "/api/market/details?id=official:io.github.ada/rain", status: 404, want: []string{`"code":"not_found"`}},
		step{name: "no id", method: "GET", path: "/api/market/details?id=weather", status: 404, want: []string{"an ID is SOURCE:NAME"}},
		step{
			name: "plan without answers", method: "POST", path: "/api/market/plan", body: `{"id":"official:io.github.ada/weather"}`, status: 200,
			want: []string{`"name":"STATION_TOKEN"`, `"missing":true`},
		},
		step{
			name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash", never: secret,
			want: []string{`"command":["npx","-y","@ada/weather@1.0.0"]`, `"env":{"STATION_TOKEN":"${secret:STATION_TOKEN}"}`, `"missing":false`},
		},
		step{name: "install without a hash", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `}`, status: 422, never: secret, person: true},
		step{
			name: "install another plan", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"x"}`, status: 202, never: secret, person: true,
			events: []string{`market.job "error":"official:io.github.ada/weather is not what was approved any more`},
		},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202, never: secret, person: true, keep: "id",
			want:   []string{`"kind":"install"`, `"state":"running"`},
			events: []string{`market.job "step":"download"`, `market.output npm http fetch`, `market.job "state":"done"`},
		},
		step{name: "jobs", method: "GET", path: "/api/market/jobs", status: 200, want: []string{`"id":"{id}"`, `"tools":1`}, never: secret},
		step{name: "job", method: "GET", path: "/api/market/jobs/{id}", status: 200, want: []string{`"state":"done"`}, never: secret},
		step{name: "lines", method: "GET", path: "/api/market/jobs/{id}/lines", status: 200, want: []string{`"lines":[`}, never: secret},
		step{name: "cancel", method: "POST", path: "/api/market/jobs/{id}/cancel", status: 409},
		step{name: "unknown job", method: "GET", path: "/api/market/jobs/x", status: 404},
		step{name: "search again", method: "GET", path: "/api/market/search?query=weather", status: 200, want: []string{`"installed":true`}},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, want: []string{`"name":"weather"`}, keep: "0.id", never: secret},
		step{name: "activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
		step{name: "call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"forecast","args":{}}`, status: 200, want: []string{"sunny"}},
		step{name: "remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
		step{name: "search after the removal", method: "GET", path: "/api/market/search?query=weather", status: 200, want: []string{`"installed":false`}},
	)
	for _, message := range s.events.received() {
		if strings.Contains(message, token) {
			t.Errorf("a message contains the token: %.500s", message)
		}
	}
	s.hub.Stop()
	awaitEnd(t, s.ended)
	checkFilesWithout(t, string(folder), token)
}

// checkFilesWithout checks that no file of a folder contains a text.
func checkFilesWithout(t *testing.T, folder, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			t.Errorf("%s contains it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

func TestWhatAProgramInstallsWaitsForAPerson(t *testing.T) {
	r := newRegistries(t)
	r.home()
	r.add("io.github.ada/weather", "1.0.0", weatherEntry())
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["open-sesame-1234567"]}}`
	s.play(
		step{name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash"},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202,
			events: []string{`market.job "waiting_for_approval":true`, `market.job "state":"done"`},
		},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, want: []string{`"approved":false`, `"state":"waiting"`}},
		step{name: "a program", method: "POST", path: "/api/market/programs/node/install", status: 403, want: []string{"only a person"}},
		step{name: "an unknown program", method: "POST", path: "/api/market/programs/rm/install", status: 422, person: true},
	)
}

func TestNothingIsRequestedBeforeSomebodyUsesTheMarketplace(t *testing.T) {
	r := newRegistries(t)
	r.add("io.github.ada/weather", "1.0.0", weatherEntry())
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	s.play(
		step{name: "start page", method: "GET", path: "/api/market/start", status: 200},
		step{name: "copy", method: "GET", path: "/api/market/mirror", status: 200, want: []string{`{"address":"` + r.URL + `","entries":0,"running":false}`}},
	)
	if asked := r.asked(); len(asked) > 0 {
		t.Errorf("the registry was asked for %v", asked)
	}
	s.play(step{
		name: "refresh", method: "POST", path: "/api/market/sync", status: 202, events: []string{`market.mirror "entries":1,"refreshed"`},
	})
}

func TestTheCopyIsSearchedByMeaning(t *testing.T) {
	r := newRegistries(t)
	r.home()
	r.add("io.github.ada/weather", "1.0.0", weatherEntry())
	r.add("io.github.ada/ledger", "1.0.0", map[string]any{"description": "Bookkeeping for small companies"})
	folder := newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "refresh", method: "POST", path: "/api/market/sync", status: 202, events: []string{`market.mirror "entries":2,"refreshed"`}},
		step{name: "a word", method: "GET", path: "/api/market/search?query=weather&source=official", status: 200, want: []string{`"name":"io.github.ada/weather"`}},
	)
	database, err := sql.Open("sqlite", "file:"+folder.Database()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	programtest.Eventually(t, "the copy has vectors in a table of its own", func() bool {
		var own, tools int
		if err := database.QueryRow("SELECT (SELECT count(*) FROM mirror_vectors), (SELECT count(*) FROM vectors)").Scan(&own, &tools); err != nil {
			t.Fatal(err)
		}
		if tools > 0 {
			t.Fatal("the vectors of tools contain those of the copy")
		}
		return own == 2
	})
	s.play(step{name: "a meaning", method: "GET", path: "/api/market/search?query=meteorology&source=official", status: 200, want: []string{`"name":"io.github.ada/weather"`}})
}

func TestWithoutARegistryTheMarketplaceSaysSo(t *testing.T) {
	r := newRegistries(t)
	r.home()
	r.publish("@ada/weather-mcp-server", npmPackage{version: "1.0.0", description: "An MCP server for weather"})
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "refresh", method: "POST", path: "/api/market/sync", status: 503, want: []string{"set market.registry_url"}},
		step{
			name: "search", method: "GET", path: "/api/market/search?query=weather", status: 200,
			want: []string{`"ids":["npm:@ada/weather-mcp-server"]`, `{"source":"official","progress":"missing","found":0,"problem":"the official registry is switched off`},
		},
		step{name: "browse", method: "GET", path: "/api/browse", status: 200, want: []string{`"name":"@ada/weather-mcp-server"`}},
		step{name: "another page", method: "GET", path: "/api/browse?cursor=x", status: 503, want: []string{"the official registry is switched off"}},
		step{name: "a package", method: "GET", path: "/api/npm-check?package=@ada/weather-mcp-server", status: 200, want: []string{`{"exists":true}`}},
		step{name: "a missing package", method: "GET", path: "/api/npm-check?package=rain", status: 200, want: []string{`{"exists":false}`}},
		step{name: "no name of a package", method: "GET", path: "/api/npm-check?package=--help", status: 200, want: []string{`{"exists":false}`}},
		step{name: "no package", method: "GET", path: "/api/npm-check", status: 400, want: []string{"package query parameter is required"}},
	)
}

func TestARefreshGoesOnAfterARestart(t *testing.T) {
	r := newRegistries(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		r.add("io.github.ada/"+name, "1.0.0", map[string]any{"description": "Server " + name})
	}
	r.pageSize = 2
	reached, release := make(chan struct{}, 1), make(chan struct{})
	r.hold = func(query url.Values) {
		if query.Get("cursor") == "4" {
			reached <- struct{}{}
			<-release
		}
	}
	folder := newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	h, ended := runHub(t, hub.Options{Folder: folder})
	do(t, h, http.MethodPost, "/api/market/sync", nil, nil)
	<-reached
	h.Stop()
	awaitEnd(t, ended)
	close(release)
	r.mu.Lock()
	r.requests, r.hold = nil, nil
	r.mu.Unlock()

	h, _ = runHub(t, hub.Options{Folder: folder})
	var state operations.MirrorState
	do(t, h, http.MethodGet, "/api/market/mirror", nil, &state)
	if state.Entries != 4 || !state.Refreshed.IsZero() {
		t.Errorf("after the restart: %+v", state)
	}
	do(t, h, http.MethodPost, "/api/market/sync", nil, nil)
	programtest.Eventually(t, "the refresh is complete", func() bool {
		do(t, h, http.MethodGet, "/api/market/mirror", nil, &state)
		return !state.Refreshed.IsZero()
	})
	if asked := r.asked(); state.Entries != 5 || len(asked) != 1 || !strings.Contains(asked[0], "cursor=4") {
		t.Errorf("asked for %v: %+v", asked, state)
	}
}
