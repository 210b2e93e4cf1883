package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfilesOfSeveralProcessesMerge(t *testing.T) {
	folder := t.TempDir()
	profile := func(name string, lines ...string) {
		text := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "M/", module)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	profile("unit.txt", "mode: set", "M/backend/a.go:1.1,2.2 3 1", "M/backend/a.go:3.1,4.2 4 0", "M/backend/b.go:1.1,2.2 2 0")
	profile("child.txt", "mode: atomic", "M/backend/a.go:3.1,4.2 4 17", "M/backend/a.go:1.1,2.2 3 0", "M/frontend/embed.go:1.1,2.2 90 0")

	merged := filepath.Join(folder, "merged")
	var out strings.Builder
	if err := reportCoverage(&out, filepath.Join(folder, "*.txt"), merged); err != nil {
		t.Fatal(err)
	}
	if want := "coverage of backend/: 77.8 % of statements (7 of 9)\n"; out.String() != want {
		t.Errorf("reported %q, want %q", out.String(), want)
	}

	again := coverage{}
	if err := again.readFile(merged); err != nil {
		t.Fatal(err)
	}
	if covered, total := again.statements(); covered != 7 || total != 9 {
		t.Errorf("the merged profile has %d of %d", covered, total)
	}
}

func TestMissingProfilesAreReportedInsteadOfZeroPercent(t *testing.T) {
	var out strings.Builder
	if err := reportCoverage(&out, filepath.Join(t.TempDir(), "*.txt"), ""); err != nil {
		t.Fatal(err)
	}
	if want := "coverage of backend/: nothing was measured\n"; out.String() != want {
		t.Errorf("reported %q", out.String())
	}
}

func TestABrokenProfileIsAnError(t *testing.T) {
	for _, line := range []string{"backend/a.go:1.1,2.2 3", "backend/a.go:1.1,2.2 three 1"} {
		path := filepath.Join(t.TempDir(), "broken.txt")
		if err := os.WriteFile(path, []byte(module+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := reportCoverage(&strings.Builder{}, path, ""); err == nil {
			t.Errorf("%q was accepted", line)
		}
	}
}
