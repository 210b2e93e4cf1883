package setup_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// memory keeps secrets in memory. If fail is set, Set returns this error.
type memory struct {
	mu   sync.Mutex
	kept map[string]string // by server/name
	fail error
}

func (v *memory) Set(_ context.Context, server, name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fail != nil {
		return v.fail
	}
	v.kept[server+"/"+name] = value
	return nil
}

func (v *memory) Names(_ context.Context, server string) (names []string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key := range v.kept {
		if owner, name, _ := strings.Cut(key, "/"); owner == server {
			names = append(names, name)
		}
	}
	return names, nil
}

// fixture has the dependencies of package setup. All of them are real, except
// for the vault.
type fixture struct {
	t         *testing.T
	dir       string
	store     *store.Store
	servers   *registry.Registry
	catalog   *catalog.Catalog
	intake    *intake.Intake
	lifecycle *lifecycle.Manager
	processes *upstream.Manager
	vault     *memory
	variables map[string]string
	log       *transcript
}

// transcript is a writer that collects the log.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newFixture(t *testing.T, agents registry.Permission) *fixture {
	t.Helper()
	d := &fixture{
		t: t, dir: t.TempDir(), vault: &memory{kept: make(map[string]string)}, variables: make(map[string]string), log: &transcript{},
	}
	var err error
	if d.store, err = store.Open(t.Context(), filepath.Join(d.dir, "discover.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.store.Close() })
	bus, log := &events.Bus{}, slog.New(slog.NewTextHandler(d.log, nil))
	if d.servers, err = registry.Open(t.Context(), d.store.Servers, bus); err != nil {
		t.Fatal(err)
	}
	if d.catalog, err = catalog.Open(t.Context(), d.store.Tools, bus, log); err != nil {
		t.Fatal(err)
	}
	children := upstream.New(upstream.Options{
		Registry: d.servers, Catalog: d.catalog, Bus: bus, Log: log, Version: "1",
		Limits:      settings.Limits{StartTimeout: time.Minute, CallTimeout: time.Minute, IdleStop: time.Minute},
		Children:    filepath.Join(d.dir, "children.json"),
		Environment: func(context.Context) process.Env { return process.Clean() },
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = children.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	d.processes = children
	d.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: d.servers, Catalog: d.catalog, Processes: children, Policy: func() registry.Permission { return agents }, Log: log,
	})
	stored := vault.New(vault.Options{Store: d.store.Secrets, Bus: bus, Folder: paths.Folder(t.TempDir()), NoKeychain: true, Work: 10})
	if err := stored.Unlock(t.Context(), "a passphrase"); err != nil {
		t.Fatal(err)
	}
	d.intake = intake.New(intake.Options{
		Registry: d.servers, Vault: stored, Policy: func() registry.Permission { return agents }, Remove: d.servers.Remove,
	})
	return d
}

func (d *fixture) options() setup.Options {
	return setup.Options{
		Registry: d.servers, Intake: d.intake, Lifecycle: d.lifecycle, Secrets: d.vault, Log: slog.New(slog.NewTextHandler(d.log, nil)),
		Variable: func(_ context.Context, name string) string { return d.variables[name] },
	}
}

func (d *fixture) syncer() *setup.Syncer { return setup.New(d.options()) }

func (d *fixture) write(name, text string) string {
	d.t.Helper()
	file := filepath.Join(d.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return file
}

func (d *fixture) sync(file string) setup.SyncResult {
	d.t.Helper()
	r, err := d.syncer().Sync(d.t.Context(), file)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *fixture) server(name string) registry.Server {
	d.t.Helper()
	s, err := d.servers.Get(name)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// is checks that got equals want. got must not be nil, even if want is empty.
func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// errs checks the failures in got. Each element of want is the name of a failure
// and a part of its message.
func errs(t *testing.T, got []setup.SyncFailure, want ...[2]string) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("errors: got %#v, want %v", got, want)
	}
	for i, w := range want {
		if got[i].Name != w[0] || !strings.Contains(got[i].Error, w[1]) {
			t.Errorf("error %d: got %v, want %v", i, got[i], w)
		}
	}
}

var errLocked = errors.New("the keychain is locked")
