package lifecycle_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// bench has a lifecycle manager and its dependencies: registry, unlocked vault
// and processes. All of them are real.
type bench struct {
	t       *testing.T
	servers *registry.Registry
	vault   *vault.Vault
	manager *lifecycle.Manager
	bus     *events.Bus
	running func(server string) bool
}

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// newBench returns a bench with the given setting agents.install.
func newBench(t *testing.T, policy registry.Permission, log *slog.Logger) *bench {
	t.Helper()
	bus := &events.Bus{}
	b, folder := &bench{t: t, bus: bus}, paths.Folder(t.TempDir())
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if b.servers, err = registry.Open(t.Context(), db.Servers, bus); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	tools, err := catalog.Open(t.Context(), db.Tools, bus, quiet)
	if err != nil {
		t.Fatal(err)
	}
	b.vault = vault.New(vault.Options{Store: db.Secrets, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	if err := b.vault.Unlock(t.Context(), "a passphrase"); err != nil {
		t.Fatal(err)
	}
	processes := upstream.New(upstream.Options{
		Registry: b.servers, Catalog: tools, Bus: bus, Log: quiet,
		Limits: settings.Limits{StartTimeout: time.Minute}, Children: filepath.Join(t.TempDir(), "children.json"),
		Environment: func(context.Context) process.Env { return process.Env{"PATH=/nowhere"} },
	})
	b.running = func(server string) bool { return processes.State(server).Running }
	b.manager = lifecycle.New(lifecycle.Options{
		Registry: b.servers, Catalog: tools, Vault: b.vault, Processes: processes, Log: log,
		Policy: func() registry.Permission { return policy },
	})
	return b
}

func (b *bench) add(name string) registry.Server {
	b.t.Helper()
	s, err := b.servers.Add(b.t.Context(), registry.Server{Name: name, Transport: "stdio", Command: "run"})
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

func TestAServerThatHasChangedSinceItWasShownIsNotApproved(t *testing.T) {
	b := newBench(t, "ask", nil)
	shown, err := b.servers.Add(t.Context(), registry.Server{Name: "one", Transport: "stdio", Command: "npx"})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Args = []string{"evil"} })
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.manager.Approve(t.Context(), "one", lifecycle.LaunchHash(shown))
	if now, _ := b.servers.Get("one"); fault.KindOf(err) != fault.Conflict || now.Approved {
		t.Errorf("as shown before: approved is %v, the error %v", now.Approved, err)
	}
	if now, err := b.manager.Approve(t.Context(), "one", lifecycle.LaunchHash(changed)); err != nil || !now.Approved {
		t.Errorf("as it is now: approved is %v, the error %v", now.Approved, err)
	}
}

// A client may start a server as soon as it sees that the server is no longer
// always listed. If the stop were still going on, it would end that start.
func TestAServerIsStoppedBeforeItIsShownAsNotAlwaysListed(t *testing.T) {
	b := newBench(t, "ask", nil)
	command := mcptest.Command(t)
	server := registry.Server{Name: "one", Transport: "stdio", Command: command[0], Args: command[1:], Approved: true}
	if _, err := b.servers.Add(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.manager.Activate(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	changes, stop := events.Subscribe[registry.Changed](b.bus, 8)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := b.manager.Deactivate(t.Context(), "one")
		ended <- err
	}()
	for range changes {
		if s, _ := b.servers.Get("one"); !s.AlwaysListed {
			break
		}
	}
	if b.running("one") {
		t.Error("the change was published while the process was running")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestANewServerDoesNotGetTheSecretsOfARemovedOne(t *testing.T) {
	b := newBench(t, "ask", nil)
	b.add("one")
	b.set("one", "KEY", "of-one")
	if err := b.manager.Remove(t.Context(), "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("unknown server: got %v", err)
	}
	if err := b.manager.Remove(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	again := b.add("one")
	if filled, err := b.vault.Fill(t.Context(), "one", launch.Of(again)); err != nil || len(filled.Env) != 0 {
		t.Errorf("the new server gets %v, %v", filled.Env, err)
	}
}

func TestAgentsRemoveOnlyServersThatThePolicyAllows(t *testing.T) {
	for policy, want := range map[registry.Permission]struct{ plain, withSecret bool }{
		registry.Allow: {true, true}, registry.Ask: {true, false}, registry.Deny: {false, false},
	} {
		t.Run(string(policy), func(t *testing.T) {
			b := newBench(t, policy, nil)
			b.add("plain")
			b.add("with-secret")
			b.set("with-secret", "TOKEN", "correct-horse")
			for name, removed := range map[string]bool{"plain": want.plain, "with-secret": want.withSecret} {
				err := b.manager.RemoveForAgent(t.Context(), name)
				if _, missing := b.servers.Get(name); (missing != nil) != removed || (err == nil) != removed ||
					err != nil && fault.KindOf(err) != fault.Denied {
					t.Errorf("%s: got %v", name, err)
				}
			}
		})
	}
}

func TestADisabledServerIsStoppedAndNotStartedUntilItIsEnabled(t *testing.T) {
	b := newBench(t, "ask", nil)
	command := mcptest.Command(t)
	server := registry.Server{Name: "one", Transport: "stdio", Command: command[0], Args: command[1:], Approved: true}
	if _, err := b.servers.Add(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	b.set("one", "TOKEN", "correct-horse")
	if _, err := b.manager.Refresh(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if was, err := b.manager.Disable(t.Context(), "one"); err != nil || was != want {
			t.Errorf("disabled: %v, %v", was, err)
		}
	}
	if b.running("one") {
		t.Error("the disabled server runs")
	}
	if _, err := b.manager.Restart(t.Context(), "one"); fault.CodeOf(err) != fault.CodeServerDisabled || b.running("one") {
		t.Errorf("started while disabled: %v", err)
	}
	if names, err := b.vault.Names(t.Context(), "one"); err != nil || len(names) != 1 {
		t.Errorf("the secrets are %v, %v", names, err)
	}
	if s, _ := b.servers.Get("one"); !s.Disabled || !s.Approved {
		t.Errorf("got %+v", s)
	}
	if was, err := b.manager.Enable(t.Context(), "one"); err != nil || !was {
		t.Errorf("enabled: %v, %v", was, err)
	}
	if _, err := b.manager.Refresh(t.Context(), "one"); err != nil {
		t.Errorf("started after it was enabled: %v", err)
	}
}

func TestAnApprovalEnablesAServerThatCameInDisabled(t *testing.T) {
	b := newBench(t, "ask", nil)
	shown, err := b.servers.Add(t.Context(), registry.Server{Name: "one", Transport: "stdio", Command: "run", Disabled: true})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.manager.Approve(t.Context(), "one", lifecycle.LaunchHash(shown)); err != nil || s.Disabled || s.Usable() != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}
