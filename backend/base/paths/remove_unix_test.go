//go:build unix

package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func TestRemoveAllDeletesWhatAnotherProgramHasMade(t *testing.T) {
	parent := t.TempDir()
	root, err := os.OpenRoot(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(parent, "kept")
	must(os.WriteFile(kept, nil, 0o600))
	must(os.MkdirAll(filepath.Join(parent, "folder/a/b"), 0o700))
	must(os.Symlink(parent, filepath.Join(parent, "folder/link")))
	must(unix.Mkfifo(filepath.Join(parent, "folder/a/pipe"), 0o600))
	must(os.MkdirAll(filepath.Join(parent, ".removed__1/left/by another call"), 0o700))
	nest(t, filepath.Join(parent, "folder"), 6000)
	must(os.Chmod(filepath.Join(parent, "folder/a"), 0))
	must(os.Chmod(filepath.Join(parent, "folder"), 0))
	for range 2 { // the second time it does not exist
		must(paths.RemoveAll(root, "folder"))
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 || entries[0].Name() != "kept" {
		t.Errorf("%v, %v", entries, err)
	}
	must(os.Symlink(kept, filepath.Join(parent, "link")))
	must(paths.RemoveAll(root, "link"))
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// nest makes folders in folders.
func nest(t *testing.T, path string, depth int) {
	t.Helper()
	at, err := unix.Open(path, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	name := strings.Repeat("n", 100) // so that the path is longer than the system allows
	for ; depth > 0 && err == nil; depth-- {
		if err = unix.Mkdirat(at, name, 0o700); err == nil {
			var next int
			next, err = unix.Openat(at, name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			_ = unix.Close(at)
			at = next
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(at)
}
