package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesInDeepFoldersAreReadAndReplaced(t *testing.T) {
	folder := t.TempDir()
	for len(folder) < 400 {
		folder = filepath.Join(folder, strings.Repeat("deep", 12))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file, other := filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		reader, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close()
		if data, err := ReadFile(file); err != nil || string(data) != text {
			t.Errorf("the file has %q, %v", data, err)
		}
	}
	if err := WriteFile(other, nil); err != nil {
		t.Fatal(err)
	}
	if err := Replace(file, other); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(other); err != nil || string(data) != "two" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if err := Remove(other); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
