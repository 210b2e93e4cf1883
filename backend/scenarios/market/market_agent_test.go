//go:build linux

package market_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withMarket runs a hub with the given settings that uses a marketplace on loopback.
func withMarket(t *testing.T, config string) *hub.Hub {
	t.Helper()
	home, programs, folder := t.TempDir(), t.TempDir(), paths.Folder(t.TempDir())
	m := markettest.Serve(t)
	m.Prepare(t, home, programs, mcptest.Command(t))
	for file, text := range map[string]string{
		filepath.Join(home, ".profile"): "export PATH='" + programs + "':$PATH PIP_INDEX_URL=http://127.0.0.1:9/simple\n",
		folder.Config():                 config,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hubtest.SetHomeTo(t, home)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder}, "SHELL=/bin/sh", "AGENT_DISCOVER_REGISTRY_URL="+m.Address,
		"AGENT_DISCOVER_PASSPHRASE=a long passphrase")
	return h
}

// answersOf calls the tool named registry and checks its replies, which may have several lines.
func answersOf(t *testing.T, a *hubtest.Agent, rows ...hubtest.Question) {
	t.Helper()
	for _, row := range rows {
		reply := a.Registry(row.Arguments)
		for _, part := range row.Want {
			if !strings.Contains(reply, part) {
				t.Errorf("%s: the reply does not contain %s:\n%s", row.Name, part, reply)
			}
		}
		for _, part := range row.Never {
			if strings.Contains(reply, part) {
				t.Errorf("%s: the reply must not contain %s:\n%s", row.Name, part, reply)
			}
		}
	}
}

func TestAnAgentFindsAServerAndProposesItAndAPersonApproves(t *testing.T) {
	h := withMarket(t, "")
	a := hubtest.Join(t, h, "agent")
	defer a.Leave()
	answersOf(
		t, a,
		hubtest.Question{
			Name: "browse", Arguments: `{"action":"browse","query":"forecast"}`,
			Want: []string{
				`"id": "official:io.github.ada/forecast"`, `"name": "io.github.ada/forecast"`,
				`"description": "Weather forecasts for a city"`, `"repository": "https://code.example/ada/forecast"`,
				`"name": "forecast-mcp",` + "\n" + `          "runtime": "node",` + "\n" + `          "version": "2.1.0"`,
				`"next_cursor": null`,
			},
			Never: []string{"installed", "score", "environmentVariables"},
		},
		hubtest.Question{
			Name: "browse one source", Arguments: `{"action":"browse","query":"weather","source":"npm","limit":"1"}`,
			Want: []string{`"id": "npm:weather-mcp"`}, Never: []string{"io.github.ada", "slow-mcp"},
		},
		hubtest.Question{
			Name:      "what is missing is listed, and secrets are not asked for",
			Arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","inputs":{"UNITS":"kelvin"}}`,
			Want: []string{
				`"status": "inputs_required"`, `"server": "forecast"`,
				`"name": "CITY",` + "\n" + `      "description": "City of the forecast"`,
				`"name": "UNITS"`, `"metric"`, `"problem": "The answer must be one of: metric, imperial."`,
				`"secrets": [` + "\n" + `    "API_KEY"`, "ask the user", "leave out the secrets",
			},
		},
		hubtest.Question{
			Name:      "a secret is refused",
			Arguments: `{"action":"install","source":"official","name":"io.github.ada/forecast","inputs":{"CITY":"Rome","API_KEY":"abcdefgh"}}`,
			Want:      []string{"Error [UNKNOWN_ERROR]: API_KEY is a secret: leave it out"}, Never: []string{"abcdefgh"},
		},
		hubtest.Question{
			Name: "an unknown input", Arguments: `{"action":"install","source":"npm","name":"weather-mcp","inputs":{"WIND":1}}`,
			Want: []string{"npm:weather-mcp does not ask for WIND"},
		},
		hubtest.Question{
			Name: "an unknown name", Arguments: `{"action":"install","source":"registry","name":"filesystem-x"}`,
			Want: []string{`the marketplace has no server named "filesystem-x"`, "with the action browse"},
		},
		hubtest.Question{
			Name: "an unknown id", Arguments: `{"action":"install","source":"registry","name":"npm:absent-mcp"}`,
			Want: []string{"npm has no package named absent-mcp"},
		},
		hubtest.Question{
			Name:      "a proposal",
			Arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","server":"sky","inputs":{"CITY":"Rome"}}`,
			Want: []string{
				`"status": "waiting_for_approval"`, `"server": "sky"`, `"source": "registry"`, `"command": "npx"`, `"forecast-mcp@2.1.0"`,
				"ask the user to look at sky in the Agent Discover tray or dashboard",
				"the user enters API_KEY as a secret", "never ask for the value",
			},
			Never: []string{"servers approve"},
		},
		hubtest.Question{
			Name:      "the same once more",
			Arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","server":"sky","inputs":{"CITY":"Rome"}}`,
			Want:      []string{`"status": "already_registered"`},
		},
		hubtest.Question{
			Name:      "another server of this name",
			Arguments: `{"action":"install","source":"registry","name":"npm:weather-mcp","server":"sky"}`,
			Want:      []string{"there is another server with the name sky"},
		},
		hubtest.Question{
			Name: "a package without its source", Arguments: `{"action":"install","source":"registry","name":"weather-mcp"}`,
			Want: []string{"name the server by its id, as browse returns it: npm:weather-mcp"},
		},
		hubtest.Question{
			Name: "an id alone", Arguments: `{"action":"install","name":"npm:weather-mcp"}`,
			Want: []string{`"status": "waiting_for_approval"`, `"id": "npm:weather-mcp"`}, Never: []string{"secret"},
		},
		hubtest.Question{
			Name:      "an entry of the official registry",
			Arguments: `{"action":"install","source":"registry","name":"io.github.ada/forecast","server":"other"}`,
			Want:      []string{`"status": "inputs_required"`},
		},
		hubtest.Question{
			Name: "the official registry", Arguments: `{"action":"browse","limit":1}`,
			Want: []string{`"id": "official:io.github.ada/`, `"next_cursor": `}, Never: []string{"npm:"},
		},
		hubtest.Question{
			Name: "a remote server", Arguments: `{"action":"install","name":"official:io.github.ada/far"}`,
			Want: []string{`"status": "waiting_for_approval"`, `"server": "far"`, `"url": "http://127.0.0.1:9/mcp"`},
		},
		hubtest.Question{
			Name: "the same remote server", Arguments: `{"action":"install","name":"official:io.github.ada/far"}`,
			Want: []string{`"status": "already_registered"`},
		},
		hubtest.Question{Name: "it does not start", Arguments: `{"action":"activate","name":"sky"}`, Want: []string{"approval"}},
	)

	if downloads, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "npm.log")); err == nil {
		t.Errorf("npm ran before the approval: %s", downloads)
	}
	var servers []operations.Server
	hubtest.Do(t, h, http.MethodGet, "/api/servers?query=sky", nil, &servers)
	sky := servers[0]
	if sky.Approved || sky.ProposedBy != "agent 7.1" || sky.Env["API_KEY"] != "${secret:API_KEY}" || sky.Env["CITY"] != "Rome" ||
		text(sky.PackageName) != "forecast-mcp" || text(sky.PackageVersion) != "2.1.0" {
		t.Errorf("the proposal is %+v", sky)
	}
	path := fmt.Sprintf("/api/servers/%d/", sky.ID)
	hubtest.Do(t, h, http.MethodPut, path+"secrets/API_KEY", map[string]string{"value": "correct-horse"}, nil)
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := person.Do(t.Context(), http.MethodPost, path+"approve",
		map[string]string{"launch_hash": sky.LaunchHash, "tools": "clean"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := person.Do(t.Context(), http.MethodPost, path+"refresh", nil, nil); err != nil {
		t.Fatal(err)
	}
	answersOf(t, a, hubtest.Question{
		Name: "a call", Arguments: `{"action":"proxy_call","server":"sky","tool":"environment"}`,
		Want: []string{"CITY=Rome", "API_KEY=correct-horse"},
	})
	answersOf(t, a, hubtest.Question{
		Name: "browse afterwards", Arguments: `{"action":"browse","query":"forecast"}`, Want: []string{`"installed": true`},
	})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestTheSettingDecidesWhetherAgentsInstallServersOfTheMarketplace(t *testing.T) {
	t.Run("allow", func(t *testing.T) {
		a := hubtest.Join(t, withMarket(t, "agents:\n  install: allow\n"), "agent")
		defer a.Leave()
		answersOf(
			t, a,
			hubtest.Question{
				Name: "a server", Arguments: `{"action":"install","source":"npm","name":"weather-mcp"}`,
				Want: []string{`"status": "installed"`, `"weather-mcp@1.0.0"`},
			},
			hubtest.Question{
				Name: "its tools", Arguments: `{"action":"proxy_call","server":"weather-mcp","tool":"forecast"}`, Never: []string{"Error"},
			},
			hubtest.Question{
				Name: "a server that does not start", Arguments: `{"action":"install","source":"npm","name":"broken-mcp"}`,
				Want: []string{"the station is closed"},
			},
			hubtest.Question{Name: "nothing is left of it", Arguments: `{"action":"list"}`, Never: []string{"broken-mcp"}},
			hubtest.Question{
				Name:      "a server that needs a secret",
				Arguments: `{"action":"install","source":"registry","name":"official:io.github.ada/forecast","inputs":{"CITY":"Rome"}}`,
				Want: []string{
					"needs a secret that only the user can enter (API_KEY)",
					"agent-discover market install official:io.github.ada/forecast",
				},
			},
		)
	})
	t.Run("deny", func(t *testing.T) {
		a := hubtest.Join(t, withMarket(t, "agents:\n  install: deny\n"), "agent")
		defer a.Leave()
		answersOf(t, a, hubtest.Question{
			Name: "a server", Arguments: `{"action":"install","source":"npm","name":"weather-mcp"}`,
			Want: []string{"agents may not install servers here"},
		})
	})
}
