package secretmigration_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// bench is a registry and an unlocked vault in a temporary folder.
type bench struct {
	t        *testing.T
	folder   paths.Folder
	servers  *registry.Registry
	vault    *vault.Vault
	migrator *secretmigration.Migrator
}

// newBench returns a new registry and vault. The vault calls the function
// stored after each change of a secret.
func newBench(t *testing.T, stored ...func(*bench)) *bench {
	t.Helper()
	b, bus := &bench{t: t, folder: paths.Folder(t.TempDir())}, &events.Bus{}
	db := openStore(t, b.folder)
	var err error
	if b.servers, err = registry.Open(t.Context(), db.Servers, bus); err != nil {
		t.Fatal(err)
	}
	b.vault = vault.New(vault.Options{Store: db.Secrets, Bus: bus, Folder: b.folder, NoKeychain: true, Work: 10})
	b.vault.OnChange(func(string) {
		for _, do := range stored {
			do(b)
		}
	})
	if err := b.vault.Unlock(t.Context(), "a passphrase"); err != nil {
		t.Fatal(err)
	}
	b.migrator = secretmigration.New(b.servers, b.vault)
	return b
}

func openStore(t *testing.T, folder paths.Folder) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (b *bench) add(s registry.Server) registry.Server {
	b.t.Helper()
	s, err := b.servers.Add(b.t.Context(), s)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) set(server, name, value string) {
	b.t.Helper()
	if err := b.vault.Set(b.t.Context(), server, name, value); err != nil {
		b.t.Fatal(err)
	}
}

// migrate runs Migrate and returns a line per move: server, place, name, action.
func (b *bench) migrate(apply bool, names ...string) []string {
	b.t.Helper()
	moves, err := b.migrator.Migrate(b.t.Context(), names, apply)
	if err != nil {
		b.t.Fatal(err)
	}
	var lines []string
	for _, m := range moves {
		lines = append(lines, fmt.Sprint(m.Server, " ", m.Where, " ", m.Name, " ", m.Action))
	}
	return lines
}

// launch returns the launch of the server, with references replaced by secrets.
func (b *bench) launch(name string) launch.Launch {
	b.t.Helper()
	s, err := b.servers.Get(name)
	if err != nil {
		b.t.Fatal(err)
	}
	filled, err := b.vault.Fill(b.t.Context(), name, launch.Of(s))
	if err != nil {
		b.t.Fatal(err)
	}
	return filled
}

func TestCredentialsMoveIntoTheVault(t *testing.T) {
	b := newBench(t)
	local := b.add(registry.Server{
		Name: "local", Command: "run", Args: []string{
			"--token", "abcdefgh", "--header", "Authorization: Bearer ijklmnop", "--header", "Authorization: Bearer qrstuvwx",
			"--api-key=of-variable",
		},
		Env: map[string]string{"API_KEY": "of-variable", "MODE": "fast"},
	})
	remote := b.add(registry.Server{
		Name: "remote", Transport: "streamable-http", URL: "https://me:pass-word@host/mcp?token=abcdefgh",
		Headers: map[string]string{"X-Api-Key": "ijklmnop"},
	})
	// the URL of a stdio server is only displayed
	b.add(registry.Server{Name: "clean", Command: "run", URL: "https://host/?token=abcdefgh"})
	plan := []string{
		"local env.API_KEY API_KEY move", "local args[1] token move", "local args[3] Authorization move",
		"local args[5] Authorization-2 move", "local args[6] api-key move", "remote headers.X-Api-Key X-Api-Key move",
		"remote url url:password move", "remote url url:token move",
	}
	if got := b.migrate(false); !slices.Equal(got, plan) {
		t.Errorf("dry run: got\n%s", strings.Join(got, "\n"))
	}
	if records, err := b.vault.Records(t.Context()); err != nil || len(records) != 0 {
		t.Errorf("the dry run stored %v, %v", records, err)
	}
	if now, _ := b.servers.Get("local"); !slices.Equal(now.Args, local.Args) {
		t.Errorf("the dry run changed the arguments to %v", now.Args)
	}

	for n, line := range plan {
		plan[n] = strings.TrimSuffix(line, "move") + "moved"
	}
	if got := b.migrate(true); !slices.Equal(got, plan) {
		t.Errorf("migration: got\n%s", strings.Join(got, "\n"))
	}
	if got := b.migrate(true); len(got) != 0 {
		t.Errorf("second migration: got\n%s", strings.Join(got, "\n"))
	}
	now, _ := b.servers.Get("local")
	if text := fmt.Sprint(now); strings.Contains(text, "abcdefgh") || strings.Contains(text, "of-variable") ||
		!strings.Contains(text, "Authorization: ${secret:Authorization}") {
		t.Errorf("the configuration is %s", text)
	}
	if filled := b.launch("local"); !slices.Equal(filled.Args, local.Args) || filled.Env["API_KEY"] != "of-variable" ||
		filled.Env["MODE"] != "fast" {
		t.Errorf("a start gets %v %v", filled.Args, filled.Env)
	}
	now, _ = b.servers.Get("remote")
	if want := "https://me:${secret:url:password}@host/mcp?token=${secret:url:token}"; now.URL != want {
		t.Errorf("the URL is %s", now.URL)
	}
	if filled := b.launch("remote"); filled.URL != remote.URL || len(filled.Headers) != 1 || filled.Headers["X-Api-Key"] != "ijklmnop" {
		t.Errorf("the remote server gets %s %v", filled.URL, filled.Headers)
	}
}

func TestSecretWithAnotherValueIsNotOverwritten(t *testing.T) {
	b := newBench(t)
	b.add(registry.Server{
		Name: "one", Command: "run", Env: map[string]string{"API_KEY": "in-the-file"}, Args: []string{"--token=in-the-argument"},
	})
	b.set("one", "API_KEY", "in-the-vault")
	b.set("one", "token", "in-the-vault")
	want := []string{"one env.API_KEY API_KEY conflict", "one args[0] token-2 moved"}
	if got := b.migrate(true); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if now, _ := b.servers.Get("one"); now.Env["API_KEY"] != "in-the-file" || now.Args[0] != "--token=${secret:token-2}" ||
		!b.vault.Holds(t.Context(), "one", "API_KEY", "in-the-vault") {
		t.Errorf("the configuration is %v %v", now.Env, now.Args)
	}
}

func TestNothingMovesIntoALockedVault(t *testing.T) {
	b := newBench(t)
	folder := paths.Folder(t.TempDir())
	locked := vault.New(vault.Options{Store: openStore(t, folder).Secrets, Bus: &events.Bus{}, Folder: folder, NoKeychain: true})
	b.add(registry.Server{Name: "one", Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
	moves, err := secretmigration.New(b.servers, locked).Migrate(t.Context(), nil, true)
	if err != nil || len(moves) != 1 || moves[0].Action != secretmigration.NotMoved || !strings.Contains(moves[0].Error, "secrets unlock") {
		t.Errorf("got %v, %v", moves, err)
	}
	if now, _ := b.servers.Get("one"); now.Env["API_KEY"] != "abcdefgh" {
		t.Errorf("the environment is %v", now.Env)
	}
}

func TestConfigurationStaysUntilTheValueIsReadBack(t *testing.T) {
	for name, interfere := range map[string]func(*bench){
		"the stored value is lost": func(b *bench) {
			if err := os.Remove(b.folder.Sealed("secrets")); err != nil {
				t.Error(err)
			}
		},
		"the configuration changes meanwhile": func(b *bench) {
			if _, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Env["API_KEY"] = "another-one" }); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, interfere)
			b.add(registry.Server{Name: "one", Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
			if got := b.migrate(true); !slices.Equal(got, []string{"one env.API_KEY API_KEY failed"}) {
				t.Errorf("got %q", got)
			}
			if now, _ := b.servers.Get("one"); strings.Contains(now.Env["API_KEY"], "${") {
				t.Errorf("the environment is %v", now.Env)
			}
		})
	}
}

func TestOnlyNamedServersAreMigrated(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"one", "two"} {
		b.add(registry.Server{Name: name, Command: "run", Env: map[string]string{"API_KEY": "abcdefgh"}})
	}
	if got := b.migrate(false, "two"); !slices.Equal(got, []string{"two env.API_KEY API_KEY move"}) {
		t.Errorf("got %q", got)
	}
	if _, err := b.migrator.Migrate(t.Context(), []string{"none"}, false); fault.KindOf(err) != fault.NotFound {
		t.Errorf("unknown server: got %v", err)
	}
}

func TestLinksSurviveAMigration(t *testing.T) {
	b := newBench(t)
	b.add(registry.Server{Name: "owner", Command: "run"})
	user := b.add(registry.Server{Name: "user", Command: "run", Args: []string{"--token=abcdefgh", "${secret:owner/KEY}"}})
	b.set("owner", "KEY", "of-owner")
	if err := b.vault.Link(t.Context(), "user", launch.Of(user), "owner", "KEY"); err != nil {
		t.Fatal(err)
	}
	b.migrate(true)
	if filled := b.launch("user"); !slices.Equal(filled.Args, []string{"--token=abcdefgh", "of-owner"}) {
		t.Errorf("a start gets %v", filled.Args)
	}
}
