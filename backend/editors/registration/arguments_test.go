package registration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// entryIn returns the Agent Discover entry in a file. It fails the test if the file does not have
// exactly one such entry.
func (rg *rig) entryIn(file table.File) entry {
	rg.Helper()
	text := rg.read(file.Path)
	e, err := readEntry([]byte(text), file)
	if err != nil || !e.ours || len(e.also) > 0 || strings.Count(" "+rg.entries(file.Path, file.Place), " "+Name+" ") != 1 {
		rg.Fatalf("the entry is %+v, %v, in %s", e, err, text)
	}
	return e
}

// args checks the arguments in the entry in a file.
func (rg *rig) args(file table.File, want ...string) {
	rg.Helper()
	if e := rg.entryIn(file); !slices.Equal(e.server.Args, want) {
		rg.Errorf("the arguments in %s are %q, want %q", file.Path, e.server.Args, want)
	}
}

// isOutdated checks that an editor has a working entry, and that its status says that the entry is
// outdated if and only if want is set.
func (rg *rig) isOutdated(id string, want bool) {
	rg.Helper()
	if s := rg.is(id, Registered); s.Files[0].Outdated != want {
		rg.Errorf("outdated is %v for %s", s.Files[0].Outdated, rg.read(s.Files[0].Path))
	}
}

// registerAsBefore adds an entry in the form of earlier versions, and returns the id of the change.
func (rg *rig) registerAsBefore(id string) string {
	rg.Helper()
	found := rg.found(id)
	old := rg.options.Entry
	if link, _, err := rg.own.wanted(found.Editor, ""); err == nil {
		old.Command = link.Command
	}
	out := rg.performer.planAndPerform(rg.Context(), found.Files[0].Path, func() filePlan {
		p := filePlan{found: found, file: found.Files[0], action: Register, entries: []string{Name}, by: "person", has: true, own: rg.own}
		p.read(rg.Context(), rg.files.readAtRest)
		p.put(old, false)
		rg.planner.complete(rg.Context(), &p)
		return p
	})
	rg.checkStatus([]Outcome{out}, done)
	return out.Change
}

func TestEveryEntryNamesItsEditor(t *testing.T) {
	everyRow(t, func(rg *rig, e *table.Editor) {
		file := rg.found(e.ID).Files[0]
		rg.file(e.ID, contents(file.Place)["servers"])
		rg.register(e.ID, done)
		rg.args(file, "mcp", "--client", e.ID, "--surface", "meta")
		rg.isOutdated(e.ID, false)

		q := Request{Action: Register, Editors: []string{e.ID}, Project: rg.TempDir()}
		if file, ok := rg.options.Machine.InProject(e, q.Project); ok {
			rg.do(q, done)
			rg.args(file, "mcp", "--client", e.ID, "--surface", "meta")
		}
	})
}

func TestTheTextToPasteNamesTheEditor(t *testing.T) {
	rg := newRig(t, "linux")
	for _, e := range table.Table() {
		found := rg.found(e.ID)
		if len(found.Files) == 0 || e.Shape == "augment-list" { // this shape is read-only
			continue
		}
		text := rg.own.snippet(e, found.Files[0])
		got, err := readEntry([]byte(text), found.Files[0])
		if want := []string{"mcp", "--client", e.ID, "--surface", "meta"}; err != nil || !slices.Equal(got.server.Args, want) {
			t.Errorf("the text for %s is %s, %v", e.ID, text, err)
		}
	}
}

func TestTheTextForOtherClientsStartsTheSameProgram(t *testing.T) {
	rg := newRig(t, "linux")
	rg.options.Entry.Env = map[string]string{"AGENT_DISCOVER_HOME": "/data"}
	text := rg.EntryText()
	got, err := readEntry([]byte(text), table.File{
		Place: configedit.Place{Format: configedit.JSON, Keys: []string{"mcpServers"}}, Shape: "plain",
	})
	if err != nil || !got.ours || !equivalent(got.server, rg.Entry()) || parseArguments(got.server.Args).surfaceName() != NewSurface {
		t.Errorf("the text is %s, %v", text, err)
	}
}

func TestEntriesOfEarlierVersionsAreUpdatedAndUndone(t *testing.T) {
	everyRow(t, func(rg *rig, e *table.Editor) {
		file := rg.found(e.ID).Files[0]
		original := contents(file.Place)["servers"]
		rg.file(e.ID, original)
		first := rg.registerAsBefore(e.ID)
		rg.args(file, "mcp")
		rg.isOutdated(e.ID, true)
		old := rg.read(file.Path)

		update := rg.register(e.ID, done)
		rg.args(file, "mcp", "--client", e.ID, "--surface", "meta")
		rg.isOutdated(e.ID, false)
		rg.register(e.ID, nothing)

		rg.undo(done, update)
		rg.holds(file.Path, old)
		rg.isOutdated(e.ID, true)
		rg.undo(done, first)
		rg.holds(file.Path, original)
		rg.is(e.ID, Absent)
		if !firstOfKind(rg.options.Machine.OS, e) {
			return
		}

		rg.registerAsBefore(e.ID)
		rg.unregister(e.ID, done)
		rg.holds(file.Path, original)

		first = rg.registerAsBefore(e.ID)
		rg.register(e.ID, done)
		rg.undo(done, first) // undo only the older change, although the entry was updated since
		rg.is(e.ID, Absent)

		rg.registerAsBefore(e.ID)
		rg.register(e.ID, done)
		rg.unregister(e.ID, done)
		rg.is(e.ID, Absent)
		if names := rg.entries(file.Path, file.Place); !strings.Contains(names, "one ") || !strings.Contains(names, "two ") {
			rg.Errorf("the entries are %s", names)
		}
	})
}

func TestUpdatesKeepWhatAPersonAdded(t *testing.T) {
	const more = `"env": {"DEBUG": "1"}, "disabled": true, "alwaysAllow": ["find_tool"]`
	for name, row := range map[string]struct {
		args   string
		moved  bool // the entry starts a program that moved
		state  State
		update string // expected status of a register request
		want   string
	}{
		"nothing": {`["mcp"]`, false, Registered, done, `["mcp", "--client", "cline", "--surface", "meta"]`},
		"a surface": {
			`["mcp", "--surface", "server:notes"]`, false, Registered, done, `["mcp", "--client", "cline", "--surface", "server:notes"]`,
		},
		"a surface in one word": {
			`["mcp", "--surface=registry"]`, false, Registered, done, `["mcp", "--client", "cline", "--surface=registry"]`,
		},
		"a surface of a moved program": {
			`["mcp", "--surface", "server:notes"]`, true, Stale, done, `["mcp", "--client", "cline", "--surface", "server:notes"]`,
		},
		"a client": {
			`["mcp", "--client", "gemini-cli"]`, false, Registered, done, `["mcp", "--client", "gemini-cli", "--surface", "meta"]`,
		},
		"a client of a moved program": {
			`["mcp", "--surface", "registry", "--client=cursor"]`, true, Stale, done, `["mcp", "--surface", "registry", "--client=cursor"]`,
		},
		"an empty client": {
			`["mcp", "--client", ""]`, false, Registered, done, `["mcp", "--client", "cline", "--surface", "meta"]`,
		},
		"a client without a value": {
			`["mcp", "--client"]`, false, Stale, done, `["mcp", "--client", "cline", "--surface", "meta"]`,
		},
		"an unknown argument": {
			`["mcp", "--mine", "--surface", "server:notes"]`, false, Stale, done,
			`["mcp", "--client", "cline", "--surface", "server:notes"]`,
		},
		"an unknown argument beside a client": {
			`["mcp", "--client", "cursor", "--mine"]`, false, Stale, done, `["mcp", "--client", "cursor", "--surface", "meta"]`,
		},
		"another order of client and surface": {
			`["mcp", "--surface", "server:notes", "--client", "cline"]`, false, Registered, nothing,
			`["mcp", "--surface", "server:notes", "--client", "cline"]`,
		},
		"an unknown client and a moved folder": {
			`["mcp", "--client", "mine"]`, true, Stale, done, `["mcp", "--client", "mine", "--surface", "meta"]`,
		},
	} {
		for _, system := range []string{"linux", "windows"} {
			t.Run(name+" on "+system, func(t *testing.T) {
				rg := newRig(t, system)
				command := rg.options.Entry.Command
				if row.moved {
					command = filepath.Join(rg.root, "gone", "agent-discover")
				}
				text := fmt.Sprintf(`{"mcpServers": {"first": {"command": "x"}, "discover": {"command": "%s", "args": %s, %s}}}`,
					escaped(command), row.args, more)
				path := rg.file("cline", text)
				if s := rg.is("cline", row.state); s.Files[0].Outdated != (row.state == Registered && row.update == done) {
					t.Errorf("file status is %+v", s.Files[0])
				}
				change := rg.register("cline", row.update)
				rg.holds(path, fmt.Sprintf(`{"mcpServers": {"first": {"command": "x"}, "discover": {"command": "%s", "args": %s, %s}}}`,
					escaped(rg.options.Entry.Command), row.want, more))
				rg.isOutdated("cline", false)
				if row.update == done {
					rg.undo(done, change)
				}
				rg.holds(path, text)
			})
		}
	}
}

func TestUpdatesKeepWhatAPersonAddedInEveryFormat(t *testing.T) {
	everyKind(t, func(rg *rig, e *table.Editor) {
		file := rg.found(e.ID).Files[0]
		rg.file(e.ID, contents(file.Place)["servers"])
		entry := rg.options.Entry
		rg.again(func(o *Options) {
			o.Entry.Args = []string{"mcp", "--surface", "server:notes"}
			o.Entry.Env = map[string]string{"DEBUG": "1"}
		})
		rg.registerAsBefore(e.ID)
		rg.again(func(o *Options) { o.Entry = entry })
		rg.isOutdated(e.ID, true)
		rg.register(e.ID, done)
		rg.args(file, "mcp", "--client", e.ID, "--surface", "server:notes")
		if env := rg.entryIn(file).server.Env; len(env) != 1 || env["DEBUG"] != "1" {
			rg.Errorf("the variables are %v", env)
		}
	})
}

func TestAnEntryThatAShellStartsKeepsItsSurface(t *testing.T) {
	for _, row := range []struct{ system, command, args string }{
		{"windows", "cmd", `["/c", "%s", "mcp", "--surface", "server:notes"]`},
		{"linux", "sh", `["-c", "exec %s mcp --surface server:notes"]`},
		{"darwin", "env", `["A=1", "%s", "mcp", "--surface", "server:notes"]`},
	} {
		rg := newRig(t, row.system)
		rg.file("cursor", fmt.Sprintf(`{"mcpServers": {"discover": {"command": %q, "args": `+row.args+`}}}`,
			row.command, escaped(filepath.ToSlash(rg.options.Entry.Command))))
		rg.is("cursor", Stale)
		rg.register("cursor", done)
		rg.args(rg.found("cursor").Files[0], "mcp", "--client", "cursor", "--surface", "server:notes")
		rg.isOutdated("cursor", false)
	}
}

func TestEntriesInAnotherSpellingAreUpdated(t *testing.T) {
	for _, row := range []struct{ editor, entry string }{
		{"cursor", `{"transport": {"command": "%s", "args": ["mcp", "--surface", "registry"]}}`},
		{"cursor", `{"command": ["%s", "mcp", "--surface", "registry"]}`},
		{"opencode", `{"type": "local", "command": "%s", "args": ["mcp", "--surface", "registry"]}`},
	} {
		rg := newRig(t, "linux")
		file := rg.found(row.editor).Files[0]
		path := rg.file(row.editor, fmt.Sprintf(`{"%s": {"discover": `+row.entry+`}}`, file.Place.Keys[0],
			escaped(rg.options.Entry.Command)))
		old := rg.read(path)
		rg.isOutdated(row.editor, true)
		change := rg.register(row.editor, done)
		rg.args(file, "mcp", "--client", row.editor, "--surface", "registry")
		rg.isOutdated(row.editor, false)
		rg.undo(done, change)
		rg.holds(path, old)
	}
}

func TestCommandOfTheEditorUpdatesTheEntry(t *testing.T) {
	for name, row := range map[string]struct {
		more     string
		commands int
		want     []string
	}{
		"as it was written": {"", 2, []string{"mcp", "--client", "claude-code", "--surface", "meta"}},
		"with a surface added": {
			`, "--surface", "server:notes"`, 0, []string{"mcp", "--client", "claude-code", "--surface", "server:notes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rg, p := claudeRig(t)
			text := `{"mcpServers": {"discover": {"type": "stdio", "command": "` + escaped(rg.options.Entry.Command) + `", "args": ["mcp"` +
				row.more + `]}, "a": {"command": "x"}}}`
			path := rg.file("claude-code", text)
			rg.isOutdated("claude-code", true)
			change := rg.register("claude-code", done)
			if len(p.calls) != row.commands {
				t.Errorf("commands are %v", p.calls)
			}
			rg.args(rg.found("claude-code").Files[0], row.want...)
			rg.isOutdated("claude-code", false)
			rg.undo(done, change)
			rg.sameServers(path, text)
		})
	}
}

func TestUpdatesWaitUntilTheEditorHasExited(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", `{"mcpServers": {"discover": {"command": "`+escaped(rg.options.Entry.Command)+`", "args": ["mcp"]}}}`)
	rg.isOutdated("claude-desktop", true)
	old := rg.read(path)
	rg.register("claude-desktop", waiting)
	rg.is("claude-desktop", Waiting)
	rg.holds(path, old)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.isOutdated("claude-desktop", false)
}

func TestAnEntryThatSeveralEditorsOfAProjectReadNamesTheFirst(t *testing.T) {
	rg := newRig(t, "linux")
	q := Request{Action: Register, Editors: []string{"claude-code", "copilot-cli"}, Project: t.TempDir()}
	rg.do(q, done)
	file, _ := rg.options.Machine.InProject(rg.found("claude-code").Editor, q.Project)
	rg.args(file, "mcp", "--client", "claude-code", "--surface", "meta")
	q.Editors = []string{"copilot-cli"}
	rg.do(q, nothing) // the entry keeps the editor that it names
	rg.args(file, "mcp", "--client", "claude-code", "--surface", "meta")

	text := strings.Replace(rg.read(file.Path), `, "--client", "claude-code"`, "", 1)
	rg.write(file.Path, text)
	rg.do(q, done)
	rg.args(file, "mcp", "--client", "copilot-cli", "--surface", "meta")
}

func TestNoEntryIsUpdatedWithoutARequest(t *testing.T) {
	rg := newRig(t, "linux")
	rg.again(func(o *Options) { o.Auto = true })
	text := `{"mcpServers": {"discover": {"command": "` + escaped(rg.options.Entry.Command) + `", "args": ["mcp"]}}}`
	path := rg.file("cursor", text)
	rg.scan(t.Context(), nil)
	rg.holds(path, text)
	rg.isOutdated("cursor", true)
	if err := os.Link(path, path+".too"); err != nil {
		t.Skip(err)
	}
	rg.isOutdated("cursor", false) // no update is offered, because it would be refused
}
