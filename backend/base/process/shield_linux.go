package process

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// StartShielded starts a command that does not react to SIGTERM. It suits a program that only waits for another one, and
// that would otherwise end first. Its descendants inherit this until they call UnblockTerminate.
func StartShielded(cmd *exec.Cmd) error {
	// A new process inherits the blocked signals of the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, termination(), &before); err != nil {
		return fmt.Errorf("block SIGTERM: %w", err)
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) }()
	return cmd.Start()
}

// UnblockTerminate makes the calling thread, and the program that it becomes, react to SIGTERM.
func UnblockTerminate() error {
	if err := unix.PthreadSigmask(unix.SIG_UNBLOCK, termination(), nil); err != nil {
		return fmt.Errorf("unblock SIGTERM: %w", err)
	}
	return nil
}

// termination returns the set of signals that contains only SIGTERM.
func termination() *unix.Sigset_t {
	var set unix.Sigset_t
	bits := uint(len(set.Val)) // the size of a word follows from the size of the set, which has 1,024 signals
	bits = 1024 / bits
	n := uint(unix.SIGTERM) - 1
	set.Val[n/bits] |= 1 << (n % bits)
	return &set
}
