package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFoldersAreLeftOutOnlyIfTheyCannotContainTheProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Tool.CMD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, strings.Repeat(`a-folder-whose-name-is-long\`, 10))
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		dir, program string
		want         bool
	}{
		{dir, "tool", true},
		{dir, "TOOL.cmd", true},
		{dir, "other", false},
		{filepath.Join(dir, "none"), "tool", false},
		{long, "tool", true}, // too long for FindFirstFile, but not for os.Stat
	} {
		if got := mayContain(row.dir, row.program); got != row.want {
			t.Errorf("%s in %s: %t, want %t", row.program, row.dir, got, row.want)
		}
	}
	if err := os.WriteFile(filepath.Join(long, "far.exe"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := (Env{"PATH=" + dir + ";" + long}).LookPath("far"), filepath.Join(long, "far.exe"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
