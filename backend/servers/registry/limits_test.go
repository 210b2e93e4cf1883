package registry

import (
	"path/filepath"
	"testing"
	"time"
)

func TestTimeLimitsAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, " 90s ": 90 * time.Second, "5m": 5 * time.Minute, "2h": 2 * time.Hour,
		"1h5m": 65 * time.Minute, "1.5s": 1500 * time.Millisecond,
	} {
		got, err := ParseTimeout(text)
		if err != nil || got != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
		if again, err := ParseTimeout(FormatTimeout(got)); err != nil || again != got {
			t.Errorf("%q is written as %q", text, FormatTimeout(got))
		}
	}
	if got := FormatTimeout(5 * time.Minute); got != "5m" {
		t.Errorf("5 minutes are written as %q", got)
	}
	for _, text := range []string{"5", "-1s", "0s", "soon", "25h", "1us"} {
		if got, err := ParseTimeout(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestAWorkingFolderDoesNotDependOnTheHub(t *testing.T) {
	for dir, ok := range map[string]bool{
		"": true, "~": true, "~/x": true, t.TempDir(): true, "${env:PLACE}": true, "${env:PLACE:-/x}/y": true,
		"x": false, "./x": false, "../x": false, "${workspaceFolder}": false, "~other/x": false, "/x\n": false, "/x/${secret:KEY}": false,
	} {
		if err := CheckDir(dir); err == nil != ok {
			t.Errorf("%q: %v", dir, err)
		}
	}
	home := t.TempDir()
	for dir, want := range map[string]string{"": home, "~": home, "~/a/b": filepath.Join(home, "a", "b"), "/x": "/x"} {
		if got := DirIn(dir, home); got != want {
			t.Errorf("%q is %s", dir, got)
		}
	}
}
