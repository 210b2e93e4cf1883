//go:build unix

package version

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestBuildsFromACloneCountTheCommitsAfterTheNumber(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func() {
		t.Helper()
		run("git", "add", "-A")
		run("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "change")
	}
	script, err := os.ReadFile("../../../build/version.sh")
	if err != nil {
		t.Fatal(err)
	}
	file("build/version.sh", string(script), 0o755)
	file("backend/base/version/VERSION", "1.2.3\n", 0o644)
	version := func(want string) string {
		t.Helper()
		got := run("build/version.sh")
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("the version is %q, want %s", got, want)
		}
		return got
	}

	version(`1\.2\.3`) // no repository, as in an archive of the sources
	run("git", "init", "-q")
	commit()
	released := version(`1\.2\.3`)
	file("a", "1", 0o644)
	commit()
	later := version(`1\.2\.3\+1\.g[0-9a-f]+`)
	file("a", "2", 0o644)
	version(`1\.2\.3\+1\.g[0-9a-f]+\.dirty`)
	commit()
	latest := version(`1\.2\.3\+2\.g[0-9a-f]+`)
	file("backend/base/version/VERSION", "1.2.4\n", 0o644)
	commit()
	next := version(`1\.2\.4`)
	for _, pair := range [][2]string{{later, released}, {latest, later}, {next, latest}} {
		if !Newer(pair[0], pair[1]) || Newer(pair[1], pair[0]) {
			t.Errorf("%s is not newer than %s", pair[0], pair[1])
		}
	}
}
