//go:build linux

package hub_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withMarket runs a hub that uses a marketplace on loopback, with settings.
func withMarket(t *testing.T, config string) *hub.Hub {
	t.Helper()
	home, programs, folder := t.TempDir(), t.TempDir(), paths.Folder(t.TempDir())
	m := markettest.Serve(t)
	m.Prepare(t, home, programs, mcptest.Command(t))
	for file, text := range map[string]string{
		filepath.Join(home, ".profile"): "export PATH='" + programs + "':$PATH PIP_INDEX_URL=http://127.0.0.1:9/simple\n", folder.Config(): config,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	setHomeTo(t, home)
	h, _ := runHub(t, hub.Options{Folder: folder}, "SHELL=/bin/sh", "AGENT_DISCOVER_REGISTRY_URL="+m.Address, "AGENT_DISCOVER_PASSPHRASE=a long passphrase")
	return h
}

// answersOf calls registry and checks the replies, which have several lines.
func answersOf(t *testing.T, a *agent, rows ...question) {
	t.Helper()
	for _, row := range rows {
		reply := a.registry(row.arguments)
		for _, part := range row.want {
			if !strings.Contains(reply, part) {
				t.Errorf("%s: the reply does not contain %s:\n%s", row.name, part, reply)
			}
		}
		for _, part := range row.never {
			if strings.Contains(reply, part) {
				t.Errorf("%s: the reply must not contain %s:\n%s", row.name, part, reply)
			}
		}
	}
}

func TestAnAgentFindsAServerAndProposesItAndAPersonApproves(t *testing.T) {
	h := withMarket(t, "")
	a := join(t, h, "agent")
	defer a.leave()
	answersOf(
		t, a,
		question{
			name: "browse", arguments: `{"action":"browse","query":"forecast"}`,
			want: []string{
				`"id": "official:io.github.ada/forecast"`, `"name": "io.github.ada/forecast"`, `"description": "Weather forecasts for a city"`, `"repository": "https://code.example/ada/forecast"`,
				`"name": "forecast-mcp",` + "\n" + `          "runtime": "node",` + "\n" + `          "version": "2.1.0"`, `"next_cursor": null`,
			},
			never: []string{"installed", "score", "environmentVariables"},
		},
		question{name: "browse one source", arguments: `{"action":"browse","query":"weather","source":"npm","limit":"1"}`, want: []string{`"id": "npm:weather-mcp"`}, never: []string{"io.github.ada", "slow-mcp"}},
		question{
			name: "what is missing is listed, and secrets are not asked for", arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","inputs":{"UNITS":"kelvin"}}`,
			want: []string{
				`"status": "inputs_required"`, `"server": "forecast"`, `"name": "CITY",` + "\n" + `      "description": "City of the forecast"`,
				`"name": "UNITS"`, `"metric"`, `"problem": "The answer must be one of: metric, imperial."`, `"secrets": [` + "\n" + `    "API_KEY"`, "ask the user", "leave out the secrets",
			},
		},
		question{
			name: "a secret is refused", arguments: `{"action":"install","source":"official","name":"io.github.ada/forecast","inputs":{"CITY":"Rome","API_KEY":"abcdefgh"}}`,
			want: []string{"Error [UNKNOWN_ERROR]: API_KEY is a secret: leave it out"}, never: []string{"abcdefgh"},
		},
		question{name: "an unknown input", arguments: `{"action":"install","source":"npm","name":"weather-mcp","inputs":{"WIND":1}}`, want: []string{"npm:weather-mcp does not ask for WIND"}},
		question{name: "an unknown name", arguments: `{"action":"install","source":"registry","name":"filesystem-x"}`, want: []string{`command is required for manual installation (or use source: "registry" to auto-detect)`}},
		question{name: "an unknown id", arguments: `{"action":"install","source":"registry","name":"npm:absent-mcp"}`, want: []string{"npm has no package named absent-mcp"}},
		question{
			name: "a proposal", arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","server":"sky","inputs":{"CITY":"Rome"}}`,
			want: []string{
				`"status": "waiting_for_approval"`, `"server": "sky"`, `"source": "registry"`, `"command": "npx"`, `"forecast-mcp@2.1.0"`,
				"ask the user to look at sky in the Agent Discover tray or dashboard", "the user enters API_KEY as a secret", "never ask for the value",
			},
			never: []string{"servers approve"},
		},
		question{name: "the same once more", arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","server":"sky","inputs":{"CITY":"Rome"}}`, want: []string{`"status": "already_registered"`}},
		question{name: "another server of this name", arguments: `{"action":"install","source":"registry","name":"npm:weather-mcp","server":"sky"}`, want: []string{"there is another server with the name sky"}},
		question{name: "a package without its source", arguments: `{"action":"install","source":"registry","name":"weather-mcp"}`, want: []string{"name the server by its id, as browse returns it: npm:weather-mcp"}},
		question{name: "an id alone", arguments: `{"action":"install","name":"npm:weather-mcp"}`, want: []string{`"status": "waiting_for_approval"`, `"id": "npm:weather-mcp"`}, never: []string{"secret"}},
		question{name: "an entry of the official registry", arguments: `{"action":"install","source":"registry","name":"io.github.ada/forecast","server":"other"}`, want: []string{`"status": "inputs_required"`}},
		question{name: "the official registry", arguments: `{"action":"browse","limit":1}`, want: []string{`"id": "official:io.github.ada/`, `"next_cursor": `}, never: []string{"npm:"}},
		question{name: "a remote server", arguments: `{"action":"install","name":"official:io.github.ada/far"}`, want: []string{`"status": "waiting_for_approval"`, `"server": "far"`, `"url": "http://127.0.0.1:9/mcp"`}},
		question{name: "the same remote server", arguments: `{"action":"install","name":"official:io.github.ada/far"}`, want: []string{`"status": "already_registered"`}},
		question{name: "it does not start", arguments: `{"action":"activate","name":"sky"}`, want: []string{"approval"}},
	)

	if downloads, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "npm.log")); err == nil {
		t.Errorf("npm ran before the approval: %s", downloads)
	}
	var servers []operations.Server
	do(t, h, http.MethodGet, "/api/servers?query=sky", nil, &servers)
	sky := servers[0]
	if sky.Approved || sky.ProposedBy != "agent 7.1" || sky.Env["API_KEY"] != "${secret:API_KEY}" || sky.Env["CITY"] != "Rome" || text(sky.PackageName) != "forecast-mcp" || text(sky.PackageVersion) != "2.1.0" {
		t.Errorf("the proposal is %+v", sky)
	}
	path := fmt.Sprintf("/api/servers/%d/", sky.ID)
	do(t, h, http.MethodPut, path+"secrets/API_KEY", map[string]string{"value": "correct-horse"}, nil)
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := person.Do(t.Context(), http.MethodPost, path+"approve", map[string]string{"launch_hash": sky.LaunchHash, "tools": "clean"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := person.Do(t.Context(), http.MethodPost, path+"refresh", nil, nil); err != nil {
		t.Fatal(err)
	}
	answersOf(t, a, question{name: "a call", arguments: `{"action":"proxy_call","server":"sky","tool":"environment"}`, want: []string{"CITY=Rome", "API_KEY=correct-horse"}})
	answersOf(t, a, question{name: "browse afterwards", arguments: `{"action":"browse","query":"forecast"}`, want: []string{`"installed": true`}})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestTheSettingDecidesWhetherAgentsInstallServersOfTheMarketplace(t *testing.T) {
	t.Run("allow", func(t *testing.T) {
		a := join(t, withMarket(t, "agents:\n  install: allow\n"), "agent")
		defer a.leave()
		answersOf(
			t, a,
			question{name: "a server", arguments: `{"action":"install","source":"npm","name":"weather-mcp"}`, want: []string{`"status": "installed"`, `"weather-mcp@1.0.0"`}},
			question{name: "its tools", arguments: `{"action":"proxy_call","server":"weather-mcp","tool":"forecast"}`, never: []string{"Error"}},
			question{name: "a server that does not start", arguments: `{"action":"install","source":"npm","name":"broken-mcp"}`, want: []string{"the station is closed"}},
			question{name: "nothing is left of it", arguments: `{"action":"list"}`, never: []string{"broken-mcp"}},
			question{
				name: "a server that needs a secret", arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","inputs":{"CITY":"Rome"}}`,
				want: []string{"needs a secret that only the user can enter (API_KEY)", "agent-discover market install official:io.github.ada/forecast"},
			},
		)
	})
	t.Run("deny", func(t *testing.T) {
		a := join(t, withMarket(t, "agents:\n  install: deny\n"), "agent")
		defer a.leave()
		answersOf(t, a, question{name: "a server", arguments: `{"action":"install","source":"npm","name":"weather-mcp"}`, want: []string{"agents may not install servers here"}})
	})
}
