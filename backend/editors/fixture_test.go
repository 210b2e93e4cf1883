package editors

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
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
