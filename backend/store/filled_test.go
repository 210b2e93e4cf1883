package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// fill adds n servers to a store, and at least one row for each of them to every table.
func fill(t *testing.T, s *Store, n int) {
	t.Helper()
	ctx, at := t.Context(), time.UnixMilli(1790000000000).UTC()
	var entries []audit.Sealed
	var records []journal.Record
	for i := range n {
		name := fmt.Sprint("server-", i)
		tool, ok := catalog.NewTool(name, fmt.Appendf(nil, `{"name":"read","description":%q}`, strings.Repeat("Reads a file. ", 20)))
		if !ok {
			t.Fatal("no tool")
		}
		v := registry.Server{
			Name: name, Source: "local", Transport: "stdio", Command: "npx", Args: []string{"-y", fmt.Sprint("package-", i)},
			Approved: true, AlwaysListed: true,
			Env: map[string]string{"LEVEL": "3"}, Sandbox: registry.Unconfined, Grants: registry.Grants{Write: []string{"~/notes"}},
		}
		id, err := s.Servers.InsertServer(ctx, v)
		must(t, err)
		key := catalog.Key{Server: name, Tool: "read"}
		added := catalog.Change{Tool: "read", Kind: catalog.Added, Current: tool.Hash, Definition: tool.Definition}
		must(t, s.Tools.ReplaceTools(ctx, name, []*catalog.Tool{tool}, []catalog.Change{added}))
		must(t, s.Features.SetFeatures(ctx,
			features.List{Server: name, Kind: features.Prompts, Definitions: []json.RawMessage{[]byte(`{"name":"p"}`)}}))
		must(t, s.Slugs.SaveSlug(ctx, id, fmt.Sprint("slug-", i)))
		must(t, s.Secrets.PutSecret(ctx, vault.Record{Server: name, Name: "KEY", Kept: vault.InFile, UpdatedAt: at}))
		must(t, s.Secrets.PutSecretLink(ctx, vault.Link{Server: name, Owner: "other", Name: "KEY", Runs: "x"}))
		_, err = s.Presets.SavePreset(ctx,
			inspector.Preset{Server: name, Kind: "tool", Target: "read", Name: "mine", Payload: []byte(`{}`)})
		must(t, err)
		must(t, s.Answers.SaveAnswer(ctx, inspector.Remembered{ID: name, Server: name, Mode: "form", Action: "accept", At: at}))
		must(t, s.Learning.KeepLearned(ctx, []learning.Pair{{ID: int64(i + 1), Query: "read", Tool: key, Times: 1, Last: at}}, nil))
		must(t, s.Installs.SaveInstall(ctx,
			installer.Install{Server: id, Listing: listing.Listing{Source: listing.NPM, Name: name}, Version: "1", At: at}))
		must(t, s.Installs.SaveLatest(ctx, id, updates.Latest{}))
		set := toolset.Toolset{Name: fmt.Sprint("set-", i), Approved: true, Tools: []toolset.Reference{{Server: name, Tool: "read"}}}
		must(t, s.Toolsets.SaveToolset(ctx, set))
		must(t, s.Toolsets.SaveEquipped(ctx, fmt.Sprint("client-", i), fmt.Sprint("set-", i)))
		must(t, s.Personas.SavePersona(ctx,
			persona.ActivePersona{Name: fmt.Sprint("persona-", i), Servers: []persona.AddedServer{{ID: id, Name: name}}}))
		must(t, s.ToolApprovals.SaveToolApproval(ctx, rules.Approval{Tool: key, Hash: "h", At: at}))
		must(t, s.SessionTools.SaveSessionTools(ctx, name, []catalog.Key{key}))
		must(t, s.Clients.KeepClient(ctx, gateway.SeenClient{Name: fmt.Sprint("client-", i), First: at, Last: at}))
		must(t, s.Credentials.AddCredential(ctx,
			credentials.Credential{ID: name, Name: name, Hash: [32]byte{byte(i), byte(i >> 8)}, Surface: "registry", Created: at}))
		hash, launch := quarantine.HashOf(quarantine.Tool, tool.Definition), quarantine.LaunchOf(v)
		must(t, s.Trust.SaveTrust(ctx,
			quarantine.Server{Name: name, Launch: launch.Hash(), Form: launch, Since: at, Lists: []quarantine.Kind{quarantine.Tool}},
			[]*quarantine.Item{{
				Server: name, Kind: quarantine.Tool, Name: "read", State: quarantine.Approved, By: quarantine.Person, At: at, Listed: true,
				Hash: hash, Approved: hash, ApprovedText: tool.Definition,
			}}, nil))
		records = append(records, journal.Record{
			ID: int64(i + 1), At: at, Kind: journal.Call, Server: name, Tool: "read", Args: "{}", Outcome: journal.OK,
		})
		entries = append(entries, audit.Sealed{Seq: int64(i + 1), At: at, Text: "{}", Hash: name})
	}
	var tallies []journal.Tally
	for _, r := range records {
		tallies = append(tallies, journal.Tally{Server: r.Server, Tool: r.Tool, Calls: 1, Last: at})
	}
	must(t, s.Calls.AppendRecords(ctx, records, tallies, entries))
	must(t, s.Learning.KeepLearningSwitch(ctx, learning.Switch{}))
	l := listing.Listing{Source: listing.Official, Name: "a/b", Version: "1", Status: listing.Active}
	must(t, s.Mirror.ChangeMirror(ctx, mirror.Change{Put: []mirror.Stored{{Listing: l}}}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
