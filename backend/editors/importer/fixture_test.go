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
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// fixture is a home folder for the files of editors, with an Importer and its
// dependencies.
type fixture struct {
	*importer.Importer
	options   importer.Options
	t         testing.TB
	home      string
	bin       string // the only folder on the PATH
	folder    paths.Folder
	vault     *vault.Vault
	registry  *registry.Registry
	lifecycle *lifecycle.Manager
	intake    intake.Options
	removed   []string // calls of removeEntries, each as editor, file and entries
}

// newFixture returns a fixture with the programs npx and uvx, and with a vault
// that needs a passphrase; the vault is unlocked unless locked is set.
func newFixture(t testing.TB, locked bool) *fixture {
	t.Helper()
	f := &fixture{t: t, home: t.TempDir(), bin: t.TempDir()}
	f.program("npx")
	f.program("uvx")
	folder, bus, log := paths.Folder(t.TempDir()), &events.Bus{}, slog.New(slog.DiscardHandler)
	f.folder = folder
	db, err := store.Open(t.Context(), folder.Database())
	f.must(err)
	t.Cleanup(func() { _ = db.Close() })
	servers, err := registry.Open(t.Context(), db.Servers, bus)
	f.must(err)
	tools, err := catalog.Open(t.Context(), db.Tools, bus, log)
	f.must(err)
	f.vault = vault.New(vault.Options{Store: db.Secrets, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	if !locked {
		f.must(f.vault.Unlock(t.Context(), "a passphrase"))
	}
	f.options = importer.Options{
		Machine: f.machine(), RemoveEntries: f.removeEntries, Bundles: filepath.Join(string(folder), "bundles"),
		Registry: servers, Vault: f.vault,
	}
	f.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: servers, Catalog: tools, Vault: f.vault, Log: log,
		Processes: upstream.New(upstream.Options{
			Registry: servers, Catalog: tools, Bus: bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json"),
		}),
	})
	f.intake = intake.Options{Registry: servers, Vault: f.vault, Remove: f.lifecycle.Remove}
	f.options.Intake = intake.New(f.intake)
	f.registry = servers
	f.Importer = importer.New(f.options)
	return f
}

// machine returns this machine with the fixture's home and PATH. The machine
// has the paths of Linux, whatever the system that runs the test.
func (f *fixture) machine() table.Machine {
	m := table.Here(func(name string) string {
		switch name {
		case "PATH":
			return f.bin
		case "HOME", "USERPROFILE":
			return f.home
		case "SET_HERE":
			return "yes"
		}
		return ""
	})
	m.OS = "linux"
	return m
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) program(name string) string {
	f.t.Helper()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(f.bin, name)
	f.must(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	return path
}

// write writes a file below the home folder and returns its path.
func (f *fixture) write(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.home, filepath.FromSlash(name))
	f.must(os.MkdirAll(filepath.Dir(path), 0o700))
	f.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	text, err := os.ReadFile(path)
	f.must(err)
	return string(text)
}

// removeEntries edits a file like the Registrar, but keeps no history.
func (f *fixture) removeEntries(_ context.Context, editor string, file table.File, entries []string) (registration.Outcome, error) {
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
	f.removed = append(f.removed, fmt.Sprint(editor, " ", filepath.Base(file.Path), " ", entries))
	return registration.Outcome{
		Editor: editor, Path: file.Path, Status: "done", Change: fmt.Sprint("change-", len(f.removed)),
	}, os.WriteFile(file.Path, text, 0o600)
}

func (f *fixture) scan(ids ...string) importer.Scan {
	f.t.Helper()
	scan, err := f.Scan(f.t.Context(), ids)
	f.must(err)
	return scan
}

func (f *fixture) run(q importer.Request) importer.Report {
	f.t.Helper()
	report, err := f.Import(f.t.Context(), q, false)
	f.must(err)
	return report
}

func (f *fixture) server(name string) registry.Server {
	f.t.Helper()
	s, err := f.options.Registry.Get(name)
	f.must(err)
	return s
}

func (f *fixture) add(s registry.Server) registry.Server {
	f.t.Helper()
	s.Approved = true
	s, err := f.registry.Add(f.t.Context(), s)
	f.must(err)
	return s
}

func (f *fixture) servers() []string {
	names := []string{}
	for _, s := range f.options.Registry.List() {
		names = append(names, s.Name)
	}
	return names
}

// names returns the names of candidates, each with the editors that have it.
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
		t.Fatalf("no candidate %s among %v", name, names(scan))
	}
	return scan.Candidates[at]
}

// results returns one line for each result: its name, its status and the places of the
// credentials that were moved to the keychain.
func results(r importer.Report) []string {
	all := []string{}
	for _, a := range r.Servers {
		all = append(all, strings.TrimSpace(fmt.Sprint(a.Name, " ", a.Status, " ", strings.Join(a.Moved, ","))))
	}
	return all
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// warned checks that a candidate has as many warnings as want, each of which contains the text at
// the same position in want.
func warned(t *testing.T, c importer.Candidate, want ...string) {
	t.Helper()
	if len(c.Warnings) != len(want) {
		t.Errorf("%s has the warnings %q, want %q", c.Name, c.Warnings, want)
		return
	}
	for n, text := range want {
		if !strings.Contains(c.Warnings[n], text) {
			t.Errorf("%s has the warning %q, want %q", c.Name, c.Warnings[n], text)
		}
	}
}
