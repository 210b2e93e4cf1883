package backup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// machine is everything that an export contains, in a folder of its own.
type machine struct {
	backup.Options
	*backup.Keeper
	t      *testing.T
	folder paths.Folder
	store  *store.Store
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	ctx, bus := t.Context(), &events.Bus{}
	m := &machine{t: t, folder: paths.Folder(t.TempDir())}
	var err error
	must := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	m.store, err = store.Open(ctx, m.folder.Database())
	must()
	t.Cleanup(func() { _ = m.store.Close() })
	o := &m.Options
	o.Registry, err = registry.Open(ctx, m.store.Servers, bus)
	must()
	o.Vault = vault.New(vault.Options{Store: m.store.Secrets, Bus: bus, Folder: m.folder, NoKeychain: true, Work: 10})
	err = o.Vault.Unlock(ctx, "a passphrase")
	must()
	o.Migrator = secretmigration.New(o.Registry, o.Vault)
	o.Intake = intake.New(intake.Options{Registry: o.Registry, Vault: o.Vault, Remove: o.Registry.Remove})
	tools := catalog.New(m.store.Tools, bus, slog.New(slog.DiscardHandler))
	err = tools.Load(ctx)
	must()
	o.Toolsets, err = toolset.Open(ctx, toolset.Options{Store: m.store.Toolsets, Catalog: tools, Registry: o.Registry, Bus: bus})
	must()
	o.Approvals, err = rules.OpenApprovals(ctx, m.store.ToolApprovals)
	must()
	o.Learning, err = learning.Open(ctx, learning.Options{Store: m.store.Learning, Bus: bus, Log: slog.New(slog.DiscardHandler), On: true})
	must()
	o.Personas = persona.New(persona.Options{
		Folder: m.folder.Personas(), Parser: noServers{}, Store: m.store.Personas, Registry: o.Registry, Toolsets: o.Toolsets,
		Intake: o.Intake,
	})
	o.Settings, o.Expect, o.Version = plainFile(m.folder.Config()), func(registry.Server) {}, "1.2.3"
	m.Keeper = backup.New(*o)
	return m
}

// noServers parses a persona that has only toolsets.
type noServers struct{}

func (noServers) Parse(context.Context, string) ([]importer.Parsed, error) { return nil, nil }

// plainFile is a settings file that nothing reads.
type plainFile string

func (f plainFile) Read() ([]byte, error) {
	data, err := os.ReadFile(string(f))
	if os.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}

func (f plainFile) Check(data []byte) error { return settings.Check(string(f), data) }

func (f plainFile) Replace(data []byte) (string, error) {
	return "", os.WriteFile(string(f), data, 0o600)
}

// export writes an export of m to a file.
func (m *machine) export(passphrase string) (file, text string) {
	m.t.Helper()
	e, err := m.Export(m.t.Context(), passphrase)
	if err != nil {
		m.t.Fatal(err)
	}
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		m.t.Fatal(err)
	}
	file = filepath.Join(m.t.TempDir(), "export.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		m.t.Fatal(err)
	}
	return file, string(data)
}

// imported imports a file and returns a line for each part.
func (m *machine) imported(q backup.Request) []string {
	m.t.Helper()
	report, err := m.Import(m.t.Context(), q)
	if err != nil {
		m.t.Fatal(err)
	}
	var lines []string
	for _, i := range report.Items {
		line := fmt.Sprint(i.Kind, " ", i.Name, " ", i.Action)
		if i.As != "" {
			line += " as " + i.As
		}
		if i.Waiting {
			line += " waiting"
		}
		if i.Action == backup.Failed {
			line += ": " + i.Why
		}
		lines = append(lines, line)
	}
	return lines
}

func (m *machine) add(s registry.Server) registry.Server {
	m.t.Helper()
	s, err := m.Registry.Add(m.t.Context(), s)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

func (m *machine) get(name string) registry.Server {
	m.t.Helper()
	s, err := m.Registry.Get(name)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// full returns a server that has a value in every field.
func full(name string) registry.Server {
	var s registry.Server
	fill(reflect.ValueOf(&s).Elem())
	s.Name, s.Transport, s.Isolation, s.Sandbox = name, "stdio", registry.PerSession, registry.Strict
	s.Dir = "~/text"
	s.Health, s.ID, s.CreatedAt, s.UpdatedAt = registry.Health{}, 0, time.Time{}, time.Time{}
	return s
}

// fill sets v, and everything in it, to values that are not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

func TestEveryFieldOfAServerReachesTheOtherMachine(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	want := from.add(full("one"))
	file, _ := from.export("")
	if lines := to.imported(backup.Request{Path: file}); !slices.Equal(lines, []string{"server one add"}) {
		t.Fatalf("got %q", lines)
	}
	got := to.get("one")
	got.ID, got.CreatedAt, got.UpdatedAt, got.Health = want.ID, want.CreatedAt, want.UpdatedAt, want.Health
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if lines := to.imported(backup.Request{Path: file, Conflicts: backup.Rename}); !slices.Equal(lines, []string{"server one same"}) {
		t.Errorf("the second import: %q", lines)
	}
}

func TestAServerThatWaitedForApprovalWaitsOnTheOtherMachine(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	from.add(registry.Server{Name: "one", Command: "run", ProposedBy: "an agent"})
	file, _ := from.export("")
	if lines := to.imported(backup.Request{Path: file}); !slices.Equal(lines, []string{"server one add waiting"}) {
		t.Errorf("got %q", lines)
	}
	if s := to.get("one"); s.Approved || s.Disabled || s.ProposedBy != "an agent" {
		t.Errorf("got %+v", s)
	}
}

func TestSecretsAreLeftOutOrSealed(t *testing.T) {
	from := newMachine(t)
	from.add(registry.Server{
		Name: "one", Command: "run", Args: []string{"--token", "correct-horse"}, Env: map[string]string{"API_KEY": "battery-staple"},
		Approved: true,
	})
	if err := from.Vault.Set(t.Context(), "one", "STORED", "stored-value"); err != nil {
		t.Fatal(err)
	}
	overrides := "discovery:\n  tool_overrides:\n    - {server: one, tool: a, name: b, arguments: {key: hidden-value}} # mine\n"
	if _, err := from.Settings.Replace([]byte(overrides)); err != nil {
		t.Fatal(err)
	}
	for _, passphrase := range []string{"", "open sesame"} {
		file, text := from.export(passphrase)
		for _, secret := range []string{"correct-horse", "battery-staple", "stored-value", "hidden-value"} {
			if strings.Contains(text, secret) {
				t.Errorf("the export contains %s", secret)
			}
		}
		if !strings.Contains(text, "# mine") {
			t.Error("the settings lack their comments")
		}
		to := newMachine(t)
		to.imported(backup.Request{Path: file, Passphrase: passphrase})
		filled, err := to.Vault.Fill(t.Context(), "one", launch.Of(to.get("one")))
		config, _ := to.Settings.Read()
		if passphrase == "" {
			if err == nil || strings.Contains(string(config), "hidden-value") {
				t.Errorf("without the passphrase, the launch is %v, the settings are %s", filled, config)
			}
			continue
		}
		if err != nil || filled.Args[1] != "correct-horse" || filled.Env["API_KEY"] != "battery-staple" ||
			filled.Env["STORED"] != "stored-value" {
			t.Errorf("the launch is %v, %v", filled, err)
		}
		if string(config) != overrides {
			t.Errorf("the settings are %s", config)
		}
		_, err = newMachine(t).Import(t.Context(), backup.Request{Path: file, Passphrase: "another"})
		if fault.KindOf(err) != fault.Denied {
			t.Errorf("a wrong passphrase: %v", err)
		}
	}
}

func TestAProgramAddsOnlyServersWhichWait(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	fillMachine(t, from)
	file, _ := from.export("")
	want := []string{
		"settings config.yaml skip", "server one add waiting", "toolset daily skip", "equipped cursor skip", "persona writer skip",
		"approvals  skip", "learned 1 skip",
	}
	if lines := to.imported(backup.Request{Path: file, Unseen: true, Conflicts: backup.Replace}); !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
	if s := to.get("one"); s.Approved || s.Sandbox != registry.Guard {
		t.Errorf("the server is approved %v, sandbox %s", s.Approved, s.Sandbox)
	}
}

// fillMachine configures one thing of each kind.
func fillMachine(t *testing.T, m *machine) {
	t.Helper()
	m.add(registry.Server{Name: "one", Command: "run", Approved: true})
	tool := catalog.Key{Server: "one", Tool: "a"}
	if _, err := m.Toolsets.Adopt(t.Context(), toolset.Toolset{
		Name: "daily", Tools: []toolset.Reference{{Server: "one", Tool: "a", Hash: "h", Note: "n"}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Toolsets.Equip(t.Context(), "cursor", "daily"); err != nil {
		t.Fatal(err)
	}
	if err := m.Personas.Save("writer", map[string]string{
		"persona.yaml": "name: writer\ntoolsets: [{name: texts, tools: [one.a]}]\n",
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Approvals.Adopt(t.Context(), rules.Approval{Tool: tool, Hash: "h", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	m.Learning.Add([]learning.Pair{{Query: "read mail", Tool: tool, Times: 2, Last: time.Now()}})
	if _, err := m.Settings.Replace([]byte("log:\n  retention_days: 5\n")); err != nil {
		t.Fatal(err)
	}
}

func TestEverythingReachesTheOtherMachine(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	fillMachine(t, from)
	file, _ := from.export("")
	want := []string{
		"settings config.yaml add", "server one add", "toolset daily add", "equipped cursor add", "persona writer add",
		"approvals 1 of 1 add", "learned 1 of 1 add",
	}
	if lines := to.imported(backup.Request{Path: file}); !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
	_, before := from.export("")
	_, after := to.export("")
	created := func(text string) string { // without the line with the time of the export
		lines := strings.Split(text, "\n")
		return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"created"`) }), "\n")
	}
	if created(after) != created(before) {
		t.Errorf("the export of the other machine is\n%s\ninstead of\n%s", after, before)
	}
}

func TestWhatExistsIsSkippedRenamedOrReplaced(t *testing.T) {
	from := newMachine(t)
	fillMachine(t, from)
	file, _ := from.export("")
	for conflicts, want := range map[string][]string{
		backup.Skip:    {"settings config.yaml skip", "server one skip", "toolset daily skip", "persona writer skip"},
		backup.Rename:  {"settings config.yaml skip", "server one add as one-2", "toolset daily add as daily-2", "persona writer skip"},
		backup.Replace: {"settings config.yaml replace", "server one replace", "toolset daily replace", "persona writer replace"},
	} {
		to := newMachine(t)
		fillMachine(t, to)
		if _, err := to.Registry.Update(t.Context(), "one", func(s *registry.Server) {
			s.Command, s.Tags = "other", []string{"mine"}
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Toolsets.Replace(t.Context(), toolset.Toolset{
			Name: "daily", Tools: []toolset.Reference{{Server: "two", Tool: "b"}},
		}); err != nil {
			t.Fatal(err)
		}
		if err := to.Personas.Save("writer", map[string]string{"persona.yaml": "name: writer\n"}); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Settings.Replace([]byte("log:\n  retention_days: 6\n")); err != nil {
			t.Fatal(err)
		}
		q := backup.Request{Path: file, Conflicts: conflicts, DryRun: true}
		changes := func() (lines []string) {
			for _, line := range to.imported(q) {
				if kind, _, _ := strings.Cut(line, " "); slices.Contains([]string{"settings", "server", "toolset", "persona"}, kind) {
					lines = append(lines, line)
				}
			}
			return lines
		}
		if lines := changes(); !slices.Equal(lines, want) || to.get("one").Command != "other" {
			t.Errorf("%s, dry run: %q", conflicts, lines)
		}
		q.DryRun = false
		lines := changes()
		if !slices.Equal(lines, want) {
			t.Errorf("%s: %q", conflicts, lines)
		}
		s := to.get("one")
		if replaced := conflicts == backup.Replace; replaced != (s.Command == "run") || replaced != (len(s.Tags) == 0) {
			t.Errorf("%s: the server is %+v", conflicts, s)
		}
		if conflicts == backup.Rename {
			if set, err := to.Toolsets.Get("daily-2"); err != nil || set.Tools[0].Server != "one-2" {
				t.Errorf("the renamed toolset is %+v, %v", set, err)
			}
		}
	}
}

func TestPathsThatThisMachineLacksAreNamed(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	here := t.TempDir()
	gone := filepath.Join(here, "gone")
	from.add(registry.Server{
		Name: "one", Command: gone, Args: []string{here, "--dir=" + filepath.Join(here, "too"), "D:\\data", "@scope/package"},
		Approved: true,
	})
	file, _ := from.export("")
	report, err := to.Import(t.Context(), backup.Request{Path: file, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"This machine has no " + gone + ".", "This machine has no " + filepath.Join(here, "too") + ".", "This machine has no D:\\data.",
	}
	if notes := report.Items[0].Notes; !slices.Equal(notes, want) {
		t.Errorf("got %q", notes)
	}
	if _, err := to.Import(t.Context(), backup.Request{Path: file, Hash: "another"}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a file that has changed since it was shown: %v", err)
	}
}

func TestTheGrantsOfAnExportAreShown(t *testing.T) {
	from, to := newMachine(t), newMachine(t)
	from.add(registry.Server{
		Name: "one", Command: "true", Sandbox: registry.Strict, Approved: true,
		Grants: registry.Grants{Read: []string{"/etc"}, Write: []string{"/"}, Network: []string{"*"}},
	})
	file, _ := from.export("")
	report, err := to.Import(t.Context(), backup.Request{Path: file, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	const want = "The sandbox of server one has grants: it reads /etc, writes /, connects to *."
	if notes := report.Items[0].Notes; !slices.Contains(notes, want) {
		t.Errorf("got %q", notes)
	}
}

func TestAnExportOfANewerVersionIsRefused(t *testing.T) {
	m := newMachine(t)
	m.add(registry.Server{Name: "one", Command: "run"})
	_, text := m.export("")
	for _, change := range [][2]string{
		{`"version": 1`, `"version": 2`},
		{`"name": "one"`, `"name": "one", "colour": "red"`},
		{`"servers": [`, `"servers": [{"name": "one", "approved": true},`},
		{backup.Format, "another"},
	} {
		file := filepath.Join(t.TempDir(), "export.json")
		if err := os.WriteFile(file, []byte(strings.Replace(text, change[0], change[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newMachine(t).Import(t.Context(), backup.Request{Path: file}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("with %s: %v", change[1], err)
		}
	}
}
