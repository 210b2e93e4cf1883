package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestMakeFolderCreatesNoMoreThanTheParent(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	folder := filepath.Join(data, "backups", "editors")
	if err := MakeFolder(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("below a folder that does not exist: %v", err)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := MakeFolder(folder); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Errorf("the folder: %v, %v", info, err)
	}
}
