package registration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// everyRow runs a test for each editor that can be registered, on each system on which the editor's
// file is known.
func everyRow(t *testing.T, test func(rg *rig, e *table.Editor)) {
	rows(t, func(system string, e *table.Editor) bool {
		return runtime.GOOS != "windows" || system == "windows" || firstOfKind(system, e)
	}, test)
}

// everyKind runs a thorough test for the editors for which firstOfKind returns true.
func everyKind(t *testing.T, test func(rg *rig, e *table.Editor)) {
	rows(t, firstOfKind, test)
}

// rows runs a test for the wanted editors of every system. On Windows it tests only the rows of
// that system, because file operations there are slow.
func rows(t *testing.T, wanted func(system string, e *table.Editor) bool, test func(rg *rig, e *table.Editor)) {
	systems := []string{"linux", "darwin", "windows"}
	if runtime.GOOS == "windows" {
		systems = []string{"windows"}
	}
	for _, system := range systems {
		known := newRig(t, system)
		for _, e := range table.Table() {
			if found := known.found(e.ID); found.Register == table.Never || len(found.Files) == 0 || !wanted(system, e) {
				continue
			}
			t.Run(system+"/"+e.ID, func(t *testing.T) {
				t.Parallel()
				test(newRig(t, system), e)
			})
		}
	}
}

// firstOfKind reports whether no earlier editor in the table uses the same format, place and shape.
// It returns true only for the paths of one system: Windows on Windows, otherwise Linux.
func firstOfKind(system string, e *table.Editor) bool {
	alike := func(o *table.Editor) bool {
		return o.Shape == e.Shape && o.Place.Format == e.Place.Format && o.Place.List == e.Place.List && slices.Equal(o.Place.Keys,
			e.Place.Keys)
	}
	all := table.Table()
	home := "linux"
	if runtime.GOOS == "windows" {
		home = "windows"
	}
	return system == home && all[slices.IndexFunc(all, alike)].ID == e.ID
}

// contents returns files with other servers in a format, laid out in many ways.
func contents(p configedit.Place) map[string]string {
	put := func(text []byte, name, command string) []byte {
		c, err := configedit.Put(text, p, name, configedit.Object{{Key: "command", Value: command}, {Key: "name", Value: name}})
		if err != nil {
			panic(err)
		}
		return c.Text
	}
	plain := put(put(nil, "one", "first"), "two", "second")
	texts := map[string]string{"": "", "servers": string(plain), "windows": strings.ReplaceAll(string(plain), "\n", "\r\n")}
	switch p.Format {
	case configedit.JSON:
		texts["comments"] = "// above\n" + string(bytes.Replace(plain, []byte("{"), []byte("{ // beside\n\t/* in it */"), 1))
		fallthrough
	case configedit.StrictJSON:
		texts["foreign keys"] = "{\n\t\"numbers\": [1.0e5, 1],\n\t\"text\": \"\\u00e9<&>\",\n\t\"deep\": {\"a\": {\"b\": null}}\n}"
		texts["one line"] = `{"x":1}`
	case configedit.TOML:
		texts["comments"] = "# above\nmodel = 'x' # beside\n\n[other]\n\"a b\" = 0x1F\n"
	case configedit.YAML:
		texts["comments"] = "# above\nmodel: 'x' # beside\n\nlong: >-\n  folded\n  text\n"
	}
	return texts
}

func TestEveryEditorCanBeRegisteredAndUnregistered(t *testing.T) {
	everyRow(t, func(rg *rig, e *table.Editor) {
		file := rg.found(e.ID).Files[0]
		texts := contents(file.Place)
		maps.DeleteFunc(texts, func(_, text string) bool {
			_, _, found := configedit.FindExtension([]byte(text), file.Rejects)
			return found
		})
		if !firstOfKind(rg.options.Machine.OS, e) {
			path := rg.file(e.ID, texts["servers"])
			change := rg.register(e.ID, done)
			rg.is(e.ID, Registered)
			rg.register(e.ID, nothing)
			rg.undo(done, change)
			rg.holds(path, texts["servers"])
			return
		}
		for name, text := range texts {
			path := rg.file(e.ID, text)
			first := rg.register(e.ID, done)
			rg.is(e.ID, Registered)
			registered := rg.read(path)
			rg.register(e.ID, nothing)
			rg.holds(path, registered)
			if lines := strings.Count(registered, "\n") - strings.Count(text, "\n"); text != "" && lines < 0 {
				rg.Errorf("content %q has lost lines: %q", name, registered)
			}

			rg.again(func(o *Options) { o.Entry.Command = rg.program("moved-" + strings.ReplaceAll(name, " ", "-")) })
			rg.is(e.ID, Stale)
			second := rg.register(e.ID, done)
			rg.is(e.ID, Registered)
			third := rg.unregister(e.ID, done)
			rg.is(e.ID, Absent)
			rg.unregister(e.ID, nothing)

			rg.undo(done, third)
			rg.is(e.ID, Registered)
			rg.undo(done, second)
			rg.holds(path, registered)
			rg.undo(done, first)
			rg.holds(path, text)
			rg.is(e.ID, Absent)
		}
	})
}

func TestChangesCanBeUndoneInEveryOrder(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	var formats sync.Map
	firstOfFormat := func(format configedit.Format) bool {
		_, seen := formats.LoadOrStore(format, true)
		return !seen
	}
	everyKind(t, func(rg *rig, e *table.Editor) {
		place, orders := rg.found(e.ID).Files[0].Place, orders
		text := contents(place)["servers"]
		if runtime.GOOS == "windows" && !firstOfFormat(place.Format) { // file operations are slow on Windows
			orders = orders[len(orders)-1:]
		}
		for _, order := range orders {
			path := rg.file(e.ID, text)
			rg.again(func(o *Options) { o.Entry.Command = rg.program("bin") })
			changes := []string{rg.register(e.ID, done)}
			rg.again(func(o *Options) { o.Entry.Command = rg.program("moved") })
			changes = append(changes, rg.register(e.ID, done), rg.unregister(e.ID, done))
			for _, i := range order {
				if _, err := rg.Undo(rg.Context(), changes[i:i+1], nil); err != nil {
					rg.Fatal(err)
				}
				if names := rg.entries(path, place); !strings.Contains(names, "one ") || !strings.Contains(names, "two ") {
					rg.Fatalf("after undoing in the order %v the entries are %s", order, names)
				}
			}
			if got := rg.read(path); order[0] == 2 && order[1] == 1 && got != text {
				rg.Errorf("after undoing in the order %v the file contains %q", order, got)
			}
			if s := rg.status(e.ID).State; order[2] == 0 && s != Absent {
				rg.Errorf("after undoing in the order %v the state is %s", order, s)
			}
		}
	})
}

func TestUndoKeepsLaterChangesOfTheEditor(t *testing.T) {
	everyKind(t, func(rg *rig, e *table.Editor) {
		place := rg.found(e.ID).Files[0].Place
		path := rg.file(e.ID, contents(place)["servers"])
		change := rg.register(e.ID, done)
		later, err := configedit.Put([]byte(rg.read(path)), place, "three",
			configedit.Object{{Key: "command", Value: "third"}, {Key: "name", Value: "three"}})
		if err != nil {
			rg.Fatal(err)
		}
		rg.write(path, string(later.Text))
		if c := rg.record(change); c.Exact || !c.Possible {
			rg.Errorf("record is %+v", c)
		}
		rg.undo(done, change)
		names := rg.entries(path, place)
		if !strings.Contains(names, "one ") || !strings.Contains(names, "two ") || !strings.Contains(names, "three ") ||
			strings.Contains(names, Name) {
			rg.Errorf("the entries are %q", names)
		}
	})
}

func TestUndoRemovesCreatedFilesAndFolders(t *testing.T) {
	everyRow(t, func(rg *rig, e *table.Editor) {
		found := rg.found(e.ID)
		path := found.Files[0].Path
		if found.Register == table.IfExisting {
			out := rg.do(Request{Action: Register, Editors: []string{e.ID}}, refused)
			if out[0].Snippet == "" {
				rg.Error("the refusal has no snippet")
			}
			rg.holds(path, "absent")
			return
		}
		change := rg.register(e.ID, done)
		rg.is(e.ID, Registered)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			rg.Errorf("the mode of the file is %v, %v", info.Mode(), err)
		}
		rg.undo(done, change)
		if names := rg.names(rg.root); strings.Contains(names, "disk") {
			rg.Errorf("folders were not removed: %s", names)
		}
	})
}

func TestSnippetsAreCompleteConfigurations(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{ not JSON")
	out := rg.do(Request{Action: Register, Editors: []string{"cursor"}}, refused)
	var parsed map[string]map[string]map[string]any
	if err := json.Unmarshal([]byte(out[0].Snippet), &parsed); err != nil ||
		parsed["mcpServers"][Name]["command"] != rg.options.Entry.Command {
		t.Errorf("the snippet is %q, %v", out[0].Snippet, err)
	}
	rg.holds(path, "{ not JSON")
	if s := rg.is("cursor", Unreadable); s.Files[0].Snippet != out[0].Snippet || s.Files[0].Problem == "" {
		t.Errorf("file status is %+v", s.Files[0])
	}
}

func BenchmarkApply(b *testing.B) {
	for _, real := range []bool{true, false} {
		b.Run(fmt.Sprintf("disk=%v", real), func(b *testing.B) { benchApply(b, real) })
	}
}

// bench returns a Registrar on a machine with many editors, and their ids.
func bench(b *testing.B, real bool) (*Registrar, []string) {
	root := b.TempDir()
	program := filepath.Join(root, "bin", "agent-discover")
	_ = os.MkdirAll(filepath.Dir(program), 0o700)
	_ = os.WriteFile(program, nil, 0o700)
	machine := table.Machine{
		OS: "linux", Home: "/home/me", Root: filepath.Join(root, "disk"), Variable: func(string) string { return "" },
		Stat: os.Stat, Glob: filepath.Glob, Read: os.ReadFile, Command: func(string) (string, bool) { return "", false },
	}
	r := New(Options{
		Machine: machine, Folder: filepath.Join(root, "data"),
		Entry: table.Server{Transport: "stdio", Command: program, Args: []string{"mcp"}},
	})
	if !real {
		r.files.disk.Sync = func(*os.File) error { return nil }
	}
	var ids []string
	for _, e := range table.Table() {
		found := machine.Find(e)
		if found.Register == table.Never || len(found.Files) == 0 || len(found.Running) > 0 || len(ids) == 25 {
			continue
		}
		path := found.Files[0].Path
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(contents(found.Files[0].Place)["servers"]), 0o600); err != nil {
			b.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return r, ids
}

func benchApply(b *testing.B, real bool) {
	r, ids := bench(b, real)
	b.ReportMetric(float64(len(ids)), "editors")
	for b.Loop() {
		out, err := r.Apply(b.Context(), Request{Action: Register, Editors: ids})
		if err != nil || out[0].Status != done {
			b.Fatal(out, err)
		}
		b.StopTimer()
		if _, err := r.Apply(b.Context(), Request{Action: Unregister, Editors: ids}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkStatus(b *testing.B) {
	r, ids := bench(b, false)
	if _, err := r.Apply(b.Context(), Request{Action: Register, Editors: ids}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		fresh := New(r.options) // a new Registrar has an empty cache
		if _, err := fresh.Status(b.Context(), true, nil); err != nil {
			b.Fatal(err)
		}
	}
}
