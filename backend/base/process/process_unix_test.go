//go:build unix

package process

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// loginShell makes a home folder whose login shell sets PATH to path.
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

func TestLoginAsksTheShellAndNotTheEditor(t *testing.T) {
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
			t.Errorf("the environment holds %s", kv)
		}
	}
}

func TestAShellThatFailsLeavesAPlainEnvironment(t *testing.T) {
	loginShell(t, "exit 3\n")
	env, err := Login(t.Context())
	if err == nil {
		t.Error("the failure is hidden")
	}
	if env.Get("HOME") == "" || env.Get("PATH") == "" {
		t.Errorf("got %v", env)
	}
}

func TestAShellThatHangsIsGivenUp(t *testing.T) {
	loginShell(t, "sleep 1000\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if env, err := Login(ctx); err == nil || env.Get("PATH") == "" {
		t.Errorf("got %v, %v", env, err)
	}
}

func TestNewlinesServeWhereTheShellHasNoNul(t *testing.T) {
	env := parseEnv([]byte("A=1\nnoise\nB=2\n"))
	if env.Get("A") != "1" || env.Get("B") != "2" || len(env) != 2 {
		t.Errorf("got %v", env)
	}
}

// family starts an isolated shell that starts a grandchild, and returns both pids.
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

func gone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for StartOf(pid) != "" {
		select {
		case <-deadline:
			t.Fatalf("process %d lives on", pid)
		case <-time.Tick(5 * time.Millisecond):
		}
	}
}

func TestTheWholeFamilyIsEnded(t *testing.T) {
	cmd, grandchild := family(t)
	id := ID{PID: cmd.Process.Pid, Start: StartOf(cmd.Process.Pid)}
	if !id.Alive() || (ID{PID: id.PID, Start: "other"}).Alive() || (ID{}).Alive() {
		t.Error("Alive does not tell processes apart")
	}
	Kill(id.PID)
	_ = cmd.Wait()
	gone(t, grandchild)
	if id.Alive() {
		t.Error("a process that was reaped is alive")
	}
}

func TestOrphansOfADeadLeaderAreReaped(t *testing.T) {
	cmd, grandchild := family(t)
	id := ID{PID: cmd.Process.Pid, Start: StartOf(cmd.Process.Pid)}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if StartOf(grandchild) == "" {
		t.Fatal("the grandchild did not outlive its parent")
	}
	Reap(ID{PID: id.PID, Start: "another boot/1"})
	if StartOf(grandchild) == "" {
		t.Fatal("a group of another boot was ended")
	}
	Reap(id)
	gone(t, grandchild)
}

func TestAReusedNumberIsLeftAlone(t *testing.T) {
	cmd, grandchild := family(t)
	Reap(ID{PID: cmd.Process.Pid, Start: "some other process"})
	if StartOf(cmd.Process.Pid) == "" || StartOf(grandchild) == "" {
		t.Error("a process was ended that only has the number of ours")
	}
}

func TestLoginShellThatIsEndedCanTidyUp(t *testing.T) {
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
		t.Error("an ended shell counts as an answer")
	}
	if _, err := os.Stat(tidy); err != nil {
		t.Errorf("it had no time: %v", err)
	}
}
