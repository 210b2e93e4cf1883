package program

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAProgramCountsAsInstalledOnlyWhereProgramsAreInstalled(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no home folder, or paths have another form")
	}
	t.Setenv("PATH", "/srv/uv/bin:tools:/usr/bin")
	for command, want := range map[string]bool{
		"docker": true, "/usr/bin/docker": true, "/opt/homebrew/bin/podman": true, "/nix/store/x/bin/uvx": true,
		filepath.Join(home, ".nvm/versions/node/v24/bin/npx"): true, filepath.Join(home, ".local/bin/uvx"): true,
		"": false, "./docker": false, "bin/docker": false, "/usr/../srv/docker": false, "/usr": true,
		"/srv/uv/bin/uvx": true, "/srv/uv/bin/x/uvx": false, "tools/uvx": false, "/usrx/docker": false,
		filepath.Join(home, "project/docker"): false, filepath.Join(home, "project/.nvm/npx"): false, "/tmp/docker": false,
		filepath.Join(home, ".nvm/../project/npx"): false,
	} {
		if got := Installed(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
