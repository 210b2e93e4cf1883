package servers_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestACompanionWithoutAHubListsTheHubsOwnTools(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "results:\n  folder: '"+folder+"'\n")})
		for _, surface := range []string{"", "registry", "meta", "native"} {
			for _, client := range []string{"", "codex", "cursor"} {
				a := hubtest.Introduced(t, h, companion.Entry{Surface: surface, Client: client}, `{}`)
				tools, err := json.Marshal(append([]json.RawMessage{}, gateway.OwnTools(surface, client, folder)...))
				if err != nil {
					t.Fatal(err)
				}
				if got, want := a.Exchange("tools/list", "{}"), `"result":{"tools":`+string(tools)+`}`; got != want {
					t.Errorf("%q for %q, folder %q: the hub lists\n%s\nand the companion\n%s", surface, client, folder, got, want)
				}
			}
		}
	}
}
