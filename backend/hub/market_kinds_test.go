//go:build linux

package hub_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// bundleOf makes a bundle whose server is a shell script. It asks for the place of the station.
func bundleOf(t *testing.T, script string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, text := range map[string]string{"run.sh": "#!/bin/sh\n" + script + "\n", "manifest.json": `{
		"manifest_version": "0.3", "name": "weather", "version": "1.2.0", "description": "Weather", "author": {"name": "Ada"},
		"server": {"type": "binary", "entry_point": "run.sh", "mcp_config": {"command": "${__dirname}/run.sh", "args": [], "env": {"PLACE": "${user_config.place}"}}},
		"user_config": {"place": {"type": "string", "title": "Place of the station", "description": "Town", "required": true}}}`} {
		member, err := archive.Create(name)
		if err == nil {
			_, err = member.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestABundleIsDownloadedBeforeItsQuestionsAreAsked(t *testing.T) {
	r := newRegistries(t)
	setHome(t)
	words := mcptest.Command(t)
	content := bundleOf(t, "exec '"+strings.Join(words, "' '")+"'")
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	t.Cleanup(files.Close)
	sum := sha256.Sum256(content)
	r.add("io.github.ada/weather", "1.2.0", map[string]any{"description": "Weather forecasts", "packages": []any{map[string]any{
		"registryType": "mcpb", "identifier": files.URL + "/weather.mcpb", "fileSha256": hex.EncodeToString(sum[:]), "transport": map[string]any{"type": "stdio"},
	}}})
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	const choice = `{"id":"official:io.github.ada/weather"}`
	const answered = `{"id":"official:io.github.ada/weather","answers":{"place":["Oslo"]}}`
	s.play(
		step{name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, want: []string{`"unresolved":"file"`, `"questions":[]`}},
		step{
			name: "prepare", method: "POST", path: "/api/market/prepare", body: choice, status: 202, want: []string{`"kind":"prepare"`},
			events: []string{`market.job "state":"done"`},
		},
		step{name: "plan with questions", method: "POST", path: "/api/market/plan", body: choice, status: 200, want: []string{`"label":"Place of the station"`, `"missing":true`}},
		step{name: "plan with answers", method: "POST", path: "/api/market/plan", body: answered, status: 200, want: []string{`"missing":false`, `/run.sh"`}, keep: "hash"},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + answered + `,"hash":"{hash}"}`, status: 202, person: true,
			events: []string{`market.job "state":"done"`},
		},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, want: []string{`"PLACE":"Oslo"`}, keep: "0.id"},
		step{name: "check", method: "POST", path: "/api/servers/{0.id}/health", status: 200, want: []string{`"status":"healthy"`}},
	)
}

func TestRemoteServersAreInstalled(t *testing.T) {
	node, servers := pinnedServers(t)
	r := newRegistries(t)
	setHome(t)
	for name, path := range map[string]string{"streamable-http": "/mcp", "sse": "/sse"} {
		mode := map[string]string{"streamable-http": "streamableHttp", "sse": "sse"}[name]
		r.add("io.github.ada/"+name, "1.0.0", map[string]any{"description": "Everything", "remotes": []any{
			map[string]any{"type": name, "url": "http://" + startRemote(t, node, servers, mode) + path},
		}})
	}
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, name := range []string{"streamable-http", "sse"} {
		choice := `{"id":"official:io.github.ada/` + name + `","name":"far-` + name + `"}`
		s.kept = nil
		s.play(
			step{name: name + ": plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash", want: []string{`"url":"http://127.0.0.1:`}},
			step{
				name: name + ": install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202, person: true,
				events: []string{`market.job "state":"done"`},
			},
			step{name: name + ": servers", method: "GET", path: "/api/servers?query=far-" + name, status: 200, want: []string{`"transport":"` + name + `"`}, keep: "0.id"},
			step{name: name + ": activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
			step{name: name + ": call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"echo","args":{"message":"hello"}}`, status: 200, want: []string{"Echo: hello"}},
			step{name: name + ": remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
		)
	}
}
