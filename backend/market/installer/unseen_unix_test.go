//go:build unix

package installer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

func TestNothingIsDownloadedIfThereIsNoPlaceForSecrets(t *testing.T) {
	b := newBench(t, func(o *installer.Options) {
		o.Intake = intake.New(intake.Options{Vault: vault.New(vault.Options{Folder: paths.Folder(t.TempDir()), NoKeychain: true})})
	})
	ran := filepath.Join(b.bin, "ran")
	b.program("npm", "touch '"+ran+"'")
	o := order(listing.Package{
		Kind: listing.KindNPM, Identifier: "weather", Version: "1.0.0",
		Env: []listing.Field{{Name: "TOKEN", Input: listing.Input{Required: true, Secret: true}}},
	}, map[string][]string{"TOKEN": {"s3cret-value"}})
	result, err := b.install(o)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "agent-discover secrets unlock") {
		t.Errorf("got %+v, %v", result.Progress, err)
	}
	if _, found := os.Stat(ran); found == nil {
		t.Error("the package was downloaded")
	}
}

func TestNothingOfAnUnseenPackageRunsBeforeTheApproval(t *testing.T) {
	b := newBench(t, nil)
	ran := filepath.Join(b.bin, "ran")
	for _, program := range []string{"npx", "npm", "cargo"} {
		b.program(program, "touch '"+ran+"'")
	}
	for name, c := range map[string]struct {
		of   listing.Package
		want string // part of the error
	}{
		"npm": {of: listing.Package{
			Kind: listing.KindNPM, Identifier: "weather", Version: "1.0.0",
			Env: []listing.Field{{Name: "TOKEN", Input: listing.Input{Required: true, Secret: true}}},
		}},
		"cargo": {listing.Package{Kind: listing.KindCargo, Identifier: "weather", Version: "1.0.0"}, "which a person must see first"},
	} {
		t.Run(name, func(t *testing.T) {
			var answers map[string][]string
			if len(c.of.Env) > 0 {
				answers = map[string][]string{"TOKEN": {"s3cret-value"}}
			}
			o := order(c.of, answers)
			o.Request.Name, o.Unseen, o.ProposedBy = name+"-weather", true, "an editor"
			result, err := b.install(o)
			if _, found := os.Stat(ran); found == nil {
				t.Error("a program was run")
			}
			if c.want != "" {
				if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), c.want) {
					t.Errorf("got %+v, %v", result.Progress, err)
				}
				return
			}
			if err != nil || !result.Waiting || result.State != installer.Succeeded {
				t.Fatalf("got %+v, %v", result.Progress, err)
			}
			server, err := b.servers.Get("npm-weather")
			if err != nil || server.Approved || server.ProposedBy != "an editor" {
				t.Errorf("got %+v, %v", server, err)
			}
			if all, err := b.vault.Records(t.Context()); err != nil || len(all) != 1 {
				t.Errorf("the secrets are %v, %v", all, err)
			}
			if all, err := b.store.Installs.Installs(t.Context(), server.ID); err != nil || len(all) != 1 {
				t.Errorf("the installs are %v, %v", all, err)
			}
		})
	}
}
