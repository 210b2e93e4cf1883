package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// hidden is a script that leaves a process behind, which nothing but its parent connects with the script, and writes the
// ids of itself, that process and its own parent.
const hidden = "(setsid env -i /bin/sleep 1000 </dev/null >/dev/null 2>&1 & echo $$ $! $PPID); "

// alone returns a user on a system without bubblewrap and with this version of Landlock.
func alone(t *testing.T, abi int) *user {
	u := newUser(t)
	u.sandbox.machine.Trees, u.sandbox.machine.ABI = nil, min(abi, u.sandbox.machine.ABI)
	return u
}

// ids reads the ids of the processes that hidden writes.
func ids(t *testing.T, lines *bufio.Scanner) (found []process.ID) {
	t.Helper()
	lines.Scan()
	for word := range strings.FieldsSeq(lines.Text()) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("it wrote %q", lines.Text())
		}
		found = append(found, process.ID{PID: pid, Start: process.StartOf(pid)})
	}
	if len(found) != 3 || !found[1].Alive() {
		t.Fatalf("no process was left behind: %q", lines.Text())
	}
	return found
}

func TestWhatAServerLeavesBehindEndsWithIt(t *testing.T) {
	for script, want := range map[string]int{"read line; exit 3": 3, "read line; kill -9 $$": 137, "read line; kill $$": 143} {
		u := alone(t, confinement.ABISockets)
		cmd, lines, input := u.startOpen("/bin/sh", "-c", hidden+script)
		left := ids(t, lines)
		_ = input.Close()
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%s: %v, want exit status %d", script, err, want)
		}
		if left[1].Alive() {
			t.Errorf("%s: what it has left still runs", script)
		}
	}
}

func TestAServerAndWhatItLeavesEndWithTheHub(t *testing.T) {
	u := alone(t, confinement.ABISockets)
	started, end := make(chan func() (*exec.Cmd, *bufio.Scanner)), make(chan struct{})
	var hub func()
	hub = func() { // the system takes the end of the thread that has started a process for that of the hub
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() { // this thread does not end
			go hub()
		} else {
			cmd, lines, _ := u.startOpen("/bin/sh", "-c", hidden+"trap '' TERM HUP; while :; do sleep 1; done")
			started <- func() (*exec.Cmd, *bufio.Scanner) { return cmd, lines }
		}
		<-end
	}
	go hub()
	cmd, lines := (<-started)()
	found := ids(t, lines)
	close(end)
	_ = cmd.Wait()
	for _, id := range found {
		if id.Alive() {
			t.Errorf("process %d still runs", id.PID)
		}
	}
}

func TestAServerThatIgnoresItsEndIsEndedWithWhatItLeaves(t *testing.T) {
	u := alone(t, confinement.ABISockets)
	cmd, lines, _ := u.startOpen("/bin/sh", "-c", hidden+"trap '' TERM HUP; while :; do sleep 1; done")
	found := ids(t, lines)
	go process.KillReaper(cmd.Process.Pid)
	_ = cmd.Wait()
	for _, id := range found {
		if id.Alive() {
			t.Errorf("process %d still runs", id.PID)
		}
	}
}

func TestTheEndOfTheOutputOfAServerIsSeen(t *testing.T) {
	u := alone(t, confinement.ABISockets)
	cmd, lines, input := u.startOpen("/bin/sh", "-c", "exec >/dev/null; read line")
	if lines.Scan() || lines.Err() != nil {
		t.Errorf("it wrote %q: %v", lines.Text(), lines.Err())
	}
	_ = input.Close()
	_ = cmd.Wait()
}

func TestAServerReachesItsReaperOnlyWithSignalsOfOldKernels(t *testing.T) {
	if machine.ABI < confinement.ABIScopes {
		t.Skip("the kernel's Landlock has no scopes")
	}
	for abi, want := range map[int]string{machine.ABI: "refused", confinement.ABIScopes - 1: ""} {
		u := alone(t, abi)
		cmd, lines, input := u.startOpen("/bin/sh", "-c", "echo $$ $PPID; if kill -9 $PPID; then read line; fi; echo refused")
		lines.Scan()
		var server, reaper int
		if _, err := fmt.Sscan(lines.Text(), &server, &reaper); err != nil || reaper != cmd.Process.Pid {
			t.Fatalf("it wrote %q", lines.Text())
		}
		id := process.ID{PID: server, Start: process.StartOf(server)}
		lines.Scan()
		if got := lines.Text(); want != "" && got != want {
			t.Errorf("ABI %d: it wrote %q", abi, got)
		}
		_, _ = input.Close(), cmd.Wait()
		if id.Alive() { // after the end of the reaper, the system ends the server
			id.AwaitEnd(t.Context(), 10*time.Second, nil)
		}
		if id.Alive() {
			t.Errorf("ABI %d: the server still runs", abi)
		}
	}
}
