package paths_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func TestTheFolderOfAPatternIsTakenLiterally(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[b]c")
	var want []string
	for _, name := range []string{"x-1.db", "x-2.db", "y.db"} {
		file := filepath.Join(folder, "sub", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "y.db" {
			want = append(want, file)
		}
	}
	if got := paths.Glob(filepath.Join(folder, "sub"), "x-*.db"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := paths.Glob(folder, "*/x-*.db"); !slices.Equal(got, want) {
		t.Errorf("in any folder: got %v, want %v", got, want)
	}
	if got := paths.Glob(filepath.Join(folder, "absent"), "*"); got != nil {
		t.Errorf("in an absent folder: got %v", got)
	}
}
