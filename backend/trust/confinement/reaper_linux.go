package confinement

import (
	"errors"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// exitSignal is added to the number of the signal that has ended the program, as in bubblewrap and shells.
const exitSignal = 128

// reap starts the program of a spec in a new process, which is confined, and waits for its end. Then it ends the processes
// that the program has left. It also does so when the hub ends, and when it gets SIGHUP. It returns the exit status of the
// program.
//
// This process is not confined. With the scopes of Landlock, the program can send it no signals; without them, it can kill
// it, and the hub ends what it finds. It can never trace this process or read its memory.
//
// The calling goroutine must be locked to its thread, whose end would end the program.
func reap(s spec) (status int, err error) {
	process.Protect()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become a reaper: %w", err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM) // which the program gets, too, because it is in the same group
	// Until now, the end of the hub has killed this process, which had no child yet.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGHUP), 0, 0, 0); err != nil {
		return 0, fmt.Errorf("watch the hub: %w", err)
	}
	pid, handle, err := start(s)
	if err != nil {
		return 0, err
	}
	go func() {
		<-ended
		_ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) // it may have ended
	}()
	for {
		var of unix.WaitStatus
		child, err := unix.Wait4(-1, &of, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait for the program: %w", err)
		case child == pid:
			endDescendants()
			if of.Signaled() {
				return exitSignal + int(of.Signal()), nil
			}
			return of.ExitStatus(), nil
		}
	}
}

// endDescendants ends the processes that descend from this one, until none is left.
func endDescendants() {
	for {
		child, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return
		case err != nil || child > 0:
			continue
		}
		for _, id := range process.Descendants() {
			_ = unix.Kill(id.PID, unix.SIGKILL) // it may have ended
		}
		_, _ = unix.Wait4(-1, nil, 0, nil) // returns when one has ended
	}
}
