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

// where is a case of a paths.yaml: which files count on a system, with these
// variables, when these files are there.
type where struct {
	On    string            `yaml:"on"`
	Set   map[string]string `yaml:"set"`
	There []string          `yaml:"there"`
	Want  []string          `yaml:"want"`
}

func TestEveryEditorsFilesAreWhereItsFolderSays(t *testing.T) {
	for _, e := range Table() {
		text, err := os.ReadFile(filepath.Join("testdata", e.ID, "paths.yaml"))
		if err != nil {
			if len(e.row.Files) > 0 {
				t.Errorf("%s has no paths.yaml in testdata", e.ID)
			}
			continue
		}
		var cases []where
		if err := strict(text, &cases); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		seen := map[string]bool{}
		for _, c := range cases {
			seen[c.On] = true
			found := fake(c.On, c.Set, c.There...).Find(e)
			if got := paths(found.Files); !slices.Equal(got, c.Want) {
				t.Errorf("%s on %s with %v and %q there: got %q, want %q", e.ID, c.On, c.Set, c.There, got, c.Want)
			}
			if found.Detected && len(c.There) == 0 {
				t.Errorf("%s on %s is detected by %q", e.ID, c.On, found.Evidence)
			}
		}
		for _, system := range []string{"linux", "darwin", "windows"} {
			if len(e.row.Files.on(system)) > 0 != seen[system] {
				t.Errorf("%s: paths.yaml and the table differ about %s", e.ID, system)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the after files of testdata anew")

// entry is ours, as it goes into editors.
var entry = Server{Transport: stdio, Command: "/opt/agent-discover/agent-discover", Args: []string{"mcp"}}

// fixture is a file of an editor's folder in testdata; ok is false when there
// is none.
func fixture(e *Editor, name string) (path string, text []byte, ok bool) {
	ending := map[configedit.Format]string{configedit.TOML: ".toml", configedit.YAML: ".yaml"}[e.Place.Format]
	path = filepath.Join("testdata", e.ID, name+or(ending, ".json"))
	text, err := os.ReadFile(path)
	return path, text, err == nil
}

func TestOurEntryGoesIntoEveryEditorsFileAndOutAgain(t *testing.T) {
	for _, e := range Table() {
		if e.Register == Never {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			_, before, ok := fixture(e, "before")
			if !ok {
				t.Fatal("its folder in testdata has no file from before")
			}
			object, err := Spell(e.Shape, "discover", entry)
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
				t.Errorf("taken back, %v, it is\n%s", err, back.Text)
			}
			checkRemoved(t, e, before, after)
		})
	}
}

// checkEntry reads our entry as the editor's file has it now, and all that
// were there before.
func checkEntry(t *testing.T, e *Editor, text []byte) {
	t.Helper()
	entries, err := configedit.Read(text, e.Place)
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, one := range entries {
		s, err := Understand(e.Shape, one.Value)
		if one.Name == "discover" {
			if err != nil || !reflect.DeepEqual(s, entry) || !Ours(s) {
				t.Errorf("our entry is %+v, %v", s, err)
			}
			ours++
		} else if (err != nil) != (one.Name == "developer") || Ours(s) { // Goose has that built in
			t.Errorf("%s is %+v, %v", one.Name, s, err)
		}
	}
	if ours != 1 {
		t.Errorf("our entry is there %d times", ours)
	}
}

// checkRemoved takes our entry out of a file by its name alone.
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
		t.Errorf("with our entry taken out it is\n%s", removed.Text)
	}
	if has, err := configedit.Read(removed.Text, e.Place); err != nil || !reflect.DeepEqual(has, had) {
		t.Errorf("with our entry taken out it has %v, %v; before %v", has, err, had)
	}
}
