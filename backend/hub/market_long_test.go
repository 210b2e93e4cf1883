//go:build market && linux

package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestRealServersOfNpmAreInstalledUpdatedAndRemoved(t *testing.T) {
	npmHome(t)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.live(realServer{
		id: "npm:@modelcontextprotocol/server-memory", version: "2025.4.25", name: "memory", tool: "read_graph", want: []string{"entities"},
	})
	s.live(realServer{
		id: "npm:@modelcontextprotocol/server-sequential-thinking", version: "2025.12.18", name: "thinking", tool: "sequentialthinking",
		args: `{"thought":"first","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, want: []string{"thoughtHistoryLength"},
	})
	s.live(realServer{
		id: "npm:mcp-server-code-runner", version: "0.1.7", name: "runner", tool: "run-code",
		args: `{"code":"console.log(6*7)","languageId":"javascript"}`, want: []string{"42"},
	})
}

func TestARealPythonServerThatFetchesIsInstalledUpdatedAndRemoved(t *testing.T) {
	uvHome(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "<html><body><p>Sunny in Oslo</p></body></html>")
	}))
	t.Cleanup(page.Close)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.live(realServer{
		id: "pypi:mcp-server-fetch", version: "2026.8.18", name: "fetch", tool: "fetch", args: `{"url":"` + page.URL + `/page"}`,
		want: []string{strings.TrimPrefix(page.URL, "http://")}, // newer versions refuse private addresses, and say so
	})
}

// published publishes the version 1.0.0 of a server in a registry, and returns a function that publishes others.
func published(t *testing.T, r *registries, name string, document func(version string) map[string]any) (publish func(version string)) {
	t.Helper()
	publish = func(version string) {
		d := document(version)
		d["description"] = "Weather forecasts"
		r.add("io.github.ada/"+name, version, d)
	}
	publish("1.0.0")
	return publish
}

func TestABundleIsInstalledUpdatedAndRemoved(t *testing.T) {
	r := newRegistries(t)
	setHome(t)
	start := "exec '" + strings.Join(mcptest.Command(t), "' '") + "'"
	files := http.NewServeMux()
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	publish := published(t, r, "weather", func(version string) map[string]any {
		content := bundleOf(t, "# version "+version+"\n"+start)
		files.HandleFunc("/"+version+".mcpb", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		})
		sum := sha256.Sum256(content)
		return map[string]any{"packages": []any{map[string]any{
			"registryType": "mcpb", "identifier": server.URL + "/" + version + ".mcpb", "fileSha256": hex.EncodeToString(sum[:]), "transport": map[string]any{"type": "stdio"},
		}}}
	})
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	s.live(realServer{
		id: "official:io.github.ada/weather", name: "weather", answers: `{"place":["Oslo"]}`, tool: "environment", want: []string{"PLACE=Oslo"}, publish: func() { publish("2.0.0") },
	})
}

func TestRemoteServersAreInstalledUpdatedAndRemoved(t *testing.T) {
	node, servers := pinnedServers(t)
	for transport, c := range map[string][2]string{"streamable-http": {"streamableHttp", "/mcp"}, "sse": {"sse", "/sse"}} {
		t.Run(transport, func(t *testing.T) {
			r := newRegistries(t)
			setHome(t)
			publish := published(t, r, "far", func(string) map[string]any { // each version has its own address
				return map[string]any{"remotes": []any{map[string]any{"type": transport, "url": "http://" + startRemote(t, node, servers, c[0]) + c[1]}}}
			})
			s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
			s.live(realServer{
				id: "official:io.github.ada/far", name: "far", tool: "echo", args: `{"message":"hello"}`, want: []string{"Echo: hello"}, publish: func() { publish("2.0.0") },
			})
		})
	}
}
