//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSecretsAreHiddenWhereLinksLeadAndInOtherHubs(t *testing.T) {
	home := real(t.TempDir())
	write := func(name string) {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, target string) {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"dotfiles/ssh/id_ed25519", "dotfiles/docker.json", "dotfiles/cookies", "dotfiles/plain", "second/discover.db",
		"shared/third/discover.db", "projects/notes.txt",
	} {
		write(name)
	}
	link(".ssh", filepath.Join(home, "dotfiles/ssh"))
	link(".docker/config.json", "../dotfiles/docker.json")
	link(".mozilla/firefox/cookies", filepath.Join(home, "dotfiles/cookies"))
	link(".docker/engine", "/usr/bin")
	link(".docker/all", home)
	at := place{os: "linux", home: home, data: filepath.Join(home, ".agent-discover")}
	got := at.secrets(nil, []string{filepath.Join(home, "shared")})
	for name, want := range map[string]bool{
		"dotfiles/ssh": true, "dotfiles/docker.json": true, "dotfiles/cookies": true, ".agent-discover": true, "second": true,
		"shared/third": true, "dotfiles/plain": false, "dotfiles": false, "projects": false, "shared": false, "": false,
	} {
		if slices.Contains(got, filepath.Join(home, name)) != want {
			t.Errorf("%q: hidden is not %v", name, want)
		}
	}
	if slices.Contains(got, "/usr/bin") {
		t.Error("a part of the system is hidden")
	}
}
