//go:build linux

package main_test

import (
	"database/sql"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite" // holds the database as another program may

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTakenPortIsSaidAndAnotherOneIsUsed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	h.settings("port: " + strconv.Itoa(port) + "\n")
	h.without("AGENT_DISCOVER_PORT")
	s := h.serve()
	if s.Port == port {
		t.Errorf("the hub says that it listens on %d, where somebody else does", port)
	}
	contains(t, s.stderr.String(), "port is taken", "port="+strconv.Itoa(port))
	contains(t, h.attach().registry(`{"action":"status"}`), "active_count")
}

func TestFreePortOfTheSettingsIsUsed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := probe.Addr().(*net.TCPAddr).Port
	_ = probe.Close()
	h.settings("port: " + strconv.Itoa(port) + "\n")
	h.without("AGENT_DISCOVER_PORT")
	if s := h.serve(); s.Port != port {
		t.Errorf("the hub listens on %d, not %d:\n%s", s.Port, port, s.stderr)
	}
}

// without takes a variable out of the environment of later commands.
func (h *home) without(name string) {
	var env []string
	for _, kv := range h.env {
		if !strings.HasPrefix(kv, name+"=") {
			env = append(env, kv)
		}
	}
	h.env = env
}

// set changes a variable of later commands.
func (h *home) set(name, value string) {
	h.without(name)
	h.env = append(h.env, name+"="+value)
}

// asNobody makes commands run as a user whom file permissions hold back, which
// they do not do for root.
func asNobody(t *testing.T, h *home, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, dir := range []string{h.dir, filepath.Dir(h.dir), filepath.Dir(h.program)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadOnlyDataFolderIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if err := h.folder.Create(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{string(h.folder), h.folder.Run(""), filepath.Dir(h.folder.Log())} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(dir, 0o755) }() // so that it can be removed
	}
	for _, args := range [][]string{{"serve"}, {"servers", "list"}, {"stop"}, {"doctor"}} {
		cmd := h.command(args...)
		asNobody(t, h, cmd)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%v succeeded: %s", args, out)
		}
		contains(t, string(out), string(h.folder), "not writable", "AGENT_DISCOVER_HOME")
	}
}

func TestCompanionWithoutADataFolderSaysSo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(string(h.folder), "a file is in the way")
	c := h.companion()
	contains(t, string(c.open(`{}`).Result), "data folder", "cannot be created")
	contains(t, c.failing("registry", `{"action":"list"}`), string(h.folder), "AGENT_DISCOVER_HOME")
}

func TestDataFolderThatIsAFileIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(string(h.folder), "a file is in the way")
	out := h.run("serve")
	if out.code != 3 {
		t.Errorf("exit code %d", out.code)
	}
	contains(t, out.stderr, string(h.folder), "cannot be created", "AGENT_DISCOVER_HOME")
}

func TestDamagedDatabaseIsLeftAloneUntilItIsSetAside(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, string){
		"no database at all": func(t *testing.T, file string) {
			if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 2048)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"overwritten behind its head": func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 100_000)), 200); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"cut short": func(t *testing.T, file string) {
			if err := os.Truncate(file, 5000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s := h.serve()
			h.must("servers", "add", "lost", "--no-start", "--", "true")
			signal(t, s.PID, syscall.SIGTERM)
			s.exit()
			damage(t, h.folder.Database())
			before, err := os.ReadFile(h.folder.Database())
			if err != nil {
				t.Fatal(err)
			}

			out := h.run("serve")

			if out.code != 3 {
				t.Errorf("serve: exit code %d", out.code)
			}
			contains(t, out.stderr, "damaged", "nothing was changed", "agent-discover doctor --repair")
			if after, err := os.ReadFile(h.folder.Database()); err != nil || string(after) != string(before) {
				t.Errorf("the damaged file was changed: %v", err)
			}
			out = h.run("doctor")
			if out.code != 3 {
				t.Errorf("doctor: exit code %d", out.code)
			}
			contains(t, out.stdout, "BROKEN", "database", "doctor --repair")

			contains(t, h.must("doctor", "--repair"), "damaged-")
			aside, err := filepath.Glob(h.folder.Database() + ".damaged-*")
			if err != nil || len(aside) == 0 {
				t.Fatalf("nothing was set aside: %v", err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(before) {
				t.Errorf("what was set aside is not the damaged file: %v", err)
			}
			h.serve()
			h.add("fake", mcptest.Command(t))
			contains(t, h.must("servers", "list", "--json"), `"fake"`)
		})
	}
}

func TestIntactDatabaseIsNotSetAside(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	out := h.run("doctor", "--repair")
	if out.code == 0 {
		t.Errorf("repair beside a running hub: %s", out.stdout)
	}
	contains(t, out.stderr, "already runs")
	s.kill()
	contains(t, h.must("doctor", "--repair"), "intact")
}

func TestBusyDatabaseIsNotSetAside(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	h.must("servers", "add", "kept", "--no-start", "--", "true")
	s.kill()
	other, err := sql.Open("sqlite", h.folder.Database()+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("UPDATE servers SET description = 'held'"); err != nil {
		t.Fatal(err)
	}
	out := h.run("doctor", "--repair")
	if out.code != 3 {
		t.Errorf("exit code %d: %s", out.code, out.stdout)
	}
	contains(t, out.stderr, "in use by another program")
	out = h.run("doctor")
	contains(t, out.stdout, "BROKEN", "cannot be checked", "in use by another program")
	if strings.Contains(out.stdout, "--repair") {
		t.Errorf("doctor advises a repair: %s", out.stdout)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	h.serve()
	contains(t, h.must("servers", "list", "--json"), `"kept"`)
}

// loginPath makes the login shell's PATH the given folders, and the hub's own
// a folder that holds nothing but what the shell needs.
func (h *home) loginPath(dirs ...string) {
	h.t.Helper()
	plain := filepath.Join(h.dir, "plain")
	if err := os.MkdirAll(plain, 0o755); err != nil {
		h.t.Fatal(err)
	}
	env, err := exec.LookPath("env")
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(env, filepath.Join(plain, "env")); err != nil {
		h.t.Fatal(err)
	}
	h.write(filepath.Join(h.dir, ".profile"), "PATH="+strings.Join(append(dirs, plain), ":")+"\nexport PATH\nexport FROM_PROFILE=yes\n")
	h.set("PATH", plain)
}

func TestMissingNpxIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.loginPath()
	h.serve()
	h.add("node", []string{"npx", "-y", "whatever"}, "--no-start")
	contains(t, h.attach().failing("node__x", `{}`), `"node"`, `"npx" not found on PATH`, "install Node.js")
	out := h.run("servers", "refresh", "node")
	if out.code != 3 {
		t.Errorf("refresh: exit code %d", out.code)
	}
	contains(t, out.stderr, "install Node.js")
	out = h.run("doctor")
	if out.code != 0 {
		t.Errorf("doctor: exit code %d: the hub works without npx", out.code)
	}
	contains(t, out.stdout, "MISSING  npx: not on the login shell's PATH", "apt install npm")
}

func TestProgramThatOnlyTheLoginShellKnowsIsStarted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	tools := filepath.Join(h.dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	h.loginPath(tools)
	command := mcptest.Command(t)
	script := "#!/bin/sh\nexec " + strings.Join(command, " ") + "\n"
	if err := os.WriteFile(filepath.Join(tools, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.serve()
	h.add("node", []string{"npx", "-y", "whatever"})
	e := h.attach().environment("node")
	contains(t, strings.Join(e.Env, "\n"), "FROM_PROFILE=yes", "PATH="+tools)
}

func TestLoginShellThatFailsLeavesAPlainEnvironment(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.set("SHELL", "/bin/false")
	s := h.serve()
	h.add("fake", mcptest.Command(t))
	if got := h.attach().tool("fake__echo", `{"text":"plain"}`); got != "plain" {
		t.Errorf("echo gave %q", got)
	}
	contains(t, s.stderr.String(), "login shell not asked")
}

func TestWrongSettingsStopTheHubAndNameTheKey(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for yaml, says := range map[string]string{
		"port: no\n":                     "port",
		"limits: {idle_stopp: 1s}\n":     "idle_stopp",
		"limits: {idle_stop: -1s}\n":     "limits",
		"agents: {install: perhaps}\n":   "agents.install",
		"limits: {idle_stop: 1s\nport: ": "YAML",
	} {
		h.settings(yaml)
		out := h.run("serve")
		if out.code != 1 {
			t.Errorf("%q: exit code %d", yaml, out.code)
		}
		contains(t, out.stderr, says, "config.yaml")
	}
}

func TestEditorLearnsWhyNoHubStarts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("agents: {install: maybe}\n")
	c := h.attach()
	contains(t, c.failing("registry", `{"action":"list"}`), "cannot start", "ask, allow or deny")

	h.settings("agents: {install: ask}\n")
	eventually(t, "the hub to start once the settings are mended", func() bool {
		_, err := instance.Read(h.folder)
		return err == nil
	})
	c.awaitCount(listChanged, 1)
	if got := c.registry(`{"action":"list"}`); got != "[]" {
		t.Errorf("the list is %s", got)
	}
}
