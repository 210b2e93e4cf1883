package hub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestACompanionWithoutAHubListsTheHubsOwnTools(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		h, _ := runHub(t, hub.Options{Folder: newDataFolder(t, "results:\n  folder: '"+folder+"'\n")})
		for _, surface := range []string{"", "registry", "meta", "native"} {
			for _, client := range []string{"", "codex", "cursor"} {
				a := introduced(t, h, companion.Entry{Surface: surface, Client: client}, `{}`)
				tools, err := json.Marshal(append([]json.RawMessage{}, gateway.OwnTools(surface, client, folder)...))
				if err != nil {
					t.Fatal(err)
				}
				if got, want := a.exchange("tools/list", "{}"), `"result":{"tools":`+string(tools)+`}`; got != want {
					t.Errorf("%q for %q, folder %q: the hub lists\n%s\nand the companion\n%s", surface, client, folder, got, want)
				}
			}
		}
	}
}

func TestACompanionWithoutAHubListsTheToolThatSavesFiles(t *testing.T) {
	t.Parallel()
	for settings, listed := range map[string]bool{"results: {folder: saved}\n": true, "results: [\n": false} {
		h := programtest.NewHome(t)
		h.Settings(settings)
		h.Run("stop") // otherwise the companion starts a hub
		c := h.CompanionOf("--surface", "native", "--client", "codex")
		if got := string(c.Ask("tools/list", `{}`).Line); !strings.Contains(got, "read_more") || strings.Contains(got, "save_block") != listed {
			t.Errorf("with the settings %q: %s", settings, got)
		}
	}
}
