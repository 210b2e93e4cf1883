package process

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// helper starts an isolated shell that runs line in the background. In line, helper
// replaces the word sleep by a command that runs the helper process. It returns the
// shell, the tree of the shell and the pid of the helper process.
func helper(t *testing.T, line string) (*exec.Cmd, Tree, int) {
	t.Helper()
	// The helper writes its pid after it has left the session.
	line = strings.Replace(line, "sleep", "sh -c 'echo $$ >&3; exec sleep 7777 3>&-' 3>&1", 1)
	cmd := exec.Command("/bin/sh", "-c", line+" & read line")
	Isolate(cmd)
	mark := Mark(cmd)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	cmd.Stdout = w
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	tree := Tree{ID: ID{cmd.Process.Pid, StartOf(cmd.Process.Pid)}, Mark: mark}
	t.Cleanup(func() { Reap(tree); _ = cmd.Wait() })
	first, err := bufio.NewReader(io.LimitReader(r, 20)).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	})
	tree.Pipes = []*os.File{r}
	return cmd, tree, pid
}

func TestReapEndsHelpersThatHaveLeftTheSession(t *testing.T) {
	const quiet = "</dev/null >/dev/null 2>&1"
	for name, row := range map[string]struct {
		line string
		keep func(*Tree) // removes the other ways to find the helper
		seen bool        // Members is called while the command runs
	}{
		"by its mark":   {"setsid sleep " + quiet, func(t *Tree) { t.Pipes = nil }, false},
		"by its output": {"env -i setsid sleep </dev/null", func(t *Tree) { t.Mark = "" }, false},
		"by its parent": {"env -i setsid sleep " + quiet, func(*Tree) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, tree, pid := helper(t, row.line)
			row.keep(&tree)
			if row.seen {
				tree.Seen = tree.Members()
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if StartOf(pid) == "" {
				t.Fatal("the helper ended with the command")
			}
			Reap(Tree{ID: tree.ID})
			if StartOf(pid) == "" {
				t.Fatal("the helper was in the group of the command")
			}
			Reap(tree)
			if StartOf(pid) != "" {
				t.Error("the helper still runs")
			}
		})
	}
}

func TestReapLeavesTheHelpersOfOtherCommands(t *testing.T) {
	_, one, _ := helper(t, "setsid sleep")
	_, _, other := helper(t, "setsid sleep")
	Reap(one)
	if StartOf(other) == "" {
		t.Error("Reap ended a helper of another command")
	}
}

// copyOf copies a program to a file with another name, which ps then shows.
func copyOf(t *testing.T, from, name string) string {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(to, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestReapLetsPodmanRemoveTheContainer(t *testing.T) {
	cmd, tree, pid := helper(t, "setsid sleep </dev/null >/dev/null 2>&1")
	removed := filepath.Join(t.TempDir(), "removed")
	// This fake conmon removes the container after the container's process has ended.
	conmon := exec.Command(copyOf(t, "/bin/sh", "conmon"), "-c", `while kill -0 "$1"; do sleep .01; done 2>/dev/null; echo >"$2"`,
		"conmon", strconv.Itoa(pid), removed)
	Isolate(conmon)
	conmon.Env = append(os.Environ(), markName+"="+tree.Mark)
	if err := conmon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- conmon.Wait() }()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	Reap(tree)
	if err := <-ended; err != nil {
		t.Errorf("conmon was ended: %v", err)
	}
	if _, err := os.Stat(removed); err != nil {
		t.Errorf("the container was not removed: %v", err)
	}
}

func TestReapEndsConmonWithoutEnd(t *testing.T) {
	_, tree, _ := helper(t, "setsid sleep")
	conmon := exec.Command(copyOf(t, "/bin/sleep", "conmon"), "7777")
	Isolate(conmon)
	conmon.Env = append(os.Environ(), markName+"="+tree.Mark)
	if err := conmon.Start(); err != nil {
		t.Fatal(err)
	}
	Reap(tree)
	_ = conmon.Process.Signal(syscall.SIGTERM) // ends it if Reap has not
	var exit *exec.ExitError
	if err := conmon.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("conmon was left running: %v", err)
	}
}

func TestReapLeavesTheProcessThatAllContainersNeed(t *testing.T) {
	_, tree, _ := helper(t, "setsid sleep")
	pause := exec.Command(copyOf(t, "/bin/bash", "catatonit"), "-P", "-c", "read line") // bash has an option -P too
	Isolate(pause)
	pause.Env = append(os.Environ(), markName+"="+tree.Mark)
	in, err := pause.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := pause.Start(); err != nil {
		t.Fatal(err)
	}
	Reap(tree)
	_ = in.Close()
	var exit *exec.ExitError
	if err := pause.Wait(); errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("the process was ended: %v", err)
	}
}
