package process

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestSiblingSearchesTheFolderOfTheProgramThenThePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	dir := t.TempDir()
	file := func(parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own, beside, onPath := file("app", "window"), file("app", "tray"), file("bin", "cli")
	file("bin", "tray")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	env := Env{"PATH=" + filepath.Join(dir, "bin")}
	for _, row := range []struct{ name, own, want string }{
		{"tray", own, beside},
		{"tray", link, beside},
		{"cli", own, onPath},
		{"nothing", own, ""},
	} {
		if got := siblingOf(row.own, row.name, env); got != row.want {
			t.Errorf("%s beside %s: got %q, want %q", row.name, row.own, got, row.want)
		}
	}
}
