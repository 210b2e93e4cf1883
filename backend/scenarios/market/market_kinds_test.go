//go:build linux

package market_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// bundleOf makes a bundle whose server is a shell script. Its manifest asks the user for the place of a
// weather station.
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
	r := hubtest.NewRegistries(t)
	hubtest.SetHome(t)
	words := mcptest.Command(t)
	content := bundleOf(t, "exec '"+strings.Join(words, "' '")+"'")
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	t.Cleanup(files.Close)
	sum := sha256.Sum256(content)
	r.Add("io.github.ada/weather", "1.2.0", map[string]any{"description": "Weather forecasts", "packages": []any{map[string]any{
		"registryType": "mcpb", "identifier": files.URL + "/weather.mcpb", "fileSha256": hex.EncodeToString(sum[:]),
		"transport": map[string]any{"type": "stdio"},
	}}})
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	const choice = `{"id":"official:io.github.ada/weather"}`
	const answered = `{"id":"official:io.github.ada/weather","answers":{"place":["Oslo"]}}`
	s.Play(
		hubtest.Step{
			Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200,
			Want: []string{`"unresolved":"file"`, `"questions":[]`},
		},
		hubtest.Step{
			Name: "prepare", Method: "POST", Path: "/api/market/prepare", Body: choice, Status: 202, Want: []string{`"kind":"prepare"`},
			Events: []string{`market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "plan with questions", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200,
			Want: []string{`"label":"Place of the station"`, `"missing":true`},
		},
		hubtest.Step{
			Name: "plan with answers", Method: "POST", Path: "/api/market/plan", Body: answered, Status: 200,
			Want: []string{`"missing":false`, `/run.sh"`}, Keep: "hash",
		},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + answered + `,"hash":"{hash}"}`,
			Status: 202, Person: true,
			Events: []string{`market.job "state":"done"`},
		},
		hubtest.Step{Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"PLACE":"Oslo"`}, Keep: "0.id"},
		hubtest.Step{Name: "check", Method: "POST", Path: "/api/servers/{0.id}/health", Status: 200, Want: []string{`"status":"healthy"`}},
	)
}

func TestRemoteServersAreInstalled(t *testing.T) {
	node, servers := hubtest.PinnedServers(t)
	r := hubtest.NewRegistries(t)
	hubtest.SetHome(t)
	for name, path := range map[string]string{"streamable-http": "/mcp", "sse": "/sse"} {
		mode := map[string]string{"streamable-http": "streamableHttp", "sse": "sse"}[name]
		r.Add("io.github.ada/"+name, "1.0.0", map[string]any{"description": "Everything", "remotes": []any{
			map[string]any{"type": name, "url": "http://" + hubtest.StartRemote(t, node, servers, mode) + path},
		}})
	}
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, name := range []string{"streamable-http", "sse"} {
		choice := `{"id":"official:io.github.ada/` + name + `","name":"far-` + name + `"}`
		s.Kept = nil
		s.Play(
			hubtest.Step{
				Name: name + ": plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash",
				Want: []string{`"url":"http://127.0.0.1:`},
			},
			hubtest.Step{
				Name: name + ": install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`,
				Status: 202, Person: true,
				Events: []string{`market.job "state":"done"`},
			},
			hubtest.Step{
				Name: name + ": servers", Method: "GET", Path: "/api/servers?query=far-" + name, Status: 200,
				Want: []string{`"transport":"` + name + `"`}, Keep: "0.id",
			},
			hubtest.Step{Name: name + ": activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
			hubtest.Step{
				Name: name + ": call", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"echo","args":{"message":"hello"}}`,
				Status: 200, Want: []string{"Echo: hello"},
			},
			hubtest.Step{Name: name + ": remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
		)
	}
}
