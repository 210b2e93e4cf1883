package hub_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/hub"
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
