package registration

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
)

func TestForeignEntriesAreReplacedOnlyOnRequest(t *testing.T) {
	rg := newRig(t, "linux")
	text := `{"mcpServers": {"discover": {"command": "npx", "args": ["other"], "env": {"API_TOKEN": "abcdefgh"}}, "x": {"command": "y"}}}`
	path := rg.file("cursor", text)
	if s := rg.is("cursor", Foreign); s.Files[0].Command != "" {
		t.Errorf("the command of a foreign entry is shown: %+v", s.Files[0])
	}
	rg.register("cursor", refused)
	rg.unregister("cursor", refused)
	rg.holds(path, text)
	replaced := rg.do(Request{Action: Register, Editors: []string{"cursor"}, Replace: true}, done)[0].Change
	rg.is("cursor", Registered)
	rg.undo(done, replaced)
	rg.holds(path, text)
	replaced = rg.do(Request{Action: Register, Editors: []string{"cursor"}, Replace: true}, done)[0].Change
	rg.write(path, strings.Replace(rg.read(path), `"y"`, `"z"`, 1))
	rg.undo(done, replaced)
	rg.holds(path, strings.Replace(text, `"y"`, `"z"`, 1))
	rg.do(Request{Action: Unregister, Editors: []string{"cursor"}, Replace: true}, done)
	rg.is("cursor", Absent)
}

func TestStaleEntriesAreRepairedInPlace(t *testing.T) {
	rg := newRig(t, "linux")
	gone := filepath.Join(rg.root, "gone", "agent-discover")
	text := `{
  "mcpServers": {
    "first": {"command": "x"},
    "discover": { // mine
      "command": "` + escaped(gone) + `",
      "args": ["mcp"],
      "disabled": true,
      "alwaysAllow": ["find_tool"],
      "env": {"DEBUG": "1", "AGENT_DISCOVER_HOME": "/elsewhere"}
    }
  }
}
`
	path := rg.file("cline", strings.Replace(text, " // mine", "", 1))
	if s := rg.is("cline", Stale); s.Files[0].Command != gone || !strings.Contains(s.Files[0].Problem, "does not exist") {
		t.Errorf("file status is %+v", s.Files[0])
	}
	change := rg.register("cline", done)
	want := strings.Replace(strings.Replace(text, " // mine", "", 1), escaped(gone), escaped(rg.options.Entry.Command), 1)
	want = strings.Replace(want, `["mcp"]`, `["mcp", "--client", "cline", "--surface", "meta"]`, 1)
	want = strings.Replace(want, `{"DEBUG": "1", "AGENT_DISCOVER_HOME": "/elsewhere"}`, `{"DEBUG": "1"}`, 1)
	if got := rg.read(path); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("the file is %s", got)
	}
	rg.is("cline", Registered)
	rg.undo(done, change)
	rg.holds(path, strings.Replace(text, " // mine", "", 1))
	rg.file("cursor", strings.Replace(text, escaped(gone), escaped(rg.options.Entry.Command), 1)) // this text contains the comment
	// The entry is stale because it has another AGENT_DISCOVER_HOME.
	rg.is("cursor", Stale)
	rg.again(func(o *Options) { o.Entry.Env = map[string]string{"AGENT_DISCOVER_HOME": "/elsewhere"} })
	rg.is("cursor", Registered)
}

func TestMissingProgramsAreNotRegistered(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	err := os.Chmod(rg.options.Entry.Command, 0o600)
	if runtime.GOOS == "windows" { // files on Windows have no executable bit
		err = os.Remove(rg.options.Entry.Command)
	}
	if err != nil {
		t.Fatal(err)
	}
	rg.register("cursor", refused)
	rg.holds(path, "{}")
	rg.again(func(o *Options) { o.Entry.Command = rg.program("again") })
	rg.register("cursor", done)
	if err := os.Remove(rg.options.Entry.Command); err != nil {
		t.Fatal(err)
	}
	rg.is("cursor", Stale)
}

func TestDroppedEntriesAreReportedAndAddedOnlyOnRequest(t *testing.T) {
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
	rg.do(Request{Action: Unregister, All: true}, nothing)
	rg.is("cursor", Absent)
	rg.holds(path, "{}")
}

func TestFilesThatCannotBeChangedAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(rg *rig, path string){
		"read-only": func(rg *rig, path string) { rg.mode(path, 0o444) },
		"in a read-only folder": func(rg *rig, path string) {
			rg.mode(filepath.Dir(path), 0o555)
			rg.Cleanup(func() { rg.mode(filepath.Dir(path), 0o700) })
		},
		"malformed": func(rg *rig, path string) { rg.write(path, `{"mcpServers": {`) },
		"a duplicate key": func(rg *rig, path string) {
			rg.write(path, `{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}`)
		},
		"not an object":      func(rg *rig, path string) { rg.write(path, `{"mcpServers": 7}`) },
		"not UTF-8":          func(rg *rig, path string) { rg.write(path, "{\"a\": \"\xff\"}") },
		"too large":          func(rg *rig, path string) { rg.write(path, `{"a": "`+strings.Repeat("x", atomicfile.MaxSize)+`"}`) },
		"a folder":           func(rg *rig, path string) { _ = errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a second hard link": func(rg *rig, path string) { _ = os.Link(path, path+".too") },
		"a circle of links":  func(rg *rig, path string) { _ = errors.Join(os.Remove(path), os.Symlink(path, path)) },
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			if name == "in a read-only folder" && runtime.GOOS == "windows" {
				t.Skip("Windows has no read-only folders")
			}
			path := rg.file("cursor", `{"theirs": true}`)
			spoil(rg, path)
			before, _ := os.ReadFile(path)
			out := rg.do(Request{Action: Register, Editors: []string{"cursor"}}, refused)
			if out[0].Snippet == "" {
				t.Error("the refusal has no snippet")
			}
			plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"cursor"}})
			if err != nil || plans[0].Problem != out[0].Problem || plans[0].Snippet != out[0].Snippet {
				t.Errorf("plans are %+v, %v", plans, err)
			}
			if s := rg.is("cursor", Unreadable); s.Files[0].Problem == "" || s.Files[0].Snippet == "" {
				t.Errorf("file status is %+v", s.Files[0])
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
			if history, err := rg.History(t.Context(), ""); err != nil || len(history) > 0 {
				t.Errorf("history is %v, %v", history, err)
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

func TestLockedFilesAreRefused(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cline", "{}")
	lock := path + ".lock"
	future := time.Now().Add(time.Hour) // the lock does not expire during the test
	if err := errors.Join(os.Mkdir(lock, 0o700), os.Chtimes(lock, future, future)); err != nil {
		t.Fatal(err)
	}
	if out := rg.do(Request{Action: Register, Editors: []string{"cline"}}, refused); !strings.Contains(out[0].Problem, "is writing") {
		t.Errorf("problem is %q", out[0].Problem)
	}
	rg.holds(path, "{}")
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, past, past); err != nil {
		t.Fatal(err)
	}
	rg.register("cline", done)
}

func TestFilesChangedSinceThePreviewAreRefused(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	gemini := rg.path("gemini-cli")
	q := Request{Action: Register, Editors: []string{"cursor", "gemini-cli"}}
	plans, err := rg.Plan(t.Context(), q)
	if err != nil || len(plans) != 2 || plans[1].Before != "" || plans[0].Before == "" {
		t.Fatalf("plans are %+v, %v", plans, err)
	}
	q.Expect = map[string]string{plans[0].Path: plans[0].Before, plans[1].Path: plans[1].Before}
	rg.write(path, `{"new": 1}`)
	rg.write(gemini, "")
	rg.do(q, refused)
	rg.holds(path, `{"new": 1}`)
	plans, _ = rg.Plan(t.Context(), q)
	for _, p := range plans {
		if !strings.Contains(p.Problem, "changed since") {
			t.Errorf("the plan is %+v", p)
		}
	}
	q.Expect = nil
	if plans, err = rg.Plan(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	q.Expect = map[string]string{plans[0].Path: plans[0].Before, plans[1].Path: plans[1].Before}
	rg.do(q, done)
}

func TestConcurrentWritesOfAnEditorAreRetried(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	writes := 0
	rg.files.disk.Swap = func(temp, target string) error { // the editor writes at the same moment
		if writes == 0 {
			if err := replace(target, `{"theirs": 1}`); err != nil {
				return err
			}
		}
		writes++
		return exchange(temp, target)
	}
	change := rg.register("cursor", done)
	// three exchanges: the first attempt, its undo, and the second attempt
	if got := rg.read(path); !strings.Contains(got, "theirs") || !strings.Contains(got, Name) || writes != 3 {
		t.Errorf("the file contains %q after %d writes", got, writes)
	}
	rg.undo(done, change)
	rg.holds(path, `{"theirs": 1}`)
	if history, _ := rg.History(t.Context(), "cursor"); len(history) != 2 {
		t.Errorf("history is %+v", history)
	}
	rg.files.disk.Swap = func(temp, target string) error {
		if err := replace(target, `{"theirs": `+strings.Repeat("1", writes+1)+`}`); err != nil {
			return err
		}
		writes++
		return exchange(temp, target)
	}
	rg.register("cursor", refused)
}

func TestUnchangedFilesAreReadFromTheCache(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", `{"a": {"b": 1}}`)
	file := rg.found("cursor").Files[0]
	for age, again := range map[time.Duration]bool{0: true, time.Hour: false} {
		at := time.Now().Add(-age)
		texts := []string{`{"a": {"b": 1}}`, `{"a": {"b": 2}}`}
		hashes := []string{}
		for _, text := range texts { // both texts have the same length and are written at the same time
			rg.write(path, text)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, rg.cache.get(file).hash)
		}
		if (hashes[0] != hashes[1]) != again {
			t.Errorf("hashes of two contents written %v ago: %v", age, hashes)
		}
	}
}

// replace replaces a file as another program does.
func replace(path, text string) error {
	return errors.Join(os.WriteFile(path+".theirs", []byte(text), 0o600), paths.Rename(path+".theirs", path))
}

func exchange(a, b string) error {
	return errors.Join(os.Rename(a, a+"-swap"), os.Rename(b, a), os.Rename(a+"-swap", b))
}

func TestAFileThatIsJustBeingWrittenKeepsItsState(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	rg.register("cursor", done)
	text := rg.read(path)
	at := func(age time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	at(time.Hour)
	rg.is("cursor", Registered)
	for _, part := range []string{"", text[:len(text)/2]} {
		rg.write(path, part)
		rg.is("cursor", Registered)
	}
	rg.write(path, "")
	at(time.Minute)
	rg.is("cursor", Dropped)
}

// escaped returns a path as it is between the quotes of JSON.
func escaped(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }
