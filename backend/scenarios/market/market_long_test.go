//go:build market && linux

package market_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestRealServersOfNpmAreInstalledUpdatedAndRemoved(t *testing.T) {
	npmHome(t)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.Live(hubtest.RealServer{
		ID: "npm:@modelcontextprotocol/server-memory", Version: "2025.4.25", Name: "memory", Tool: "read_graph", Want: []string{"entities"},
	})
	s.Live(hubtest.RealServer{
		ID: "npm:@modelcontextprotocol/server-sequential-thinking", Version: "2025.12.18", Name: "thinking", Tool: "sequentialthinking",
		Args: `{"thought":"first","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, Want: []string{"thoughtHistoryLength"},
	})
	s.Live(hubtest.RealServer{
		ID: "npm:mcp-server-code-runner", Version: "0.1.7", Name: "runner", Tool: "run-code",
		Args: `{"code":"console.log(6*7)","languageId":"javascript"}`, Want: []string{"42"},
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
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.Live(hubtest.RealServer{
		ID: "pypi:mcp-server-fetch", Version: "2026.8.18", Name: "fetch", Tool: "fetch", Args: `{"url":"` + page.URL + `/page"}`,
		Want: []string{strings.TrimPrefix(page.URL, "http://")}, // newer versions of the server refuse private addresses
	})
}

// published publishes version 1.0.0 of a server in a registry, and returns a function that publishes further
// versions.
func published(t *testing.T, r *hubtest.Registries, name string,
	document func(version string) map[string]any,
) (publish func(version string)) {
	t.Helper()
	publish = func(version string) {
		d := document(version)
		d["description"] = "Weather forecasts"
		r.Add("io.github.ada/"+name, version, d)
	}
	publish("1.0.0")
	return publish
}

func TestABundleIsInstalledUpdatedAndRemoved(t *testing.T) {
	r := hubtest.NewRegistries(t)
	hubtest.SetHome(t)
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
			"registryType": "mcpb", "identifier": server.URL + "/" + version + ".mcpb", "fileSha256": hex.EncodeToString(sum[:]),
			"transport": map[string]any{"type": "stdio"},
		}}}
	})
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	s.Live(hubtest.RealServer{
		ID: "official:io.github.ada/weather", Name: "weather", Answers: `{"place":["Oslo"]}`, Tool: "environment",
		Want: []string{"PLACE=Oslo"}, Publish: func() { publish("2.0.0") },
	})
}

func TestRemoteServersAreInstalledUpdatedAndRemoved(t *testing.T) {
	node, servers := hubtest.PinnedServers(t)
	for transport, c := range map[string][2]string{"streamable-http": {"streamableHttp", "/mcp"}, "sse": {"sse", "/sse"}} {
		t.Run(transport, func(t *testing.T) {
			r := hubtest.NewRegistries(t)
			hubtest.SetHome(t)
			publish := published(t, r, "far", func(string) map[string]any { // each version has its own address
				return map[string]any{
					"remotes": []any{
						map[string]any{"type": transport, "url": "http://" + hubtest.StartRemote(t, node, servers, c[0]) + c[1]},
					},
				}
			})
			s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
			s.Live(hubtest.RealServer{
				ID: "official:io.github.ada/far", Name: "far", Tool: "echo", Args: `{"message":"hello"}`, Want: []string{"Echo: hello"},
				Publish: func() { publish("2.0.0") },
			})
		})
	}
}
