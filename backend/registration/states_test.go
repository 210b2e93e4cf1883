package registration

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/swap"
)

func TestAnEntryOfOurNameThatIsNotOursIsLeftAlone(t *testing.T) {
	rg := newRig(t, "linux")
	text := `{"mcpServers": {"discover": {"command": "npx", "args": ["other"], "env": {"API_TOKEN": "abcdefgh"}}, "x": {"command": "y"}}}`
	path := rg.file("cursor", text)
	if s := rg.is("cursor", Foreign); s.Files[0].Command != "" {
		t.Errorf("somebody else's command is shown: %+v", s.Files[0])
	}
	rg.register("cursor", refused)
	rg.unregister("cursor", refused)
	rg.holds(path, text)
	replaced := rg.do(Wish{Action: Register, Editors: []string{"cursor"}, Replace: true}, done)[0].Change
	rg.is("cursor", Registered)
	rg.undo(done, replaced)
	rg.holds(path, text)
	replaced = rg.do(Wish{Action: Register, Editors: []string{"cursor"}, Replace: true}, done)[0].Change
	rg.write(path, strings.Replace(rg.read(path), `"y"`, `"z"`, 1))
	rg.undo(done, replaced)
	rg.holds(path, strings.Replace(text, `"y"`, `"z"`, 1))
	rg.do(Wish{Action: Unregister, Editors: []string{"cursor"}, Replace: true}, done)
	rg.is("cursor", Absent)
}

func TestAnEntryWhoseProgramMovedIsPutRightInItsPlace(t *testing.T) {
	rg := newRig(t, "linux")
	gone := filepath.Join(rg.root, "gone", "agent-discover")
	text := `{
  "mcpServers": {
    "first": {"command": "x"},
    "discover": { // mine
      "command": "` + gone + `",
      "args": ["mcp"],
      "disabled": true,
      "alwaysAllow": ["find_tool"],
      "env": {"DEBUG": "1", "AGENT_DISCOVER_HOME": "/elsewhere"}
    }
  }
}
`
	path := rg.file("cline", strings.Replace(text, " // mine", "", 1))
	if s := rg.is("cline", Stale); s.Files[0].Command != gone || !strings.Contains(s.Files[0].Problem, "is not there") {
		t.Errorf("got %+v", s.Files[0])
	}
	change := rg.register("cline", done)
	want := strings.Replace(strings.Replace(text, " // mine", "", 1), gone, rg.Entry.Command, 1)
	want = strings.Replace(want, `{"DEBUG": "1", "AGENT_DISCOVER_HOME": "/elsewhere"}`, `{"DEBUG": "1"}`, 1)
	if got := rg.read(path); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("got %s", got)
	}
	rg.is("cline", Registered)
	rg.undo(done, change)
	rg.holds(path, strings.Replace(text, " // mine", "", 1))
	rg.file("cursor", strings.Replace(text, gone, rg.Entry.Command, 1)) // with a comment
	rg.is("cursor", Stale)                                              // by its folder
	rg.again(func(o *Options) { o.Entry.Env = map[string]string{"AGENT_DISCOVER_HOME": "/elsewhere"} })
	rg.is("cursor", Registered)
}

func TestAProgramThatIsNotThereIsNotRegistered(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	if err := os.Chmod(rg.Entry.Command, 0o600); err != nil {
		t.Fatal(err)
	}
	rg.register("cursor", refused)
	rg.holds(path, "{}")
	rg.again(func(o *Options) { o.Entry.Command = rg.program("again") })
	rg.register("cursor", done)
	if err := os.Remove(rg.Entry.Command); err != nil {
		t.Fatal(err)
	}
	rg.is("cursor", Stale)
}

func TestAnEntryThatSomebodyTookOutIsToldAndComesBackOnlyWhenAsked(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	rg.register("cursor", done)
	rg.write(path, "{}")
	rg.is("cursor", Dropped)
	rg.again(nil)
	rg.is("cursor", Dropped)
	change := rg.register("cursor", done)
	rg.is("cursor", Registered)
	rg.undo(done, change)
	rg.is("cursor", Absent)
	rg.register("cursor", done)
	rg.write(path, "{}")
	rg.do(Wish{Action: Unregister, All: true}, nothing)
	rg.is("cursor", Absent)
	rg.holds(path, "{}")
}

func TestFilesThatMayNotBeWrittenAreLeftAlone(t *testing.T) {
	for name, spoil := range map[string]func(rg *rig, path string){
		"read-only": func(rg *rig, path string) { rg.mode(path, 0o444) },
		"in a read-only folder": func(rg *rig, path string) {
			rg.mode(filepath.Dir(path), 0o555)
			rg.Cleanup(func() { rg.mode(filepath.Dir(path), 0o700) })
		},
		"malformed": func(rg *rig, path string) { rg.write(path, `{"mcpServers": {`) },
		"twice the key": func(rg *rig, path string) {
			rg.write(path, `{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}`)
		},
		"no object":  func(rg *rig, path string) { rg.write(path, `{"mcpServers": 7}`) },
		"not UTF-8":  func(rg *rig, path string) { rg.write(path, "{\"a\": \"\xff\"}") },
		"too long":   func(rg *rig, path string) { rg.write(path, `{"a": "`+strings.Repeat("x", swap.MaxSize)+`"}`) },
		"a folder":   func(rg *rig, path string) { _ = errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"two names":  func(rg *rig, path string) { _ = os.Link(path, path+".too") },
		"in circles": func(rg *rig, path string) { _ = errors.Join(os.Remove(path), os.Symlink(path, path)) },
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			path := rg.file("cursor", `{"theirs": true}`)
			spoil(rg, path)
			before, _ := os.ReadFile(path)
			out := rg.do(Wish{Action: Register, Editors: []string{"cursor"}}, refused)
			if out[0].Snippet == "" {
				t.Error("there is nothing to paste")
			}
			plans, err := rg.Plan(t.Context(), Wish{Action: Register, Editors: []string{"cursor"}})
			if err != nil || plans[0].Problem != out[0].Problem || plans[0].Snippet != out[0].Snippet {
				t.Errorf("got %+v, %v", plans, err)
			}
			if s := rg.is("cursor", Unreadable); s.Files[0].Problem == "" || s.Files[0].Snippet == "" {
				t.Errorf("got %+v", s.Files[0])
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
			if history, err := rg.History(t.Context(), ""); err != nil || len(history) > 0 {
				t.Errorf("got %v, %v", history, err)
			}
		})
	}
}

func (rg *rig) mode(path string, mode os.FileMode) {
	rg.Helper()
	if err := os.Chmod(path, mode); err != nil {
		rg.Fatal(err)
	}
}

func TestAFileThatAnEditorHoldsIsRefused(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cline", "{}")
	lock := path + ".lock"
	future := time.Now().Add(time.Hour) // it does not grow old while this runs
	if err := errors.Join(os.Mkdir(lock, 0o700), os.Chtimes(lock, future, future)); err != nil {
		t.Fatal(err)
	}
	if out := rg.do(Wish{Action: Register, Editors: []string{"cline"}}, refused); !strings.Contains(out[0].Problem, "is writing") {
		t.Errorf("got %q", out[0].Problem)
	}
	rg.holds(path, "{}")
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, past, past); err != nil {
		t.Fatal(err)
	}
	rg.register("cline", done)
}

func TestAFileThatChangedSinceItWasShownIsRefused(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	gemini := rg.path("gemini-cli")
	w := Wish{Action: Register, Editors: []string{"cursor", "gemini-cli"}}
	plans, err := rg.Plan(t.Context(), w)
	if err != nil || len(plans) != 2 || plans[1].Before != "" || plans[0].Before == "" {
		t.Fatalf("got %+v, %v", plans, err)
	}
	w.Expect = map[string]string{plans[0].Path: plans[0].Before, plans[1].Path: plans[1].Before}
	rg.write(path, `{"new": 1}`)
	rg.write(gemini, "")
	rg.do(w, refused)
	rg.holds(path, `{"new": 1}`)
	plans, _ = rg.Plan(t.Context(), w)
	for _, p := range plans {
		if !strings.Contains(p.Problem, "changed since") {
			t.Errorf("got %+v", p)
		}
	}
	w.Expect = nil
	if plans, err = rg.Plan(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	w.Expect = map[string]string{plans[0].Path: plans[0].Before, plans[1].Path: plans[1].Before}
	rg.do(w, done)
}

func TestAnEditorThatIsFasterIsReadAgain(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	writes := 0
	rg.disk.Rename = func(from, to string) error { // the editor writes just after us
		if writes++; writes == 1 {
			return os.WriteFile(to, []byte(`{"theirs": 1}`), 0o600)
		}
		return os.Rename(from, to)
	}
	change := rg.register("cursor", done)
	if got := rg.read(path); !strings.Contains(got, "theirs") || !strings.Contains(got, Name) || writes != 2 {
		t.Errorf("got %q after %d writes", got, writes)
	}
	rg.undo(done, change)
	rg.holds(path, `{"theirs": 1}`)
	if history, _ := rg.History(t.Context(), "cursor"); len(history) != 2 {
		t.Errorf("got %+v", history)
	}
	rg.disk.Rename = func(_, to string) error {
		writes++
		return os.WriteFile(to, []byte(`{"theirs": `+strings.Repeat("1", writes)+`}`), 0o600)
	}
	rg.register("cursor", refused)
}

func TestALinkedFileStaysALink(t *testing.T) {
	rg := newRig(t, "linux")
	target := rg.write(filepath.Join(rg.root, "dotfiles", "zed.json"), "// mine\n{\n}\n")
	path := rg.path("zed")
	middle := filepath.Join(rg.root, "middle")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(target, middle), os.Symlink(middle, path)); err != nil {
		t.Skip(err)
	}
	change := rg.register("zed", done)
	rg.is("zed", Registered)
	for _, link := range []string{path, middle} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	if names := rg.names(filepath.Dir(path)) + rg.names(filepath.Dir(target)); names != "settings.jsonzed.json" {
		t.Errorf("left behind: %s", names)
	}
	rg.undo(done, change)
	rg.holds(target, "// mine\n{\n}\n")
}

func TestALongFileKeepsEveryByte(t *testing.T) {
	rg := newRig(t, "linux")
	text := `{"history": ["` + strings.Repeat(`é\n<&>", "`, 450_000) + `"], "mcpServers": {"a": {"command": "b"}}}`
	path := rg.file("claude-code", text)
	change := rg.register("claude-code", done)
	plans, err := rg.PlanUndo(t.Context(), []string{change})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range plans[0].Diff {
		if len(line.Text) > longest+10 {
			t.Errorf("a line of %d bytes is shown", len(line.Text))
		}
		if line.Kind == "remove" && !strings.Contains(line.Text, Name) {
			t.Errorf("what changes is not in %q", line.Text)
		}
	}
	rg.undo(done, change)
	if rg.read(path) != text {
		t.Error("the file is another")
	}
}

func TestAnEditorWithoutSpacesInCommandsGetsALink(t *testing.T) {
	rg := newRig(t, "darwin")
	rg.again(func(o *Options) { o.Entry.Command = rg.program("My Programs") })
	path := rg.file("trae", "{}")
	rg.register("trae", done)
	link := filepath.Join(rg.root, "data", "bin", "agent-discover")
	if s := rg.is("trae", Registered); s.Files[0].Command != link {
		t.Errorf("got %+v", s.Files[0])
	}
	text := rg.read(path)
	rg.again(func(o *Options) { o.Entry.Command = rg.program("My other Programs") })
	rg.is("trae", Stale)
	if plans, err := rg.Plan(t.Context(), Wish{Action: Register, Editors: []string{"trae"}}); err != nil || plans[0].Nothing {
		t.Errorf("got %+v, %v", plans, err)
	}
	rg.register("trae", done)
	rg.is("trae", Registered)
	rg.holds(path, text)
	if to, err := os.Readlink(link); err != nil || to != rg.Entry.Command {
		t.Errorf("it leads to %s, %v", to, err)
	}
	rg.again(func(o *Options) { o.Folder = filepath.Join(rg.root, "a b", "editors") })
	rg.file("trae-cn", "{}")
	if out := rg.do(Wish{Action: Register, Editors: []string{"trae-cn"}}, refused); !strings.Contains(out[0].Problem, "space") {
		t.Errorf("got %+v", out)
	}
	windows := newRig(t, "windows")
	windows.again(func(o *Options) { o.Entry.Command = windows.program("My Programs") })
	windows.file("trae", "{}")
	windows.register("trae", refused)
}

func TestAllMeansWhatIsThere(t *testing.T) {
	rg := newRig(t, "linux")
	cursor, kimi := rg.file("cursor", "{}"), rg.path("kimi-cli")
	if err := os.MkdirAll(filepath.Dir(kimi), 0o700); err != nil {
		t.Fatal(err)
	}
	zed := rg.file("zed", "{ /* mine */ }")
	foreign := rg.file("gemini-cli", `{"mcpServers": {"discover": {"command": "x"}}}`)
	out, err := rg.Apply(t.Context(), Wish{Action: Register, All: true})
	got := map[string]string{}
	for _, o := range out {
		got[o.Path] = o.Status
	}
	if err != nil || len(got) != 3 || got[cursor] != done || got[zed] != done || got[foreign] != refused {
		t.Errorf("got %v, %v", got, err)
	}
	rg.holds(kimi, "absent")
	out = rg.do(Wish{Action: Unregister, All: true}, done)
	if len(out) != 2 {
		t.Errorf("got %+v", out)
	}
	rg.holds(cursor, "{}")
	if _, err := rg.Plan(t.Context(), Wish{Action: Register, Editors: []string{"nobody"}}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := rg.History(t.Context(), "nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestFilesOfProjectsAndThoseThatAVariableNamesAreRemembered(t *testing.T) {
	rg := newRig(t, "linux")
	project := filepath.Join(rg.root, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	rg.do(Wish{Action: Register, Editors: []string{"cursor"}, Project: project}, done)
	inProject := filepath.Join(project, ".cursor", "mcp.json")
	if !strings.Contains(rg.read(inProject), Name) {
		t.Error("it is not in the project")
	}
	moved := map[string]string{"CODEX_HOME": "/moved"}
	out := rg.do(Wish{Action: Register, Editors: []string{"codex"}, Environment: moved}, done)
	if !strings.HasSuffix(out[0].Path, "disk/moved/config.toml") {
		t.Errorf("got %+v", out)
	}
	rg.again(nil)
	if s := rg.status("codex"); len(s.Files) != 2 || s.Files[1].State != Registered || s.Files[1].Path != out[0].Path {
		t.Errorf("got %+v", s.Files)
	}
	rg.unregister("cursor", nothing) // that is the user's own file
	rg.do(Wish{Action: Unregister, All: true}, done)
	if strings.Contains(rg.read(inProject)+rg.read(out[0].Path), Name) {
		t.Error("it is still there")
	}
	for _, wrong := range []string{"relative", filepath.Join(rg.root, "nowhere")} {
		if _, err := rg.Plan(t.Context(), Wish{Action: Register, Editors: []string{"cursor"}, Project: wrong}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnEditorThatNeedsARestartSaysSoUntilItWasSeen(t *testing.T) {
	rg := newRig(t, "linux")
	seen := time.Time{}
	rg.LastSeen = func(_ context.Context, clients []string) time.Time {
		if len(clients) == 0 {
			t.Error("no names of the client")
		}
		return seen
	}
	rg.file("codex", "")
	rg.file("zed", "{}")
	if rg.register("codex", done); !rg.is("codex", Registered).NeedsReload {
		t.Error("nobody is told to start it again")
	}
	seen = time.Now().Add(time.Minute)
	if rg.status("codex").NeedsReload {
		t.Error("it was seen")
	}
	seen = time.Time{}
	if rg.register("zed", done); rg.is("zed", Registered).NeedsReload {
		t.Error("it sees changes itself")
	}
	if rg.unregister("codex", done); rg.is("codex", Absent).NeedsReload {
		t.Error("there is nothing to read")
	}
}
