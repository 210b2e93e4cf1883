package syncfolder_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// machine is one machine that synchronizes.
type machine struct {
	*syncfolder.Keeper
	t       *testing.T
	options syncfolder.Options
	vault   *vault.Vault
}

func newMachine(t *testing.T, home string) *machine {
	t.Helper()
	ctx, bus, data := t.Context(), &events.Bus{}, paths.Folder(t.TempDir())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	stored, err := store.Open(ctx, data.Database())
	must(err)
	t.Cleanup(func() { _ = stored.Close() })
	servers, err := registry.Open(ctx, stored.Servers, bus)
	must(err)
	secrets := vault.New(vault.Options{Store: stored.Secrets, Bus: bus, Folder: data, NoKeychain: true, Work: 10})
	must(secrets.Unlock(ctx, "a passphrase"))
	adding := intake.New(intake.Options{Registry: servers, Vault: secrets, Remove: servers.Remove})
	tools := catalog.New(stored.Tools, bus, slog.New(slog.DiscardHandler))
	must(tools.Load(ctx))
	sets, err := toolset.Open(ctx, toolset.Options{Store: stored.Toolsets, Catalog: tools, Registry: servers, Bus: bus})
	must(err)
	approvals, err := rules.OpenApprovals(ctx, stored.ToolApprovals)
	must(err)
	learned, err := learning.Open(ctx, learning.Options{Store: stored.Learning, Bus: bus, Log: slog.New(slog.DiscardHandler), On: true})
	must(err)
	personas := persona.New(persona.Options{
		Folder: data.Personas(), Parser: noServers{}, Store: stored.Personas, Registry: servers, Toolsets: sets, Intake: adding,
	})
	m := &machine{t: t, vault: secrets, options: syncfolder.Options{
		Data: data, Home: home, Registry: servers, Migrator: secretmigration.New(servers, secrets), Toolsets: sets, Personas: personas,
		Approvals: approvals, Settings: plainFile(data.Config()), Remove: servers.Remove,
	}}
	m.options.Backup = backup.New(backup.Options{
		Registry: servers, Intake: adding, Migrator: m.options.Migrator, Vault: secrets, Toolsets: sets, Approvals: approvals,
		Learning: learned, Personas: personas, Settings: m.options.Settings, Expect: func(registry.Server) {}, Version: "1.2.3",
	})
	m.Keeper = syncfolder.New(m.options)
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

// pair returns two machines with one folder.
func pair(t *testing.T) (a, b *machine, folder string) {
	t.Helper()
	a, b, folder = newMachine(t, "/home/a"), newMachine(t, "/Users/b"), filepath.Join(t.TempDir(), "shared")
	for _, m := range []*machine{a, b} {
		if _, err := m.Init(folder); err != nil {
			t.Fatal(err)
		}
	}
	return a, b, folder
}

// lines returns a line for each item of a report.
func lines(r syncfolder.Synced) (lines []string) {
	for _, i := range r.Items {
		line := i.Kind + "/" + i.Name + " " + i.Action
		if i.Waiting {
			line += " waiting"
		}
		var fields []string
		for _, f := range i.Fields {
			if f.Conflict {
				fields = append(fields, f.Name)
			}
		}
		if len(fields) > 0 {
			line += " " + strings.Join(fields, " ")
		}
		if i.Action == syncfolder.Failed {
			line += ": " + i.Why
		}
		lines = append(lines, line)
	}
	return lines
}

// syncs synchronizes as a person who agrees to everything, and compares what was done.
func (m *machine) syncs(q syncfolder.Request, want ...string) {
	m.t.Helper()
	dry := q
	dry.DryRun = true
	seen, err := m.Sync(m.t.Context(), dry)
	if err != nil {
		m.t.Fatal(err)
	}
	q.Hash = seen.Hash
	done, err := m.Sync(m.t.Context(), q)
	if err != nil {
		m.t.Fatal(err)
	}
	if got := lines(done); !slices.Equal(got, want) || !slices.Equal(lines(seen), got) {
		m.t.Errorf("got %q, want %q; the dry run said %q", got, want, lines(seen))
	}
}

func (m *machine) agrees(want ...string) { m.t.Helper(); m.syncs(syncfolder.Request{}, want...) }

// fails returns the error of a synchronization, which must have this kind and text.
func (m *machine) fails(kind fault.Kind, text string) {
	m.t.Helper()
	_, err := m.Sync(m.t.Context(), syncfolder.Request{Unseen: true})
	if fault.KindOf(err) != kind || !strings.Contains(fault.MessageOf(err), text) {
		m.t.Errorf("got %v, want %q", err, text)
	}
}

func (m *machine) add(s registry.Server) {
	m.t.Helper()
	s.Approved = true
	if _, err := m.options.Registry.Add(m.t.Context(), s); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) edit(name string, change func(*registry.Server)) {
	m.t.Helper()
	if _, err := m.options.Registry.Update(m.t.Context(), name, change); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) remove(name string) {
	m.t.Helper()
	if err := m.options.Registry.Remove(m.t.Context(), name); err != nil {
		m.t.Fatal(err)
	}
}

// get returns a server, which is empty if there is none.
func (m *machine) get(name string) registry.Server {
	s, _ := m.options.Registry.Get(name)
	return s
}

func (m *machine) configure(yaml string) {
	m.t.Helper()
	if _, err := m.options.Settings.Replace([]byte(yaml)); err != nil {
		m.t.Fatal(err)
	}
}

func TestChangesOfEitherMachineReachTheOther(t *testing.T) {
	a, b, folder := pair(t)
	a.add(registry.Server{Name: "notes", Command: "run", Tags: []string{"x"}, Sandbox: registry.Guard})
	a.agrees("servers/notes write")
	a.agrees()
	b.agrees("servers/notes take")
	if s := b.get("notes"); !s.Approved || s.Command != "run" || s.Sandbox != registry.Guard {
		t.Errorf("b has %+v", s)
	}
	b.agrees()
	b.edit("notes", func(s *registry.Server) { s.Description = "mine" })
	b.agrees("servers/notes write")
	a.edit("notes", func(s *registry.Server) { s.Tags = []string{"x", "y"} })
	a.agrees("servers/notes merge")
	b.agrees("servers/notes take")
	for _, m := range []*machine{a, b} {
		if s := m.get("notes"); s.Description != "mine" || len(s.Tags) != 2 {
			t.Errorf("a machine has %+v", s)
		}
		m.agrees()
	}
	b.remove("notes")
	b.agrees("servers/notes delete")
	if _, err := os.Stat(filepath.Join(folder, "servers", "notes.json")); !os.IsNotExist(err) {
		t.Error("the file is still there")
	}
	a.agrees("servers/notes remove")
	if a.get("notes").Name != "" {
		t.Error("a still has the server")
	}
	a.agrees()
}

func TestAConflictWaitsForAChoice(t *testing.T) {
	a, b, _ := pair(t)
	a.add(registry.Server{Name: "notes", Command: "run"})
	a.add(registry.Server{Name: "mail", Command: "run"})
	a.agrees("servers/mail write", "servers/notes write")
	b.agrees("servers/mail take", "servers/notes take")
	for m, text := range map[*machine]string{a: "of a", b: "of b"} {
		m.edit("notes", func(s *registry.Server) { s.Description = text })
	}
	b.edit("mail", func(s *registry.Server) { s.Description = "other" })
	a.agrees("servers/notes write")
	b.agrees("servers/mail write", "servers/notes conflict description")
	b.agrees("servers/notes conflict description")
	if _, err := b.Sync(t.Context(), syncfolder.Request{Mine: []string{"mail"}}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a choice about something that is no conflict: %v", err)
	}
	b.syncs(syncfolder.Request{Theirs: []string{"notes"}}, "servers/notes take")
	if s := b.get("notes"); s.Description != "of a" {
		t.Errorf("b has %q", s.Description)
	}
	a.agrees("servers/mail take")

	// Deleted on one side, changed on the other.
	a.remove("notes")
	a.agrees("servers/notes delete")
	b.edit("notes", func(s *registry.Server) { s.Description = "changed" })
	b.agrees("servers/notes conflict")
	b.syncs(syncfolder.Request{Mine: []string{"servers/notes"}}, "servers/notes write")
	a.agrees("servers/notes take")
	if s := a.get("notes"); s.Description != "changed" {
		t.Errorf("a has %+v", s)
	}
}

func TestNothingOfTheFolderIsDoneThatNoPersonHasSeen(t *testing.T) {
	a, b, folder := pair(t)
	b.add(registry.Server{Name: "mail", Command: "run"})
	a.add(registry.Server{Name: "notes", Command: "run"})
	a.configure("discovery:\n  tool_rules:\n    - {pattern: \"*\", enabled: true}\n")
	a.agrees("settings/discovery.tool_rules write", "servers/notes write")
	report, err := b.Sync(t.Context(), syncfolder.Request{Unseen: true})
	want := []string{"settings/discovery.tool_rules take waiting", "servers/mail write", "servers/notes take waiting"}
	if err != nil || !slices.Equal(lines(report), want) {
		t.Errorf("got %q, %v", lines(report), err)
	}
	if config, _ := b.options.Settings.Read(); b.get("notes").Name != "" || len(config) > 0 {
		t.Errorf("a program changed b: %s", config)
	}
	seen, err := b.Sync(t.Context(), syncfolder.Request{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range seen.Items {
		if i.Name == "notes" && (i.Runs == nil || i.Runs.Command != "run") {
			t.Errorf("the dry run does not say what the server runs: %+v", i)
		}
		if i.Kind == "settings" && (len(i.Fields) == 0 || !strings.Contains(fmt.Sprint(i.Fields), `"pattern":"*"`)) {
			t.Errorf("the dry run does not show the rule: %+v", i)
		}
	}
	file := filepath.Join(folder, "servers", "notes.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), `"run"`, `"other"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.Sync(t.Context(), syncfolder.Request{Hash: seen.Hash})
	if fault.KindOf(err) != fault.Conflict || b.get("notes").Name != "" {
		t.Errorf("what changed after the person saw it: %v", err)
	}
	if _, err := b.Sync(t.Context(), syncfolder.Request{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a person who saw nothing: %v", err)
	}
}

func TestAPathThatNoPersonHasSeenIsNotTaken(t *testing.T) {
	a, b, folder := pair(t)
	a.add(registry.Server{Name: "notes", Command: "/opt/a/run"})
	a.agrees("servers/notes write")
	seen, err := b.Sync(t.Context(), syncfolder.Request{DryRun: true})
	if err != nil || seen.Items[0].Runs.Command != "/opt/a/run" {
		t.Fatalf("the dry run says %+v, %v", seen, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "machines", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the machines are %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), "/opt/a/run", "/tmp/other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sync(t.Context(), syncfolder.Request{Hash: seen.Hash}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("b has %+v, %v", b.get("notes"), err)
	}
}

func TestEveryKindOfObjectIsSynchronized(t *testing.T) {
	a, b, _ := pair(t)
	ctx := t.Context()
	tool := catalog.Key{Server: "notes", Tool: "read"}
	a.add(registry.Server{Name: "notes", Command: "run"})
	if _, err := a.options.Toolsets.Adopt(ctx, toolset.Toolset{
		Name: "daily", Tools: []toolset.Reference{{Server: "notes", Tool: "read", Hash: "h", Note: "n"}},
	}); err != nil {
		t.Fatal(err)
	}
	about := map[string]string{"persona.yaml": "name: writer\ntoolsets: [{name: texts, tools: [notes.read]}]\n"}
	if err := a.options.Personas.Save("writer", about); err != nil {
		t.Fatal(err)
	}
	if _, err := a.options.Approvals.Adopt(ctx, rules.Approval{Tool: tool, Hash: "h", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	a.configure("port: 3000\nlog:\n  retention_days: 5\n")
	b.configure("port: 4000 # here\n")
	all := []string{"settings/log.retention_days", "servers/notes", "toolsets/daily", "personas/writer", "approvals/notes"}
	each := func(action string) (lines []string) {
		for _, key := range all {
			lines = append(lines, key+" "+action)
		}
		return lines
	}
	a.agrees(each("write")...)
	b.agrees(each("take")...)
	b.agrees()
	config, _ := b.options.Settings.Read()
	set, _ := b.options.Toolsets.Get("daily")
	if string(config) != "port: 4000 # here\nlog:\n  retention_days: 5\n" || len(set.Tools) != 1 || len(b.options.Approvals.All()) != 1 {
		t.Errorf("b has the settings %q, the toolset %+v and the approvals %v", config, set, b.options.Approvals.All())
	}
	// A withdrawn approval is withdrawn everywhere, and a new one of another definition replaces the former.
	if err := a.options.Approvals.Revoke(ctx, tool); err != nil {
		t.Fatal(err)
	}
	if _, err := a.options.Approvals.Adopt(ctx, rules.Approval{Tool: tool, Hash: "h2", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	a.agrees("approvals/notes write")
	b.agrees("approvals/notes take")
	if now := b.options.Approvals.All(); len(now) != 1 || now[0].Hash != "h2" {
		t.Errorf("b has the approvals %v", now)
	}
	// A file that a persona does not have any more goes away, too.
	about["mcp.json"] = `{"mcpServers": {}}`
	for range 2 {
		if err := a.options.Personas.Save("writer", about); err != nil {
			t.Fatal(err)
		}
		a.agrees("personas/writer write")
		b.agrees("personas/writer take")
		b.agrees()
		delete(about, "mcp.json")
	}
	// Everything goes away at once only if somebody says so.
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(b.options.Approvals.Revoke(ctx, tool))
	must(b.options.Toolsets.Delete(ctx, "daily"))
	must(b.options.Personas.Discard(ctx, "writer"))
	b.remove("notes")
	b.configure("port: 4000\n")
	b.fails(fault.Conflict, "4 of 4 objects are missing on this machine since the last time")
	b.syncs(syncfolder.Request{Deletions: true}, each("delete")...)
	a.fails(fault.Conflict, "agent-discover sync --deletions")
	a.syncs(syncfolder.Request{Deletions: true}, each("remove")...)
	if config, _ := a.options.Settings.Read(); string(config) != "port: 3000\n" || len(a.options.Registry.List())+
		len(a.options.Toolsets.List())+len(a.options.Approvals.All()) > 0 {
		t.Errorf("a still has something; its settings are %q", config)
	}
	a.agrees()
}

func TestValuesOfAMachineStayThere(t *testing.T) {
	a, b, folder := pair(t)
	a.add(registry.Server{
		Name: "notes", Command: "/opt/a/run", Args: []string{"--root=/home/a/notes", "x"}, Env: map[string]string{"DATA": "/srv/a"},
		Package: registry.Package{Name: "p", Version: "1", Latest: "2"},
	})
	a.agrees("servers/notes write")
	b.agrees("servers/notes take")
	s := b.get("notes")
	if s.Command != "/opt/a/run" || s.Args[0] != "--root=/Users/b/notes" || s.Env["DATA"] != "/srv/a" {
		t.Errorf("b has %+v", s)
	}
	b.edit("notes", func(s *registry.Server) { s.Command, s.Env["DATA"], s.Package.Latest = "run-of-b", "/srv/b", "3" })
	b.agrees()
	a.edit("notes", func(s *registry.Server) { s.Command, s.Args[1], s.Env["MORE"] = "/opt/new/run", "y", "1" })
	a.agrees("servers/notes write")
	b.agrees("servers/notes take")
	s = b.get("notes")
	if s.Command != "run-of-b" || s.Args[1] != "y" || s.Env["DATA"] != "/srv/b" || s.Env["MORE"] != "1" || s.Package.Latest != "3" {
		t.Errorf("b has %+v", s)
	}
	a.agrees()
	text, err := os.ReadFile(filepath.Join(folder, "servers", "notes.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/opt/", "/srv/", "/home/"} {
		if strings.Contains(string(text), path) {
			t.Errorf("the folder has %s", text)
		}
	}
}

func TestSecretsStayOnTheirMachine(t *testing.T) {
	a, b, folder := pair(t)
	a.add(registry.Server{Name: "notes", Command: "run", Env: map[string]string{"API_KEY": "battery-staple"}})
	if err := a.vault.Set(t.Context(), "notes", "STORED", "stored-value"); err != nil {
		t.Fatal(err)
	}
	a.agrees("servers/notes write")
	text, err := os.ReadFile(filepath.Join(folder, "servers", "notes.json"))
	if err != nil || strings.Contains(string(text), "battery-staple") || strings.Contains(string(text), "stored-value") ||
		!strings.Contains(string(text), `"STORED": true`) {
		t.Errorf("the folder has %s, %v", text, err)
	}
	b.agrees("servers/notes take")
	if err := b.vault.Set(t.Context(), "notes", "OWN", "value"); err != nil {
		t.Fatal(err)
	}
	b.edit("notes", func(s *registry.Server) { s.Description = "new" })
	b.agrees("servers/notes write")
	if err := a.vault.Set(t.Context(), "notes", "SECOND", "value"); err != nil {
		t.Fatal(err)
	}
	a.agrees("servers/notes merge")
	filled, err := a.vault.Fill(t.Context(), "notes", launch.Of(a.get("notes")))
	if err != nil || filled.Env["API_KEY"] != "battery-staple" || filled.Env["STORED"] != "stored-value" {
		t.Errorf("a starts the server with %v, %v", filled.Env, err)
	}
	b.agrees("servers/notes take")
	a.agrees()
	b.agrees()
}

func TestAnUnclearFolderStopsTheSynchronization(t *testing.T) {
	a, b, folder := pair(t)
	for _, name := range []string{"a.b-c_d.json", "aux", "one", "two", "three", "four"} {
		a.add(registry.Server{Name: name, Command: "run"})
	}
	if _, err := a.Sync(t.Context(), syncfolder.Request{Unseen: true}); err != nil {
		t.Fatal(err)
	}
	b.agrees("servers/a.b-c_d.json take", "servers/aux take", "servers/four take", "servers/one take", "servers/three take",
		"servers/two take")
	b.agrees()
	servers := filepath.Join(folder, "servers")
	one := filepath.Join(servers, "one.json")
	good, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		"", "null", string(good[:len(good)/2]), "<<<<<<< HEAD\n" + string(good), string(good) + string(good),
		strings.Replace(string(good), `"name"`, `"unknown": 1, "name"`, 1),
		strings.Replace(string(good), `"command"`, `"sandbox": "none", "command"`, 1),
	} {
		write(one, text)
		b.fails(fault.Invalid, one+" is damaged, was not fetched completely, or is of a newer version")
	}
	write(one, string(good))
	for _, name := range []string{"one (copy of b).json", "one.sync-conflict-20261130.json", "one.json.orig"} {
		write(filepath.Join(servers, name), string(good))
		b.fails(fault.Invalid, name+" is not a file of Agent Discover")
		_ = os.Remove(filepath.Join(servers, name))
	}
	write(filepath.Join(servers, ".one.json.icloud"), "")
	b.fails(fault.Unavailable, "is not fetched yet")
	_ = os.Remove(filepath.Join(servers, ".one.json.icloud"))
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(servers, aside); err != nil {
		t.Fatal(err)
	}
	b.fails(fault.Conflict, "6 of 6 objects are missing in "+folder)
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	b.fails(fault.NotFound, "is not mounted")
	if len(b.options.Registry.List()) != 6 {
		t.Error("b has lost servers")
	}
	if _, err := b.Init(folder); err != nil {
		t.Fatal(err)
	}
	a.fails(fault.Conflict, "but another one")
}

func TestNamesThatDifferOnlyInCaseAreNotSynchronized(t *testing.T) {
	a, b, folder := pair(t)
	a.add(registry.Server{Name: "Notes", Command: "run"})
	a.agrees("servers/Notes write")
	b.add(registry.Server{Name: "notes", Command: "other"})
	b.agrees("servers/Notes apart", "servers/notes apart")
	if s := b.get("Notes"); s.Name != "" {
		t.Errorf("b has %+v", s)
	}
	if entries, _ := os.ReadDir(filepath.Join(folder, "servers")); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
}

func TestAnInterruptedSynchronizationIsRepeated(t *testing.T) {
	a, b, _ := pair(t)
	a.add(registry.Server{Name: "notes", Command: "run"})
	a.agrees("servers/notes write")
	b.agrees("servers/notes take")
	a.edit("notes", func(s *registry.Server) { s.Description = "of a" })
	b.edit("notes", func(s *registry.Server) { s.Tags = []string{"of b"} })
	a.agrees("servers/notes write")
	base := filepath.Join(string(b.options.Data), "sync-base.json")
	before, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	b.agrees("servers/notes merge")
	if err := os.WriteFile(base, before, 0o600); err != nil { // as if the hub had ended before it remembered
		t.Fatal(err)
	}
	b.agrees()
	a.agrees("servers/notes take")
	if s := a.get("notes"); s.Description != "of a" || len(s.Tags) != 1 {
		t.Errorf("a has %+v", s)
	}
}

func TestTwoMachinesSynchronizeAtOnce(t *testing.T) {
	a, b, _ := pair(t)
	var both sync.WaitGroup
	for m, name := range map[*machine]string{a: "of-a", b: "of-b"} {
		m.add(registry.Server{Name: name, Command: "run"})
		both.Go(func() {
			if _, err := m.Sync(t.Context(), syncfolder.Request{Unseen: true}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	a.agrees("servers/of-b take")
	b.agrees("servers/of-a take")
	a.agrees()
	b.agrees()
}

func TestServersThatWaitForApprovalStayOnTheirMachine(t *testing.T) {
	a, b, _ := pair(t)
	a.add(registry.Server{Name: "notes", Command: "run"})
	a.agrees("servers/notes write")
	b.agrees("servers/notes take")
	b.edit("notes", func(s *registry.Server) { s.Command, s.Approved = "agent's", false })
	b.agrees("servers/notes apart")
	a.agrees()
}

func TestTheFolderIsChosenAndForgotten(t *testing.T) {
	m := newMachine(t, "")
	m.fails(fault.NotFound, "agent-discover sync init FOLDER")
	for path, want := range map[string]string{
		"relative": "use the absolute path", filepath.Join(string(m.options.Data), "x"): "is in the data folder",
		filepath.Join(t.TempDir(), "a", "b"): "could not create the folder",
	} {
		if _, err := m.Init(path); err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	half := t.TempDir()
	if err := os.MkdirAll(filepath.Join(half, "servers", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Init(half); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a folder whose marker is missing: %v", err)
	}
	first, err := m.Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Init(first.Path)
	if err != nil || again != first {
		t.Errorf("got %+v, %v, want %+v", again, err, first)
	}
	if _, err := m.Sync(t.Context(), syncfolder.Request{Unseen: true}); err != nil {
		t.Error(err)
	}
	if erased := m.options.Data.Written(); !slices.Contains(erased, "sync-base.json") || !slices.Contains(erased, "sync-folder.json") {
		t.Errorf("purge would erase only %q", erased)
	}
	if stopped, err := m.Stop(); err != nil || stopped != first {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if _, err := m.Stop(); fault.KindOf(err) != fault.NotFound {
		t.Errorf("stopped twice: %v", err)
	}
}
