//go:build unix

package process

import (
	"context"
	"syscall"
	"time"
)

// hangupTimeout is how long KillReaper waits for a reaper to end its descendants.
const hangupTimeout = time.Second

// KillReaper ends an isolated command that ends all its descendants when it gets SIGHUP, in whatever group and session
// they are. If the command does not end soon or has ended before, KillReaper is Kill.
func KillReaper(pid int) {
	id := ID{PID: pid, Start: StartOf(pid)}
	_ = syscall.Kill(pid, syscall.SIGHUP)
	if id.Start == "" || !id.AwaitEnd(context.Background(), hangupTimeout, nil) {
		Kill(pid)
	}
}
