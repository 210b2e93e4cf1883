//go:build unix

package packagemanager

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestPackageManagersGetTheUsersSettingsAndOnlyRegistriesOfAServer(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".npmrc"),
		[]byte("//packages.example:8443/:_authToken=${WORK_TOKEN}\ncafile=/etc/work.pem\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Order{
		Folder: "/folder", CommandLine: CommandLine{
			Runner: "npx", Command: "/opt/node/bin/npx",
			Options: []string{"--registry", "http://one.example", "--cache", "/x", "--userconfig", "here"},
		},
		Env: process.Env{
			"HOME=" + home, "PATH=/bin", "WORK_TOKEN=w", "OTHER_TOKEN=o", "npm_config_strict_ssl=true", "UV_INDEX_WORK_PASSWORD=p",
			"LC_ALL=C", "NODE_OPTIONS=--require=x", "LD_PRELOAD=x", "GIT_SSH=x", "PYTHONPATH=x", "https_proxy=proxy.example:3128",
			"UNRELATED=http://unrelated.example:1111",
		},
		Own: map[string]string{
			"npm_config_registry": "https://two.example:4443/", "NPM_CONFIG_@me:registry": "http://three.example:4873",
			"UV_INDEX": "a=https://a.example b=https://b.example", "UV_DEFAULT_INDEX": "file:///etc",
			"UV_INDEX_URL": "https://${SECRET}@x.example", "NODE_OPTIONS": "--import=x", "PATH": "/evil", "npm_config_git": "/evil/git",
			"LD_PRELOAD": "/evil",
		},
	}
	env := o.environment()
	slices.Sort(env)
	want := []string{
		"HOME=" + home, "LC_ALL=C", "NPM_CONFIG_@me:registry=http://three.example:4873", "PATH=/folder/.installing/bin:/opt/node/bin:/bin",
		"TMPDIR=/folder/.installing/tmp", "UV_INDEX=https://a.example https://b.example", "WORK_TOKEN=w", "https_proxy=proxy.example:3128",
		"npm_config_registry=https://two.example:4443/", "npm_config_strict_ssl=true",
	}
	if !slices.Equal([]string(env), want) {
		t.Errorf("the variables are\n%s\nwant\n%s", strings.Join(env, "\n"), strings.Join(want, "\n"))
	}
	if got, want := o.options(), []string{"--registry", "http://one.example", "--userconfig", home + "/here"}; !slices.Equal(got, want) {
		t.Errorf("the options are %q, want %q", got, want)
	}
	a := o.access(o.configOfNPM())
	if want := []uint16{53, 80, 443, 3128, 4443, 4873}; !slices.Equal(a.Ports, want) {
		t.Errorf("the ports are %v, want %v", a.Ports, want)
	}
	if !slices.Contains(a.Config, "/etc/work.pem") || !slices.Contains(a.Read, home+"/here") {
		t.Errorf("the files are %q and %q", a.Config, a.Read)
	}
	o.Runner, o.Options = "uvx", []string{"--index", "work=https://evil.example", "--with", "more"}
	if got, want := o.options(), []string{"--index", "https://evil.example", "--with", "more"}; !slices.Equal(got, want) {
		t.Errorf("the options are %q, want %q", got, want)
	}
	if env := o.environment(); env.Get("WORK_TOKEN") != "" || env.Get("npm_config_strict_ssl") != "" {
		t.Errorf("uv gets the tokens of npm: %q", env)
	}
	if where := o.credentials(a); where != "the variable UV_INDEX_WORK_PASSWORD" {
		t.Errorf("the credentials are in %q", where)
	}
}

func TestOptionsThatMayRunCodeAreKnown(t *testing.T) {
	for line, want := range map[string]string{
		"--index https://x.example": "", "--with more": "", "--python 3.12": "", "-p ./python": "-p",
		"--with git+https://x.example/y": "--with", "--with-requirements r.txt": "--with-requirements",
		"-w /srv/x": "-w", "--find-links wheels": "--find-links",
		"--with-editable x": "--with-editable", "--overrides r.txt": "--overrides",
		"--index /srv/x": "--index", "--default-index work=file:///srv/x": "--default-index", "-i simple": "-i",
		"--registry http://x.example": "", "--registry file:///srv/x": "--registry", "--index work=https://x.example": "",
	} {
		if got := (CommandLine{Options: strings.Fields(line)}).Local(); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
