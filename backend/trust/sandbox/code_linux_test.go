package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// program writes an executable file.
func (u *user) program(name, content string) string {
	u.t.Helper()
	u.write(name, content)
	if err := os.Chmod(u.path(name), 0o700); err != nil {
		u.t.Fatal(err)
	}
	return u.path(name)
}

func TestAProgramThatOnlyHasTheNameOfAKnownOneIsConfined(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		for _, name := range []string{"docker", "podman", "npx"} {
			server := u.program("found/"+name, "#!/bin/sh\necho started; cat '"+u.path(".ssh/id_ed25519")+"'\n")
			for _, level := range []string{registry.Guard, registry.Strict} {
				out := u.run(registry.Server{Sandbox: level}, server, "run", "-i", "x")
				if !strings.Contains(out, "started") || strings.Contains(out, "the key") {
					t.Errorf("%s, %s: %s", name, level, out)
				}
			}
		}
	})
}

func TestWhatAServerMayChangeGivesItAccessToNothingElse(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		secret := u.path("private/diary.txt")
		u.write("private/diary.txt", "a secret")
		tool := u.program("private/python3", "#!/bin/sh\necho a secret\n")
		read := "#!/bin/sh\necho started; cat '" + secret + "'\n"
		u.write("venv/pyvenv.cfg", "home = "+u.path("private")+"\n")
		u.write("mono/package.json", "{}")
		u.write("mono/private/diary.txt", "a secret")
		u.write("mono/pkgs/a/server.sh", "echo started; cat '"+u.path("mono/private/diary.txt")+"'\n")
		for what, row := range map[string]struct {
			write   string
			command string
			args    []string
		}{
			"a virtual environment":         {"venv", u.program("venv/bin/server", read), nil},
			"one that it may not change":    {"", u.program("venv/bin/server", read), nil},
			"a first line with a program":   {"scripts", u.program("scripts/server", "#!"+tool+"\n"), nil},
			"a first line with an argument": {"", u.program("first/server", "#!/bin/sh "+secret+"\n"), nil},
			"env with an argument":          {"", u.program("second/server", "#!/usr/bin/env -S sh "+tool+"\n"), nil},
			"a project without a sign":      {"mono/pkgs/a", "/bin/sh", []string{u.path("mono/pkgs/a/server.sh")}},
		} {
			server := registry.Server{Sandbox: registry.Strict}
			if row.write != "" {
				server.Grants.Write = []string{u.path(row.write)}
			}
			if out := u.run(server, row.command, row.args...); strings.Contains(out, "a secret") {
				t.Errorf("%s: %s", what, out)
			}
		}
	})
}

func TestAVirtualEnvironmentThatAServerMayChangeStillStarts(t *testing.T) {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Skip("there is no Python of the system")
	}
	everywhere(t, func(t *testing.T, u *user) {
		if out, err := exec.Command(python, "-m", "venv", "--without-pip", u.path("venv")).CombinedOutput(); err != nil {
			t.Skipf("no virtual environment can be made: %s", out)
		}
		script := u.program("venv/bin/server", "#!"+u.path("venv/bin/python3")+"\nimport sys; print('in', sys.prefix)\n")
		for _, grant := range [][]string{nil, {u.path("venv")}} {
			server := registry.Server{Sandbox: registry.Guard, Grants: registry.Grants{Write: grant}}
			for _, command := range [][]string{{script}, {u.path("venv/bin/python"), script}} {
				if out := u.run(server, command[0], command[1:]...); out != "in "+u.path("venv")+"\n" {
					t.Errorf("%s with %s: %s", command, grant, out)
				}
			}
		}
	})
}

func TestARootThatAServerMayHaveLinkedIsNotUsed(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		u.write("private/diary.txt", "a secret")
		if err := os.Symlink(u.path("private"), u.path("project/part")); err != nil {
			t.Fatal(err)
		}
		u.sandbox.options.Roots = []string{"file://" + u.path("project"), "file://" + u.path("project/part")}
		got := u.attack(registry.Server{Sandbox: registry.Strict}, "read="+u.path("private/diary.txt"))
		if got["read"] == "got it" {
			t.Errorf("it was read")
		}
	})
}

func TestThePackageOfAServerLeadsNowhereElse(t *testing.T) {
	u := newUser(t)
	packages := u.path(".agent-discover/sandbox")
	u.program("private/tool.sh", "#!/bin/sh\n")
	link := filepath.Join(packages, "one/npx-1/node_modules/one/cli.js")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(u.path("private/tool.sh"), link); err != nil {
		t.Fatal(err)
	}
	for _, l := range []upstream.Launch{{Command: link, Env: u.env}, {Command: "/bin/sh", Args: []string{link}, Env: u.env}} {
		c := codeOf(l, u.sandbox.placeOf(l), nil, packages, nil)
		for _, path := range c.all {
			if confinement.Within(path, u.path("private")) || confinement.Within(u.path("private"), path) {
				t.Errorf("%s %s gives access to %s", l.Command, l.Args, path)
			}
		}
	}
}
