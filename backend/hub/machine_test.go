//go:build linux

package hub_test

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

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	_ "modernc.org/sqlite" // holds the database as another program may

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTakenPortIsSaidAndAnotherOneIsUsed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	h.Settings("port: " + strconv.Itoa(port) + "\n")
	h.Without("AGENT_DISCOVER_PORT")
	s := h.Serve()
	if s.Port == port {
		t.Errorf("the hub says that it listens on %d, where somebody else does", port)
	}
	programtest.Contains(t, s.Stderr.String(), "port is in use", "port="+strconv.Itoa(port))
	programtest.Contains(t, h.Attach().Registry(`{"action":"status"}`), "active_count")
}

func TestFreePortOfTheSettingsIsUsed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := probe.Addr().(*net.TCPAddr).Port
	_ = probe.Close()
	h.Settings("port: " + strconv.Itoa(port) + "\n")
	h.Without("AGENT_DISCOVER_PORT")
	if s := h.Serve(); s.Port != port {
		t.Errorf("the hub listens on %d, not %d:\n%s", s.Port, port, s.Stderr)
	}
}

// asNobody makes commands run as a user whom file permissions hold back, which
// they do not do for root.
func asNobody(t *testing.T, h *programtest.Home, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, dir := range []string{h.Dir, filepath.Dir(h.Dir), filepath.Dir(h.Program)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadOnlyDataFolderIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	if err := h.Folder.Create(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{string(h.Folder), h.Folder.Run(""), filepath.Dir(h.Folder.Log())} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(dir, 0o755) }() // so that it can be removed
	}
	for _, args := range [][]string{{"serve"}, {"servers", "list"}, {"stop"}, {"doctor"}} {
		cmd := h.Command(args...)
		asNobody(t, h, cmd)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%v succeeded: %s", args, out)
		}
		programtest.Contains(t, string(out), string(h.Folder), "not writable", "AGENT_DISCOVER_HOME")
	}
}

func TestCompanionWithoutADataFolderSaysSo(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Write(string(h.Folder), "a file is in the way")
	c := h.Companion()
	programtest.Contains(t, string(c.Open(`{}`).Result), "data folder", "cannot be created")
	programtest.Contains(t, c.FailingTool("registry", `{"action":"list"}`), string(h.Folder), "AGENT_DISCOVER_HOME")
}

func TestDataFolderThatIsAFileIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Write(string(h.Folder), "a file is in the way")
	out := h.Run("serve")
	if out.Code != 3 {
		t.Errorf("exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, string(h.Folder), "cannot be created", "AGENT_DISCOVER_HOME")
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
			h := programtest.NewHome(t)
			s := h.Serve()
			h.Must("servers", "add", "lost", "--no-start", "--", "true")
			programtest.Signal(t, s.PID, syscall.SIGTERM)
			s.Exit()
			damage(t, h.Folder.Database())
			before, err := os.ReadFile(h.Folder.Database())
			if err != nil {
				t.Fatal(err)
			}

			out := h.Run("serve")

			if out.Code != 3 {
				t.Errorf("serve: exit code %d", out.Code)
			}
			programtest.Contains(t, out.Stderr, "damaged", "nothing was changed", "agent-discover doctor --repair")
			if after, err := os.ReadFile(h.Folder.Database()); err != nil || string(after) != string(before) {
				t.Errorf("the damaged file was changed: %v", err)
			}
			out = h.Run("doctor")
			if out.Code != 3 {
				t.Errorf("doctor: exit code %d", out.Code)
			}
			programtest.Contains(t, out.Stdout, "ERROR", "database", "doctor --repair")

			programtest.Contains(t, h.Must("doctor", "--repair"), "damaged-")
			aside, err := filepath.Glob(h.Folder.Database() + ".damaged-*")
			if err != nil || len(aside) == 0 {
				t.Fatalf("nothing was set aside: %v", err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(before) {
				t.Errorf("what was set aside is not the damaged file: %v", err)
			}
			h.Serve()
			h.Add("fake", mcptest.Command(t))
			programtest.Contains(t, h.Must("servers", "list", "--json"), `"fake"`)
		})
	}
}

func TestIntactDatabaseIsNotSetAside(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	out := h.Run("doctor", "--repair")
	if out.Code == 0 {
		t.Errorf("repair beside a running hub: %s", out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "already runs")
	s.Kill()
	programtest.Contains(t, h.Must("doctor", "--repair"), "intact")
}

func TestBusyDatabaseIsNotSetAside(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Must("servers", "add", "kept", "--no-start", "--", "true")
	s.Kill()
	other, err := sql.Open("sqlite", h.Folder.Database()+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("UPDATE servers SET description = 'held'"); err != nil {
		t.Fatal(err)
	}
	out := h.Run("doctor", "--repair")
	if out.Code != 3 {
		t.Errorf("exit code %d: %s", out.Code, out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "in use by another program")
	out = h.Run("doctor")
	programtest.Contains(t, out.Stdout, "ERROR", "cannot be checked", "in use by another program")
	if strings.Contains(out.Stdout, "--repair") {
		t.Errorf("doctor advises a repair: %s", out.Stdout)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	h.Serve()
	programtest.Contains(t, h.Must("servers", "list", "--json"), `"kept"`)
}

// setLoginPath makes the login shell's PATH the given folders, and the hub's own
// a folder that holds nothing but what the shell needs.
func setLoginPath(h *programtest.Home, dirs ...string) {
	h.T.Helper()
	plain := filepath.Join(h.Dir, "plain")
	if err := os.MkdirAll(plain, 0o755); err != nil {
		h.T.Fatal(err)
	}
	env, err := exec.LookPath("env")
	if err != nil {
		h.T.Fatal(err)
	}
	if err := os.Symlink(env, filepath.Join(plain, "env")); err != nil {
		h.T.Fatal(err)
	}
	h.Write(filepath.Join(h.Dir, ".profile"), "PATH="+strings.Join(append(dirs, plain), ":")+"\nexport PATH\nexport FROM_PROFILE=yes\n")
	h.Set("PATH", plain)
}

func TestMissingNpxIsSaidWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	setLoginPath(h)
	h.Serve()
	h.Add("node", []string{"npx", "-y", "whatever"}, "--no-start")
	programtest.Contains(t, h.Attach().FailingTool("node__x", `{}`), `"node"`, `"npx" not found on PATH`, "install Node.js")
	out := h.Run("servers", "refresh", "node")
	if out.Code != 3 {
		t.Errorf("refresh: exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "install Node.js")
	out = h.Run("doctor")
	if out.Code != 0 {
		t.Errorf("doctor: exit code %d: the hub works without npx", out.Code)
	}
	programtest.Contains(t, out.Stdout, "WARNING  npx: not on the login shell's PATH", "apt install npm")
}

func TestProgramThatOnlyTheLoginShellKnowsIsStarted(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	tools := filepath.Join(h.Dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	setLoginPath(h, tools)
	command := mcptest.Command(t)
	script := "#!/bin/sh\nexec " + strings.Join(command, " ") + "\n"
	if err := os.WriteFile(filepath.Join(tools, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Serve()
	h.Add("node", []string{"npx", "-y", "whatever"})
	e := h.Attach().Environment("node")
	programtest.Contains(t, strings.Join(e.Env, "\n"), "FROM_PROFILE=yes", "PATH="+tools)
}

func TestLoginShellThatFailsLeavesAPlainEnvironment(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Set("SHELL", "/bin/false")
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	if got := h.Attach().Tool("fake__echo", `{"text":"plain"}`); got != "plain" {
		t.Errorf("echo gave %q", got)
	}
	programtest.Contains(t, s.Stderr.String(), "could not read the login shell's environment")
}

func TestWrongSettingsStopTheHubAndNameTheKey(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	for yaml, says := range map[string]string{
		"port: no\n":                     "port",
		"limits: {idle_stopp: 1s}\n":     "idle_stopp",
		"limits: {idle_stop: -1s}\n":     "limits",
		"agents: {install: perhaps}\n":   "agents.install",
		"limits: {idle_stop: 1s\nport: ": "YAML",
	} {
		h.Settings(yaml)
		out := h.Run("serve")
		if out.Code != 1 {
			t.Errorf("%q: exit code %d", yaml, out.Code)
		}
		programtest.Contains(t, out.Stderr, says, "config.yaml")
	}
}

func TestEditorLearnsWhyNoHubStarts(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("agents: {install: maybe}\n")
	c := h.Attach()
	programtest.Contains(t, c.FailingTool("registry", `{"action":"list"}`), "cannot start", "ask, allow or deny")

	h.Settings("agents: {install: ask}\n")
	programtest.Eventually(t, "the hub to start once the settings are mended", func() bool {
		_, err := instance.Read(h.Folder)
		return err == nil
	})
	c.AwaitCount(programtest.ToolListChanged, 1)
	if got := c.Registry(`{"action":"list"}`); got != "[]" {
		t.Errorf("the list is %s", got)
	}
}
