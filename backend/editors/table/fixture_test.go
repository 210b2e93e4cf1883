package table

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// pathCase is a test case in a paths.yaml: the files that Find returns on a
// system, with given variables and existing files.
type pathCase struct {
	On       string            `yaml:"on"`
	Set      map[string]string `yaml:"set"`
	Existing []string          `yaml:"existing"`
	Want     []string          `yaml:"want"`
}

func TestFilesOfEveryEditorAreFound(t *testing.T) {
	for _, e := range Table() {
		text, err := os.ReadFile(filepath.Join("testdata", e.ID, "paths.yaml"))
		if err != nil {
			if len(e.row.Files) > 0 {
				t.Errorf("%s has no paths.yaml in testdata", e.ID)
			}
			continue
		}
		var cases []pathCase
		if err := strict(text, &cases); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		seen := map[string]bool{}
		for _, c := range cases {
			seen[c.On] = true
			found := fake(c.On, c.Set, c.Existing...).Find(e)
			if got := pathsOf(found.Files); !slices.Equal(got, c.Want) {
				t.Errorf("%s on %s with %v and the files %q: got %q, want %q", e.ID, c.On, c.Set, c.Existing, got, c.Want)
			}
			if found.Detected && len(c.Existing) == 0 {
				t.Errorf("%s on %s is detected by %q", e.ID, c.On, found.Evidence)
			}
		}
		for _, system := range []string{"linux", "darwin", "windows"} {
			if len(e.row.Files.on(system)) > 0 != seen[system] {
				t.Errorf("%s: only one of paths.yaml and the table has %s", e.ID, system)
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite the after files in testdata")

// entryFor returns the Agent Discover entry that the tests add to an editor.
func entryFor(e *Editor) Server {
	return Server{
		Transport: stdio, Command: "/opt/agent-discover/agent-discover", Args: []string{"mcp", "--client", e.ID, "--surface", "meta"},
		More: e.Eager,
	}
}

// fixture reads a file of an editor's folder in testdata; ok is false when the
// file does not exist.
func fixture(e *Editor, name string) (path string, text []byte, ok bool) {
	extension := map[configedit.Format]string{configedit.TOML: ".toml", configedit.YAML: ".yaml"}[e.Place.Format]
	path = filepath.Join("testdata", e.ID, name+or(extension, ".json"))
	text, err := os.ReadFile(path)
	return path, text, err == nil
}

func TestEntriesAreAddedToEveryEditorAndRemoved(t *testing.T) {
	for _, e := range Table() {
		if e.Register == Never {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			_, before, ok := fixture(e, "before")
			if !ok {
				t.Fatal("testdata has no before file")
			}
			object, err := Spell(e.Shape, "discover", entryFor(e))
			if err != nil {
				t.Fatal(err)
			}
			change, err := configedit.Put(before, e.Place, "discover", object)
			if err != nil {
				t.Fatal(err)
			}
			path, after, _ := fixture(e, "after")
			if *update {
				if err := os.WriteFile(path, change.Text, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(change.Text, after) {
				t.Errorf("got\n%s\nwant\n%s", change.Text, after)
			}
			checkEntry(t, e, after)
			back, err := configedit.Revert(after, e.Place, "discover", change)
			if err != nil || !bytes.Equal(back.Text, before) {
				t.Errorf("after Revert, %v, the file is\n%s", err, back.Text)
			}
			checkRemoved(t, e, before, after)
		})
	}
}

// checkEntry checks that a file has the Agent Discover entry once, and that
// all other entries in the file can be read.
func checkEntry(t *testing.T, e *Editor, text []byte) {
	t.Helper()
	entries, err := configedit.Read(text, e.Place)
	if err != nil {
		t.Fatal(err)
	}
	want, count := entryFor(e), 0
	want.More = nil // Understand ignores these fields
	for _, one := range entries {
		s, err := Understand(e.Shape, one.Value)
		if one.Name == "discover" {
			if err != nil || !reflect.DeepEqual(s, want) || !Ours(s) {
				t.Errorf("the entry is %+v, %v", s, err)
			}
			count++
		} else if (err != nil) != (one.Name == "developer") || Ours(s) { // the entry developer is built into Goose
			t.Errorf("%s is %+v, %v", one.Name, s, err)
		}
	}
	if count != 1 {
		t.Errorf("the file has the entry %d times", count)
	}
}

// checkRemoved removes the Agent Discover entry and checks that the file is as
// it was before the entry was added.
func checkRemoved(t *testing.T, e *Editor, before, after []byte) {
	t.Helper()
	removed, err := configedit.Remove(after, e.Place, "discover")
	if err != nil {
		t.Fatal(err)
	}
	had, err := configedit.Read(before, e.Place)
	if err != nil {
		t.Fatal(err)
	}
	if len(had) > 0 && !bytes.Equal(removed.Text, before) {
		t.Errorf("after Remove the file is\n%s", removed.Text)
	}
	if has, err := configedit.Read(removed.Text, e.Place); err != nil || !reflect.DeepEqual(has, had) {
		t.Errorf("after Remove the file has %v, %v; want %v", has, err, had)
	}
}
