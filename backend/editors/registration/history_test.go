package registration

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

const secret = "hunter2hunter2"

// withSecret returns a file with two servers that both use a secret: one is called a, and the other
// has the given name.
func withSecret(name string) string {
	return fmt.Sprintf(`{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": %q}}, %q: {"command": "y", "args": ["--token", %q]}}}`,
		secret, name, secret)
}

func TestRemovedServersAreRestoredByUndo(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	file := rg.found("cursor").Files[0]
	out, err := rg.TakeOut(t.Context(), "cursor", file, []string{"a", "b", "nobody"})
	if err != nil || out.Status != done || rg.entries(path, file.Place) != "" {
		t.Fatalf("outcomes are %+v, %v, the file is %s", out, err, rg.read(path))
	}
	if c := rg.record(out.Change); c.Action != TakeOut || len(c.Entries) != 3 || !c.Exact || !c.Possible {
		t.Errorf("record is %+v", c)
	}
	taken := rg.read(path)
	if again, err := rg.TakeOut(t.Context(), "cursor", file, []string{"a"}); err != nil || again.Status != nothing {
		t.Errorf("outcomes of the second request are %+v, %v", again, err)
	}
	back := rg.undo(done, out.Change)[0].Change
	rg.holds(path, withSecret("b"))
	rg.undo(done, back) // undo the undo
	rg.holds(path, taken)
	rg.write(path, strings.Replace(taken, "{", `{"later": 1, `, 1))
	rg.undo(done, out.Change)
	if got := rg.entries(path, file.Place); got != "a b " && got != "b a " || !strings.Contains(rg.read(path), "later") {
		t.Errorf("the file is %q", rg.read(path))
	}
	if _, err := rg.TakeOut(t.Context(), "nobody", file, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error is %v", err)
	}
	if rg.is("cursor", Absent); strings.Contains(rg.read(filepath.Join(rg.options.Folder, "seen.json")), path) {
		t.Error("undoing the removal of servers must not refuse the Agent Discover entry")
	}
}

func TestUndoDoesNotOverwriteNewerEntries(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	file := rg.found("cursor").Files[0]
	out, err := rg.TakeOut(t.Context(), "cursor", file, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	rg.write(path, `{"mcpServers": {"a": {"command": "newer"}}}`)
	rg.undo(done, out.Change)
	if got := rg.read(path); !strings.Contains(got, "newer") ||
		rg.entries(path, file.Place) != "b a " && rg.entries(path, file.Place) != "a b " {
		t.Errorf("the file is %s", got)
	}
}

func TestReadOnlySourcesAreNotChanged(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.write(filepath.Join(rg.root, "disk/home/me/.claude/plugins/cache/a/b/c/.mcp.json"),
		`{"mcpServers": {"a": {"command": "x"}}}`)
	e, _ := table.ByID("claude-code-plugins")
	beside := rg.options.Machine.Beside(e)
	if len(beside) != 1 {
		t.Fatalf("the read-only files are %+v", beside)
	}
	if out, err := rg.TakeOut(t.Context(), e.ID, beside[0], []string{"a"}); err != nil || out.Status != refused {
		t.Errorf("outcomes are %+v, %v", out, err)
	}
	rg.holds(path, `{"mcpServers": {"a": {"command": "x"}}}`)
}

func TestHistorySurvivesARestart(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rg.again(func(o *Options) { o.Now = func() time.Time { return clock } })
	first := rg.register("cursor", done)
	second := rg.unregister("cursor", done)
	if !strings.HasPrefix(first, "20260102T030405Z-cursor-1") || !strings.HasPrefix(second, "20260102T030405Z-cursor-2") {
		t.Errorf("the ids of the changes are %s and %s", first, second)
	}
	before, _ := rg.History(t.Context(), "")
	rg.again(nil)
	after, err := rg.History(t.Context(), "")
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) || len(after) != 2 || after[0].ID != second || after[0].By != "person" {
		t.Errorf("history after the restart is %+v, %v", after, err)
	}
	rg.undo(done, first, second)
	rg.holds(path, "{}")
	third := rg.register("cursor", done)
	if !strings.HasSuffix(third, "-5") {
		t.Errorf("the id of the third change is %s", third)
	}
}

func TestUndoCanBeUndone(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.path("gemini-cli")
	made := rg.register("gemini-cli", done)
	text := rg.read(path)
	undo := rg.undo(done, made)[0].Change
	rg.holds(path, "absent")
	if c := rg.record(made); !c.Undone || c.Possible || c.Exact || c.Why == "" {
		t.Errorf("record is %+v", c)
	}
	if c := rg.record(undo); c.Undoes != made || c.Action != Undo || !c.Exact {
		t.Errorf("record is %+v", c)
	}
	rg.undo(nothing, made)
	rg.undo(done, undo)
	rg.holds(path, text)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the mode of the file is %v, %v", info.Mode(), err)
	}
	if c := rg.record(made); c.Undone || !c.Exact || !c.Possible {
		t.Errorf("record is %+v", c)
	}
	rg.undo(done, made)
	rg.holds(path, "absent")
}

func TestDeletedFilesLeaveNothingToUndo(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	change := rg.register("cursor", done)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if c := rg.record(change); c.Possible || !strings.Contains(c.Why, "no longer exists") {
		t.Errorf("record is %+v", c)
	}
	if out := rg.undo(nothing, change); !strings.Contains(out[0].Problem, "no longer exists") {
		t.Errorf("outcome is %+v", out)
	}
	if _, err := rg.Undo(t.Context(), []string{"nobody"}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error is %v", err)
	}
	rg.write(path, `{"other": 1}`)
	if out := rg.undo(nothing, change); !strings.Contains(out[0].Problem, "no longer contains anything") {
		t.Errorf("outcome is %+v", out)
	}
	rg.holds(path, `{"other": 1}`)
}

func TestOldChangesAreDeleted(t *testing.T) {
	rg := newRig(t, "linux")
	text := `{"mcpServers": {"a": {"command": "x"}}}`
	path := rg.file("cursor", text)
	rg.file("zed", "{}")
	other := rg.register("zed", done)
	first := rg.register("cursor", done)
	last := ""
	for range maxChanges/2 + 3 {
		out, err := rg.TakeOut(t.Context(), "cursor", rg.found("cursor").Files[0], []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		last = rg.undo(done, out.Change)[0].Change
	}
	rg.again(nil)
	history, err := rg.History(t.Context(), "cursor")
	if err != nil || len(history) != maxChanges+1 || history[maxChanges].ID != first || history[0].ID != last {
		t.Errorf("%d changes are kept, %v", len(history), err)
	}
	if folders, _ := os.ReadDir(filepath.Join(rg.options.Folder, "changes")); len(folders) != maxChanges+2 {
		t.Errorf("there are %d folders of changes", len(folders))
	}
	rg.record(other)
	rg.undo(done, first) // the newest change that is not undone is kept, however old it is
	rg.holds(path, text)
}

func TestInterruptedChangesAreCompletedOrDeleted(t *testing.T) {
	for name, row := range map[string]struct {
		file func(before, after string) string // returns the expected content of the file after the restart
		kept bool
	}{
		"not made":                {func(before, _ string) string { return before }, false},
		"made":                    {func(_, after string) string { return after }, true},
		"made, and written since": {func(_, after string) string { return strings.Replace(after, "{", `{"later": 1, `, 1) }, true},
		"not made, and written since": {
			func(before, _ string) string { return strings.Replace(before, "{", `{"later": 1`, 1) }, false,
		},
		"made, and the file deleted since": {func(_, _ string) string { return "absent" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			path := rg.file("cursor", "{}")
			change := rg.register("cursor", done)
			if err := os.Remove(filepath.Join(rg.options.Folder, "changes", change, "done")); err != nil {
				t.Fatal(err)
			}
			if text := row.file("{}", rg.read(path)); text == "absent" {
				_ = os.Remove(path)
			} else {
				rg.write(path, text)
			}
			_ = os.Mkdir(filepath.Join(rg.options.Folder, "changes", "halfway"), 0o700)
			rg.again(nil)
			history, err := rg.History(t.Context(), "")
			if err != nil || (len(history) == 1) != row.kept {
				t.Errorf("history is %+v, %v", history, err)
			}
			if row.kept {
				rg.undo(done, change)
			}
		})
	}
}

func TestDamagedBackupsAreNotRestored(t *testing.T) {
	const other = `[{"name":"discover","was":false,"is":true,"cuts":[{"at":0,"old":"","new":"other"}],"made":0}]`
	for name, row := range map[string]struct {
		damaged []string
		status  string
	}{
		"only the backup":          {[]string{"before"}, done},
		"only the edits":           {[]string{"steps.json"}, done},
		"the backup and the edits": {[]string{"before", "steps.json"}, failed},
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			path := rg.file("cursor", "{}")
			change := rg.register("cursor", done)
			text := rg.read(path)
			for _, name := range row.damaged {
				rg.write(filepath.Join(rg.options.Folder, "changes", change, name), other)
			}
			rg.again(nil)
			rg.undo(row.status, change)
			if row.status == done {
				text = "{}"
			}
			rg.holds(path, text)
		})
	}
}

func TestChangesWithoutABackupAreNotMade(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	rg.write(filepath.Join(rg.options.Folder, "changes"), "a file where the folder should be")
	outcomes, err := rg.Apply(t.Context(), Request{Action: Register, Editors: []string{"cursor"}})
	if err == nil && outcomes[0].Status == done {
		t.Errorf("outcome is %+v", outcomes)
	}
	rg.holds(path, "{}")
}
