package registration

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestSymbolicLinksToFilesAreKept(t *testing.T) {
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
			t.Errorf("%s is no longer a link", link)
		}
	}
	if names := rg.names(filepath.Dir(path)) + rg.names(filepath.Dir(target)); names != "settings.jsonzed.json" {
		t.Errorf("the folders contain other files: %s", names)
	}
	rg.undo(done, change)
	rg.holds(target, "// mine\n{\n}\n")
}

func TestUndoRestoresEveryByteOfLongFiles(t *testing.T) {
	rg := newRig(t, "linux")
	text := `{"history": ["` + strings.Repeat(`é\n<&>", "`, 450_000) + `"], "mcpServers": {"a": {"command": "b"}}}`
	path := rg.file("claude-code", text)
	change := rg.register("claude-code", done)
	plans, err := rg.PlanUndo(t.Context(), []string{change})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range plans[0].Diff {
		if len(line.Text) > 410 {
			t.Errorf("the preview has a line of %d bytes", len(line.Text))
		}
		if line.Kind == "remove" && !strings.Contains(line.Text, Name) {
			t.Errorf("the removed line %q does not show the change", line.Text)
		}
	}
	rg.undo(done, change)
	if rg.read(path) != text {
		t.Error("the file differs from the original")
	}
}

func TestEditorsThatRejectSpacesGetALinkToTheProgram(t *testing.T) {
	rg := newRig(t, "darwin")
	rg.again(func(o *Options) { o.Entry.Command = rg.program("My Programs") })
	path := rg.file("trae", "{}")
	rg.register("trae", done)
	link := filepath.Join(rg.root, "data", "bin", "agent-discover")
	if s := rg.is("trae", Registered); s.Files[0].Command != link {
		t.Errorf("file status is %+v", s.Files[0])
	}
	text := rg.read(path)
	rg.again(func(o *Options) { o.Entry.Command = rg.program("My other Programs") })
	rg.is("trae", Stale)
	if plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"trae"}}); err != nil || plans[0].Nothing {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	rg.register("trae", done)
	rg.is("trae", Registered)
	rg.holds(path, text)
	if to, err := os.Readlink(link); err != nil || to != rg.options.Entry.Command {
		t.Errorf("the link leads to %s, %v", to, err)
	}
	rg.again(func(o *Options) { o.Folder = filepath.Join(rg.root, "a b", "editors") })
	rg.file("trae-cn", "{}")
	if out := rg.do(Request{Action: Register, Editors: []string{"trae-cn"}}, refused); !strings.Contains(out[0].Problem, "space") {
		t.Errorf("outcome is %+v", out)
	}
	windows := newRig(t, "windows")
	windows.again(func(o *Options) { o.Entry.Command = windows.program("My Programs") })
	windows.file("trae", "{}")
	windows.register("trae", refused)
}

func TestRequestsForAllCoverDetectedEditors(t *testing.T) {
	rg := newRig(t, "linux")
	cursor, kimi := rg.file("cursor", "{}"), rg.path("kimi-cli")
	if err := os.MkdirAll(filepath.Dir(kimi), 0o700); err != nil {
		t.Fatal(err)
	}
	zed := rg.file("zed", "{ /* mine */ }")
	foreign := rg.file("gemini-cli", `{"mcpServers": {"discover": {"command": "x"}}}`)
	out, err := rg.Apply(t.Context(), Request{Action: Register, All: true})
	got := map[string]string{}
	for _, o := range out {
		got[o.Path] = o.Status
	}
	if err != nil || len(got) != 3 || got[cursor] != done || got[zed] != done || got[foreign] != refused {
		t.Errorf("statuses by path are %v, %v", got, err)
	}
	rg.holds(kimi, "absent")
	out = rg.do(Request{Action: Unregister, All: true}, done)
	if len(out) != 2 {
		t.Errorf("outcome is %+v", out)
	}
	rg.holds(cursor, "{}")
	if _, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"nobody"}}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error is %v", err)
	}
	if _, err := rg.History(t.Context(), "nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error is %v", err)
	}
}

func TestFilesOfProjectsAndVariablesAreRemembered(t *testing.T) {
	rg := newRig(t, "linux")
	project := filepath.Join(rg.root, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	rg.do(Request{Action: Register, Editors: []string{"cursor"}, Project: project}, done)
	inProject := filepath.Join(project, ".cursor", "mcp.json")
	if !strings.Contains(rg.read(inProject), Name) {
		t.Error("the file of the project has no entry")
	}
	moved := map[string]string{"CODEX_HOME": "/moved"}
	out := rg.do(Request{Action: Register, Editors: []string{"codex"}, Environment: moved}, done)
	if !strings.HasSuffix(filepath.ToSlash(out[0].Path), "disk/moved/config.toml") {
		t.Errorf("outcome is %+v", out)
	}
	rg.again(nil)
	if s := rg.status("codex"); len(s.Files) != 2 || s.Files[1].State != Registered || s.Files[1].Path != out[0].Path {
		t.Errorf("file status is %+v", s.Files)
	}
	rg.unregister("cursor", nothing) // without Project, the request applies to the user's file
	rg.do(Request{Action: Unregister, All: true}, done)
	if strings.Contains(rg.read(inProject)+rg.read(out[0].Path), Name) {
		t.Error("an entry was not removed")
	}
	for _, wrong := range []string{"relative", filepath.Join(rg.root, "nowhere")} {
		if _, err := rg.Plan(t.Context(), Request{
			Action: Register, Editors: []string{"cursor"}, Project: wrong,
		}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("error is %v", err)
		}
	}
}

func TestEditorsNeedAReloadUntilTheyConnectAgain(t *testing.T) {
	rg := newRig(t, "linux")
	seen := time.Time{}
	rg.survey.seenLast = func(_ context.Context, clients []string) time.Time {
		if len(clients) == 0 {
			t.Error("LastSeen was called without client names")
		}
		return seen
	}
	rg.file("codex", "")
	rg.file("zed", "{}")
	if rg.register("codex", done); !rg.is("codex", Registered).NeedsReload {
		t.Error("NeedsReload is false before the editor has connected")
	}
	seen = time.Now().Add(time.Minute)
	if rg.status("codex").NeedsReload {
		t.Error("NeedsReload is true after the editor has connected")
	}
	seen = time.Time{}
	if rg.register("zed", done); rg.is("zed", Registered).NeedsReload {
		t.Error("NeedsReload is true for an editor that reloads by itself")
	}
	if rg.unregister("codex", done); rg.is("codex", Absent).NeedsReload {
		t.Error("NeedsReload is true without an entry")
	}
}

func TestAFileThatWasEmptiedByUndoingIsSeenAtOnce(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor", "")
	rg.register("cursor", done)
	path := rg.is("cursor", Registered).Files[0].Path
	old := time.Now().Add(-time.Hour) // old enough to be cached
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	rg.is("cursor", Registered)
	rg.unregister("cursor", done)
	if text := rg.read(path); text != "" {
		t.Fatalf("the file has %q", text) // otherwise the test proves nothing
	}
	rg.is("cursor", Absent)
}

func TestConcurrentRequestsDoNotDisturbEachOther(t *testing.T) {
	rg := newRig(t, "linux")
	ids := []string{"cursor", "zed", "codex", "gemini-cli", "goose"}
	for _, id := range ids {
		rg.file(id, "")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 5 {
				out, err := rg.Apply(t.Context(), Request{Action: []Action{Register, Unregister}[i%2], Editors: ids})
				if err != nil {
					t.Error(err)
				}
				for _, o := range out {
					if o.Status != done && o.Status != nothing {
						t.Errorf("outcome is %+v", o)
					}
				}
				_, bad := rg.Registrar.Status(t.Context(), false, nil)
				if _, err := rg.History(t.Context(), ""); err != nil || bad != nil {
					t.Error(err, bad)
				}
				if err := rg.MarkReviewed(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	rg.do(Request{Action: Register, Editors: ids[:1]}, rg.expected("cursor"))
	for _, id := range ids {
		if s := rg.status(id).State; s != Registered && s != Absent {
			t.Errorf("%s is %s", id, s)
		}
	}
}

// expected returns the status that registering an editor should have.
func (rg *rig) expected(id string) string {
	if rg.status(id).State == Registered {
		return nothing
	}
	return done
}
