//go:build unix

package paths

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreReadAndWithoutWaiting(t *testing.T) {
	folder := t.TempDir()
	pipe, file := filepath.Join(folder, "pipe"), filepath.Join(folder, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe: "not a regular file", folder: "not a regular file", "/dev/zero": "not a regular file", file: "larger than 3 bytes",
	} {
		if text, err := ReadRegular(path, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v", path, text, err)
		}
	}
	if text, err := ReadFile(pipe); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("ReadFile: got %q, %v", text, err)
	}
	if text, err := ReadRegular(file, 4); err != nil || string(text) != "text" {
		t.Errorf("got %q, %v", text, err)
	}
}
