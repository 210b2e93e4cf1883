package registration

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestEditorsThatShareAFileGetTheEntryByOneChange(t *testing.T) {
	rg := newRig(t, "linux")
	project := t.TempDir()
	q := Request{Action: Register, Editors: []string{"claude-code", "copilot-cli", "warp", "visual-studio"}, Project: project}
	plans, err := rg.Plan(t.Context(), q)
	if err != nil || len(plans) != 2 || !slices.Equal(plans[0].Shared, []string{"copilot-cli", "warp"}) ||
		!strings.Contains(plans[0].Hint, "approve") {
		t.Fatalf("plans are %+v, %v", plans, err)
	}
	if !strings.Contains(formatDiff(plans[1].Diff), "mcpServers") { // the second plan must start from the result of the first one
		t.Errorf("the second plan starts from another file:\n%s", formatDiff(plans[1].Diff))
	}
	q.Expect = map[string]string{plans[0].Path: plans[0].Difference}
	out := rg.do(q, done)
	text := rg.read(filepath.Join(project, ".mcp.json"))
	if len(out) != 2 || strings.Count(text, `"`+Name+`"`) != 2 || !strings.Contains(out[0].Reload, "approve") {
		t.Errorf("outcomes are %+v, the file is %s", out, text)
	}
	if history, err := rg.History(t.Context(), "warp"); err != nil || len(history) != 1 || history[0].ID != out[0].Change {
		t.Errorf("the history of an editor that shares the file is %+v, %v", history, err)
	}
	rg.undo(done, out[0].Change, out[1].Change)
	rg.holds(filepath.Join(project, ".mcp.json"), "absent")
}

func TestAChangeIsMadeIfOnlyOtherPartsOfTheFileDifferFromThePreview(t *testing.T) {
	for name, row := range map[string]struct {
		before, after string
		status        string
	}{
		"another server was added": {`{"mcpServers": {}}`, `{"mcpServers": {"new": {"command": "x"}}}`, done},
		"the file was created":     {"", `{"mcpServers": {"new": {"command": "x"}}}`, done},
		"the entry was added": {
			`{"mcpServers": {}}`, `{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"]}}}`, refused,
		},
		"the entry was changed": {
			`{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"]}}}`,
			`{"mcpServers": {"discover": {"command": "/other/agent-discover", "args": ["mcp"]}}}`, refused,
		},
		"another program's was added": {`{"mcpServers": {}}`, `{"mcpServers": {"discover": {"command": "npx"}}}`, refused},
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			if row.before != "" {
				rg.file("cursor", row.before)
			}
			q := Request{Action: Register, Editors: []string{"cursor"}}
			plans, err := rg.Plan(t.Context(), q)
			if err != nil || plans[0].Problem != "" {
				t.Fatal(plans, err)
			}
			path := rg.file("cursor", row.after)
			q.Expect = map[string]string{path: plans[0].Difference}
			out := rg.do(q, row.status)
			if review := strings.Contains(out[0].Problem, "since the preview"); out[0].Review != review {
				t.Errorf("outcome is %+v", out[0])
			}
			if row.status == refused {
				rg.holds(path, row.after)
			}
		})
	}
}

func TestAnUndoIsMadeAsItWasPreviewed(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", `{"mcpServers": {"a": {"command": "x"}}}`)
	change := rg.register("cursor", done)
	plans, err := rg.PlanUndo(t.Context(), []string{change})
	if err != nil || plans[0].Change != change {
		t.Fatal(plans, err)
	}
	expect := map[string]string{change: plans[0].Difference}
	text := rg.read(path)
	rg.write(path, strings.Replace(text, `["mcp", `, `["mcp", "--mine", `, 1))
	out, err := rg.Undo(t.Context(), []string{change}, expect)
	if err != nil || out[0].Status != refused || !out[0].Review {
		t.Errorf("with another entry: %+v, %v", out, err)
	}
	rg.write(path, strings.Replace(text, `"x"`, `"y"`, 1))
	out, err = rg.Undo(t.Context(), []string{change}, expect)
	if err != nil || out[0].Status != done || strings.Contains(rg.read(path), Name) || !strings.Contains(rg.read(path), `"y"`) {
		t.Errorf("with another server: %+v, %v, %s", out, err, rg.read(path))
	}
}

func TestUndoLeavesAnEntryThatNowStartsAnotherProgram(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", `{"mcpServers": {}}`)
	change := rg.register("cursor", done)
	theirs := `{"mcpServers": {"discover": {"command": "npx", "args": ["theirs"]}}}`
	rg.write(path, theirs)
	if out := rg.undo(nothing, change); !strings.Contains(out[0].Problem, "another program") {
		t.Errorf("outcome is %+v", out)
	}
	rg.holds(path, theirs)
}

func TestUnregisteringDeletesAFileThatHeldOnlyTheEntry(t *testing.T) {
	for _, id := range []string{"cursor", "codex", "goose"} {
		rg := newRig(t, "linux")
		project := id != "goose" // Goose has no project files
		q := Request{Action: Register, Editors: []string{id}}
		if project {
			q.Project = t.TempDir()
		}
		path := rg.do(q, done)[0].Path
		q.Action = Unregister
		change := rg.do(q, done)[0].Change
		rg.holds(path, "absent")
		if project {
			if names := rg.names(q.Project); names != "" {
				t.Errorf("the project has %s", names)
			}
		}
		rg.undo(done, change)
		if !strings.Contains(rg.read(path), Name) {
			t.Errorf("after the undo, the file is %s", rg.read(path))
		}
		rg.write(path, rg.read(path)+"\n")
		rg.do(q, done)
		rg.holds(path, "absent")
	}
	rg := newRig(t, "linux")
	q := Request{Action: Register, Editors: []string{"cursor"}, Project: t.TempDir()}
	path := rg.do(q, done)[0].Path
	rg.write(path, strings.Replace(rg.read(path), "{", "{ // mine", 1))
	q.Action = Unregister
	rg.do(q, done)
	if got := rg.read(path); !strings.Contains(got, "// mine") || strings.Contains(got, Name) {
		t.Errorf("a file with a comment is %q", got)
	}
}

func TestALinkOutOfAProjectIsRefused(t *testing.T) {
	for name, link := range map[string]func(project, outside string) error{
		"of the file": func(project, outside string) error {
			return errors.Join(os.Mkdir(filepath.Join(project, ".cursor"), 0o700),
				os.Symlink(filepath.Join(outside, "mcp.json"), filepath.Join(project, ".cursor", "mcp.json")))
		},
		"of a folder": func(project, outside string) error { return os.Symlink(outside, filepath.Join(project, ".cursor")) },
	} {
		for _, exists := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				rg := newRig(t, "linux")
				project, outside := t.TempDir(), t.TempDir()
				if err := link(project, outside); err != nil {
					t.Skip(err)
				}
				target := filepath.Join(outside, "mcp.json")
				want := "absent"
				if exists {
					want = "{}"
					rg.write(target, want)
				}
				q := Request{Action: Register, Editors: []string{"cursor"}, Project: project}
				if plans, err := rg.Plan(t.Context(), q); err != nil || !strings.Contains(plans[0].Problem, target) {
					t.Errorf("plans are %+v, %v", plans, err)
				}
				rg.do(q, refused)
				rg.holds(target, want)
			})
		}
	}
	rg := newRig(t, "linux")
	project := t.TempDir()
	within := rg.write(filepath.Join(project, "config", "mcp.json"), "{}")
	if err := errors.Join(os.Mkdir(filepath.Join(project, ".cursor"), 0o700),
		os.Symlink("../config/mcp.json", filepath.Join(project, ".cursor", "mcp.json"))); err != nil {
		t.Skip(err)
	}
	q := Request{Action: Register, Editors: []string{"cursor"}, Project: project}
	if plans, err := rg.Plan(t.Context(), q); err != nil || plans[0].Problem != "" || plans[0].Target != within {
		t.Errorf("plans with a link in the project are %+v, %v", plans, err)
	}
	rg.do(q, done)
}

func TestASecondEntryThatStartsAgentDiscoverIsReported(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor",
		`{"mcpServers": {"old": {"command": "/x/agent-discover", "args": ["mcp"]}, "off": {"command": "/x/agent-discover", "args": ["mcp"], "disabled": true}, "other": {"command": "npx"}}}`)
	rg.register("cursor", done)
	if s := rg.is("cursor", Registered); !slices.Equal(s.Files[0].Also, []string{"old"}) {
		t.Errorf("file status is %+v", s.Files[0])
	}
}

func TestRefusalsForAFullDiskNameTheCause(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	full := &os.PathError{Op: "sync", Path: path, Err: syscall.ENOSPC}
	rg.files.disk.Sync = func(*os.File) error { return full }
	out := rg.do(Request{Action: Register, Editors: []string{"cursor"}}, failed)
	if !strings.Contains(out[0].Problem, syscall.ENOSPC.Error()) || !strings.Contains(out[0].Problem, "data folder") {
		t.Errorf("without space in the data folder: %q", out[0].Problem)
	}
	rg.files.disk.Sync = func(f *os.File) error {
		if strings.HasPrefix(f.Name(), filepath.Dir(path)) {
			return full
		}
		return nil
	}
	out = rg.do(Request{Action: Register, Editors: []string{"cursor"}}, failed)
	if !strings.Contains(out[0].Problem, path+" cannot be written: "+syscall.ENOSPC.Error()) {
		t.Errorf("without space beside the file: %q", out[0].Problem)
	}
	rg.holds(path, "{}")
}
