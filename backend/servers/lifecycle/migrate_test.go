package lifecycle_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

// keeper is an installer whose vault can be looked into.
type keeper struct{ *lifecycle.Installer }

// keeping is an installer with a vault that is unlocked. changed, if any, is
// called when a value was just stored.
func keeping(t *testing.T, changed ...func(*keeper)) *keeper {
	t.Helper()
	i := &keeper{}
	folder, bus := paths.Folder(t.TempDir()), &events.Bus{}
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log := slog.New(slog.DiscardHandler)
	servers, err := registry.Open(t.Context(), db, bus)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Open(t.Context(), db, bus, log)
	if err != nil {
		t.Fatal(err)
	}
	vault := secrets.NewVault(secrets.Options{Store: db, Bus: bus, Folder: folder, NoKeychain: true, Work: 10, Changed: func(string) {
		for _, do := range changed {
			do(i)
		}
	}})
	if err := vault.Unlock(t.Context(), "pass"); err != nil {
		t.Fatal(err)
	}
	i.Installer = lifecycle.New(lifecycle.Options{
		Registry: servers, Catalog: tools, Vault: vault,
		Upstream: upstream.New(upstream.Options{Registry: servers, Catalog: tools, Bus: bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json")}),
	})
	return i
}

func (i *keeper) added(t *testing.T, s registry.Server) registry.Server {
	t.Helper()
	s, err := i.Registry.Add(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// migrated is what Migrate says, a line each.
func (i *keeper) migrated(t *testing.T, apply bool, names ...string) []string {
	t.Helper()
	moves, err := i.Migrate(t.Context(), names, apply)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range moves {
		lines = append(lines, fmt.Sprint(m.Server, " ", m.Where, " ", m.Name, " ", m.Action))
	}
	return lines
}

func TestCredentialsMoveIntoTheVault(t *testing.T) {
	i := keeping(t)
	local := i.added(t, registry.Server{
		Name: "local", Command: "run", Args: []string{"--token", "abcdefgh", "--header", "Authorization: Bearer ijklmnop", "--header", "Authorization: Bearer qrstuvwx", "--api-key=of-variable"},
		Env: map[string]string{"API_KEY": "of-variable", "MODE": "fast"},
	})
	remote := i.added(t, registry.Server{
		Name: "remote", Transport: "streamable-http", URL: "https://me:pass-word@host/mcp?token=abcdefgh", Headers: map[string]string{"X-Api-Key": "ijklmnop"},
	})
	i.added(t, registry.Server{Name: "clean", Command: "run", URL: "https://host/?token=abcdefgh"})
	plan := []string{
		"local env.API_KEY API_KEY move", "local args[1] token move", "local args[3] Authorization move", "local args[5] Authorization-2 move", "local args[6] api-key move",
		"remote headers.X-Api-Key X-Api-Key move", "remote url url:password move", "remote url url:token move",
	}
	if got := i.migrated(t, false); !slices.Equal(got, plan) {
		t.Errorf("the plan is\n%s", strings.Join(got, "\n"))
	}
	if records, err := i.Vault.Names(t.Context()); err != nil || len(records) != 0 {
		t.Errorf("a plan stores %v, %v", records, err)
	}
	if now, _ := i.Registry.Get("local"); !slices.Equal(now.Args, local.Args) {
		t.Errorf("a plan changes %v", now.Args)
	}

	for n, line := range plan {
		plan[n] = strings.TrimSuffix(line, "move") + "moved"
	}
	if got := i.migrated(t, true); !slices.Equal(got, plan) {
		t.Errorf("it was\n%s", strings.Join(got, "\n"))
	}
	if got := i.migrated(t, true); len(got) != 0 {
		t.Errorf("the second time it was\n%s", strings.Join(got, "\n"))
	}
	fill := lifecycle.Filler{i.Vault}
	now, _ := i.Registry.Get("local")
	if text := fmt.Sprint(now); strings.Contains(text, "abcdefgh") || strings.Contains(text, "of-variable") || !strings.Contains(text, "Authorization: ${secret:Authorization}") {
		t.Errorf("the configuration is %s", text)
	}
	if filled, err := fill.Fill(t.Context(), now); err != nil || !slices.Equal(filled.Args, local.Args) || filled.Env["API_KEY"] != "of-variable" || filled.Env["MODE"] != "fast" {
		t.Errorf("a start gets %v %v, %v", filled.Args, filled.Env, err)
	}
	now, _ = i.Registry.Get("remote")
	if want := "https://me:${secret:url:password}@host/mcp?token=${secret:url:token}"; now.URL != want {
		t.Errorf("the URL is %s", now.URL)
	}
	filled, err := fill.Fill(t.Context(), now)
	if err != nil || filled.URL != remote.URL || len(filled.Headers) != 1 || filled.Headers["X-Api-Key"] != "ijklmnop" {
		t.Errorf("the remote server gets %s %v, %v", filled.URL, filled.Headers, err)
	}
}

func TestSecretWithAnotherValueIsNotOverwritten(t *testing.T) {
	i := keeping(t)
	i.added(t, registry.Server{Name: "one", Command: "run", Env: map[string]string{"API_KEY": "in-the-file"}, Args: []string{"--token=in-the-argument"}})
	for name, value := range map[string]string{"API_KEY": "in-the-vault", "token": "in-the-vault"} {
		if err := i.Vault.Set(t.Context(), "one", name, value); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"one env.API_KEY API_KEY conflict", "one args[0] token-2 moved"}
	if got := i.migrated(t, true); !slices.Equal(got, want) {
		t.Errorf("it was %q", got)
	}
	if now, _ := i.Registry.Get("one"); now.Env["API_KEY"] != "in-the-file" || now.Args[0] != "--token=${secret:token-2}" || !i.Vault.Holds(t.Context(), "one", "API_KEY", "in-the-vault") {
		t.Errorf("it became %v %v", now.Env, now.Args)
	}
}

func TestWithoutAKeeperNothingMoves(t *testing.T) {
	i := keeping(t)
	i.Vault = secrets.NewVault(secrets.Options{Store: i.Vault.Store, Bus: &events.Bus{}, Folder: paths.Folder(t.TempDir()), NoKeychain: true})
	i.added(t, registry.Server{Name: "one", Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
	moves, err := i.Migrate(t.Context(), nil, true)
	if err != nil || len(moves) != 1 || moves[0].Action != lifecycle.NotMoved || !strings.Contains(moves[0].Error, "secrets unlock") {
		t.Errorf("it was %v, %v", moves, err)
	}
	if now, _ := i.Registry.Get("one"); now.Env["API_KEY"] != "abcdefgh" {
		t.Errorf("it became %v", now.Env)
	}
}

func TestConfigurationStaysUntilTheValueIsReadBack(t *testing.T) {
	for what, lost := range map[string]func(*keeper){
		"the value is gone again": func(i *keeper) {
			if err := os.Remove(i.Vault.Folder.Sealed("secrets")); err != nil {
				t.Error(err)
			}
		},
		"somebody has changed it": func(i *keeper) {
			if _, err := i.Registry.Update(t.Context(), "one", func(s *registry.Server) { s.Env["API_KEY"] = "another-one" }); err != nil {
				t.Error(err)
			}
		},
	} {
		i := keeping(t, lost)
		i.added(t, registry.Server{Name: "one", Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
		if got := i.migrated(t, true); !slices.Equal(got, []string{"one env.API_KEY API_KEY failed"}) {
			t.Errorf("%s: it was %q", what, got)
		}
		if now, _ := i.Registry.Get("one"); strings.Contains(now.Env["API_KEY"], "${") {
			t.Errorf("%s: it became %v", what, now.Env)
		}
	}
}

func TestOnlyNamedServersAreMigrated(t *testing.T) {
	i := keeping(t)
	for _, name := range []string{"one", "two"} {
		i.added(t, registry.Server{Name: name, Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
	}
	if got := i.migrated(t, false, "two"); !slices.Equal(got, []string{"two env.API_KEY API_KEY move"}) {
		t.Errorf("it was %q", got)
	}
	if _, err := i.Migrate(t.Context(), []string{"none"}, false); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestLinksOutliveAMigration(t *testing.T) {
	i := keeping(t)
	i.added(t, registry.Server{Name: "owner", Command: "run"})
	user := i.added(t, registry.Server{Name: "user", Command: "run", Args: []string{"--token=abcdefgh", "${secret:owner/KEY}"}})
	if err := i.Vault.Set(t.Context(), "owner", "KEY", "of-owner"); err != nil {
		t.Fatal(err)
	}
	if err := i.Vault.Link(t.Context(), "user", upstream.LaunchOf(user), "owner", "KEY"); err != nil {
		t.Fatal(err)
	}
	i.migrated(t, true)
	now, _ := i.Registry.Get("user")
	filled, err := lifecycle.Filler{i.Vault}.Fill(t.Context(), now)
	if err != nil || !slices.Equal(filled.Args, []string{"--token=abcdefgh", "of-owner"}) {
		t.Errorf("a start gets %v, %v", filled.Args, err)
	}
}

func TestRemovedServerLeavesItsSecretsToNobody(t *testing.T) {
	i := keeping(t)
	i.added(t, registry.Server{Name: "one", Command: "run"})
	if err := i.Vault.Set(t.Context(), "one", "KEY", "of-one"); err != nil {
		t.Fatal(err)
	}
	if err := i.Remove(t.Context(), "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
	if err := i.Remove(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	again := i.added(t, registry.Server{Name: "one", Command: "run"})
	if filled, err := (lifecycle.Filler{i.Vault}).Fill(t.Context(), again); err != nil || len(filled.Env) != 0 {
		t.Errorf("its successor gets %v, %v", filled.Env, err)
	}
}

func TestAnAgentTakesNothingAwayThatAPersonBrought(t *testing.T) {
	for mode, want := range map[string][2]bool{"allow": {true, true}, "ask": {true, false}, "deny": {false, false}} {
		i := keeping(t)
		i.Agents.Install = mode
		i.added(t, registry.Server{Name: "plain"})
		i.added(t, registry.Server{Name: "trusted"})
		if err := i.Vault.Set(t.Context(), "trusted", "TOKEN", "correct-horse"); err != nil {
			t.Fatal(err)
		}
		for n, name := range []string{"plain", "trusted"} {
			err := i.Withdraw(t.Context(), name)
			if _, gone := i.Registry.Get(name); (gone != nil) != want[n] || (err == nil) != want[n] || err != nil && fault.KindOf(err) != fault.Denied {
				t.Errorf("%s: %s: %v", mode, name, err)
			}
		}
	}
}
