//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// loginShell creates a home folder with a profile for bash and makes bash the login
// shell.
func loginShell(t *testing.T, profile string) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{".profile", ".bash_profile"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(profile), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("SHELL", "/bin/bash")
	return home
}

func TestLoginReturnsTheEnvironmentOfTheShell(t *testing.T) {
	loginShell(t, "echo welcome\nexport PATH=/from/profile:$PATH\nexport MULTI='a\nb=c'\nexport AGENT_DISCOVER_Z=1\n")
	t.Setenv("EDITOR_SECRET", "1")
	t.Setenv("AGENT_DISCOVER_HOME", "/x")
	t.Setenv("PATH", "/only/here:/usr/bin:/bin")
	env, err := Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if path := env.Get("PATH"); !strings.HasPrefix(path, "/from/profile:") || !strings.HasSuffix(path, ":/only/here") {
		t.Errorf("PATH is %s", path)
	}
	if env.Get("MULTI") != "a\nb=c" || env.Get("HOME") != os.Getenv("HOME") {
		t.Errorf("got MULTI=%q HOME=%q", env.Get("MULTI"), env.Get("HOME"))
	}
	for _, kv := range env {
		if strings.Contains(kv, "AGENT_DISCOVER_") || strings.HasPrefix(kv, "EDITOR_SECRET") || strings.HasPrefix(kv, "SHLVL") {
			t.Errorf("the environment contains %s", kv)
		}
	}
}

func TestAFailingShellGivesACleanEnvironment(t *testing.T) {
	loginShell(t, "exit 3\n")
	env, err := Login(t.Context())
	if err == nil {
		t.Error("Login returned no error")
	}
	if env.Get("HOME") == "" || env.Get("PATH") == "" {
		t.Errorf("got %v", env)
	}
}

func TestAHangingShellGivesACleanEnvironment(t *testing.T) {
	loginShell(t, "sleep 1000\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if env, err := Login(ctx); err == nil || env.Get("PATH") == "" {
		t.Errorf("got %v, %v", env, err)
	}
}

func TestPathsOfAFailingLoginShellAreUsedAndTheFailureIsNamed(t *testing.T) {
	for _, limit := range []*time.Duration{&loginTimeout, &secondTimeout, &rescueTimeout} {
		before := *limit
		*limit = time.Minute
		t.Cleanup(func() { *limit = before })
	}
	for name, row := range map[string]struct{ profile, why string }{
		"another shell": {"export PATH=/before:$PATH\nexec /bin/dash\n", "did not run a command after its start-up files"},
		"another program": {
			"export PATH=/before:$PATH\nexec true\n", "did not run a command after its start-up files",
		},
		"exit":             {"export PATH=/before:$PATH\nexit 1\n", "ended in its start-up files (exit status 1)"},
		"exit with a job":  {"export PATH=/before:$PATH\n(sleep 5) &\nexit 1\n", "ended in its start-up files (exit status 1)"},
		"a failed command": {"export PATH=/before:$PATH\nset -e\nfalse\n", "ended in its start-up files (exit status 1)"},
	} {
		loginShell(t, row.profile)
		env, err := Login(t.Context())
		failed, ok := errors.AsType[LoginError](err)
		if !ok || !failed.Partial || !strings.HasPrefix(err.Error(), "your login shell bash "+row.why) {
			t.Errorf("%s: %v", name, err)
		}
		if path := env.Get("PATH"); !strings.HasPrefix(path, "/before:") {
			t.Errorf("%s: PATH is %s", name, path)
		}
	}
}

func TestPathsThatAHangingLoginShellHasSetAreUsed(t *testing.T) {
	loginShell(t, "export PATH=/before:$PATH\nsleep 1000\n")
	q := rescue("/bin/bash")
	q.limit = time.Millisecond // hangs up at once, in most runs before the profile is read
	for {
		env, err := ask(t.Context(), q)
		if strings.HasPrefix(env.Get("PATH"), "/before:") {
			return
		}
		if q.limit *= 2; q.limit > time.Minute {
			t.Fatalf("got %v, %v", env, err)
		}
	}
}

func TestAProgramInTheBackgroundDoesNotDelayTheLoginShell(t *testing.T) {
	home := loginShell(t, "export PATH=/before:$PATH\n(sleep 1000; true) & echo $! > $HOME/pid\n")
	env, err := Login(t.Context())
	if err != nil || !strings.HasPrefix(env.Get("PATH"), "/before:") {
		t.Errorf("got %v, %v", env.Get("PATH"), err)
	}
	data, err := os.ReadFile(filepath.Join(home, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || StartOf(pid) == "" {
		t.Errorf("the program %d has been ended: %v", pid, err)
	}
	_ = syscall.Kill(-groupOf(pid), syscall.SIGKILL)
}

func groupOf(pid int) int {
	group, err := syscall.Getpgid(pid)
	if err != nil {
		return pid
	}
	return group
}

func TestMacPathsContainTheFoldersOfHomebrewAndTheSystem(t *testing.T) {
	brew := func(dir string) bool { return strings.HasPrefix(dir, "/opt/homebrew/") }
	none := func(string) bool { return false }
	for name, row := range map[string]struct {
		system string
		root   bool
		exists func(string) bool
		want   string
	}{
		"macOS with Homebrew": {
			"darwin", false, brew, "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		},
		"macOS without":        {"darwin", false, none, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
		"macOS, administrator": {"darwin", true, none, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
		"Linux":                {"linux", false, brew, "/usr/local/bin:/usr/bin:/bin"},
		"Linux, root":          {"linux", true, none, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	} {
		if got := systemPath(row.system, row.root, row.exists); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestMacProgramsGetTheCharsetThatOnlyTerminalsSet(t *testing.T) {
	for name, row := range map[string]struct {
		system string
		env    Env
		want   string
	}{
		"macOS without a locale": {"darwin", Env{"A=1"}, "UTF-8"},
		"macOS with LANG":        {"darwin", Env{"LANG=de_DE.UTF-8"}, ""},
		"macOS with LC_ALL":      {"darwin", Env{"LC_ALL=C"}, ""},
		"Linux":                  {"linux", Env{"A=1"}, ""},
	} {
		if got := withCharset(row.system, row.env).Get("LC_CTYPE"); got != row.want {
			t.Errorf("%s: LC_CTYPE is %q, want %q", name, got, row.want)
		}
	}
	for system, want := range map[string]string{"darwin": "/bin/zsh", "linux": "/bin/sh"} {
		if got := shellOf(system, ""); got != want || shellOf(system, "/bin/fish") != "/bin/fish" {
			t.Errorf("%s: the shell is %s, want %s", system, got, want)
		}
	}
}

func TestParseEnvReadsLinesWithoutNul(t *testing.T) {
	env := parseEnv([]byte("A=1\nnoise\nB=2\n"))
	if env.Get("A") != "1" || env.Get("B") != "2" || len(env) != 2 {
		t.Errorf("got %v", env)
	}
}

// family starts an isolated shell with a child process, and returns the shell and
// the pid of the child.
func family(t *testing.T) (*exec.Cmd, int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait")
	Isolate(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Kill(cmd.Process.Pid); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return cmd, pid
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.After(time.Minute)
	for StartOf(pid) != "" {
		select {
		case <-deadline:
			t.Fatalf("process %d still runs", pid)
		case <-time.Tick(5 * time.Millisecond):
		}
	}
}

func TestKillEndsTheWholeGroup(t *testing.T) {
	cmd, child := family(t)
	id := ID{PID: cmd.Process.Pid, Start: StartOf(cmd.Process.Pid)}
	if !id.Alive() || (ID{PID: id.PID, Start: "other"}).Alive() || (ID{}).Alive() {
		t.Error("Alive does not distinguish processes")
	}
	Kill(id.PID)
	_ = cmd.Wait()
	gone(t, child)
	if id.Alive() {
		t.Error("Alive is true for an ended process")
	}
}

func TestReapEndsOrphansOfADeadLeader(t *testing.T) {
	cmd, child := family(t)
	id := ID{PID: cmd.Process.Pid, Start: StartOf(cmd.Process.Pid)}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if StartOf(child) == "" {
		t.Fatal("the child ended with its parent")
	}
	Reap(Tree{ID: ID{PID: id.PID, Start: "another boot/1"}})
	if StartOf(child) == "" {
		t.Fatal("Reap ended a group of another boot")
	}
	Reap(Tree{ID: id})
	gone(t, child)
}

func TestReapIgnoresAReusedPID(t *testing.T) {
	cmd, child := family(t)
	Reap(Tree{ID: ID{PID: cmd.Process.Pid, Start: "some other process"}})
	if StartOf(cmd.Process.Pid) == "" || StartOf(child) == "" {
		t.Error("Reap ended a process that only has the same pid")
	}
}

func TestACancelledLoginShellCanCleanUp(t *testing.T) {
	dir := t.TempDir()
	shell, ready, tidy := filepath.Join(dir, "shell"), filepath.Join(dir, "ready"), filepath.Join(dir, "tidy")
	script := "#!/bin/sh\ntrap 'touch " + tidy + "' EXIT\ntrap 'exit 1' HUP TERM\ntouch " + ready + "\nwhile :; do sleep 0.05; done\n"
	if err := os.WriteFile(shell, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHELL", shell)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if _, err := os.Stat(ready); err == nil {
				return
			}
			<-tick.C
		}
	}()
	if _, err := Login(ctx); err == nil {
		t.Error("Login returned no error")
	}
	if _, err := os.Stat(tidy); err != nil {
		t.Errorf("the shell could not clean up: %v", err)
	}
}
