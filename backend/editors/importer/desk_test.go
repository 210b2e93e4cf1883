package importer_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

// desk is a home with editors, and the rooms that an intake works with.
type desk struct {
	*importer.Importer
	t      testing.TB
	home   string
	bin    string // the only folder of programs
	folder paths.Folder
	vault  *secrets.Vault
	out    []string // what was taken out: editor path entries
}

// newDesk has npx and uvx, and a vault under a passphrase that is unlocked
// unless it is to be locked.
func newDesk(t testing.TB, locked bool) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), bin: t.TempDir()}
	d.program("npx")
	d.program("uvx")
	folder, bus, log := paths.Folder(t.TempDir()), &events.Bus{}, slog.New(slog.DiscardHandler)
	d.folder = folder
	db, err := store.Open(t.Context(), folder.Database())
	d.must(err)
	t.Cleanup(func() { _ = db.Close() })
	servers, err := registry.Open(t.Context(), db, bus)
	d.must(err)
	tools, err := catalog.Open(t.Context(), db, bus, log)
	d.must(err)
	d.vault = secrets.NewVault(secrets.Options{Store: db, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	if !locked {
		d.must(d.vault.Unlock(t.Context(), "pass"))
	}
	d.Importer = importer.New(importer.Options{
		Machine: d.machine(), TakeOut: d.takeOut, Bundles: filepath.Join(string(folder), "bundles"),
		Registry: servers, Vault: d.vault, Migrator: secretmigration.New(servers, d.vault),
		Lifecycle: lifecycle.New(lifecycle.Options{
			Registry: servers, Catalog: tools, Vault: d.vault, Log: log,
			Processes: upstream.New(upstream.Options{Registry: servers, Catalog: tools, Bus: bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json")}),
		}),
	})
	return d
}

// machine is this one with the desk's home and programs; what depends on a
// system is as on Linux.
func (d *desk) machine() table.Machine {
	m := table.Here(func(name string) string {
		switch name {
		case "PATH":
			return d.bin
		case "HOME", "USERPROFILE":
			return d.home
		case "SET_HERE":
			return "yes"
		}
		return ""
	})
	m.OS = "linux"
	return m
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) program(name string) string {
	d.t.Helper()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(d.bin, name)
	d.must(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	return path
}

// write puts a file into the home.
func (d *desk) write(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.home, filepath.FromSlash(name))
	d.must(os.MkdirAll(filepath.Dir(path), 0o700))
	d.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (d *desk) read(path string) string {
	d.t.Helper()
	text, err := os.ReadFile(path)
	d.must(err)
	return string(text)
}

// takeOut does to the files what a registrar does, without its history.
func (d *desk) takeOut(_ context.Context, editor string, file table.File, entries []string) (registration.Outcome, error) {
	text, err := os.ReadFile(file.Path)
	if err != nil {
		return registration.Outcome{}, err
	}
	for _, name := range entries {
		change, err := configedit.Remove(text, file.Place, name)
		if err != nil {
			return registration.Outcome{}, err
		}
		text = change.Text
	}
	d.out = append(d.out, fmt.Sprint(editor, " ", filepath.Base(file.Path), " ", entries))
	return registration.Outcome{Editor: editor, Path: file.Path, Status: "done", Change: fmt.Sprint("change-", len(d.out))}, os.WriteFile(file.Path, text, 0o600)
}

func (d *desk) scan(ids ...string) importer.Scan {
	d.t.Helper()
	scan, err := d.Scan(d.t.Context(), ids)
	d.must(err)
	return scan
}

func (d *desk) bring(q importer.Request) importer.Report {
	d.t.Helper()
	report, err := d.Import(d.t.Context(), q, false)
	d.must(err)
	return report
}

func (d *desk) server(name string) registry.Server {
	d.t.Helper()
	s, err := d.Registry.Get(name)
	d.must(err)
	return s
}

func (d *desk) add(s registry.Server) registry.Server {
	d.t.Helper()
	s, err := d.Lifecycle.Add(d.t.Context(), s)
	d.must(err)
	return s
}

func (d *desk) servers() []string {
	names := []string{}
	for _, s := range d.Registry.List() {
		names = append(names, s.Name)
	}
	return names
}

// names are those of candidates, each with where it stands.
func names(scan importer.Scan) []string {
	all := []string{}
	for _, c := range scan.Candidates {
		text := c.Name
		for _, s := range c.Sources {
			text += " " + s.Editor
		}
		all = append(all, text)
	}
	return all
}

func candidate(t *testing.T, scan importer.Scan, name string) importer.Candidate {
	t.Helper()
	at := slices.IndexFunc(scan.Candidates, func(c importer.Candidate) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("there is no %s among %v", name, names(scan))
	}
	return scan.Candidates[at]
}

// arrivals are what became of candidates, a line each.
func arrivals(r importer.Report) []string {
	all := []string{}
	for _, a := range r.Servers {
		all = append(all, strings.TrimSpace(fmt.Sprint(a.Name, " ", a.Status, " ", strings.Join(a.Moved, ","))))
	}
	return all
}

func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

func warned(t *testing.T, c importer.Candidate, want ...string) {
	t.Helper()
	if len(c.Warnings) != len(want) {
		t.Errorf("%s has the warnings %q, want %q", c.Name, c.Warnings, want)
		return
	}
	for n, text := range want {
		if !strings.Contains(c.Warnings[n], text) {
			t.Errorf("%s is warned of %q, want %q", c.Name, c.Warnings[n], text)
		}
	}
}
