package process

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithParent(*syscall.SysProcAttr) {} // macOS has no such thing; Reap does it

// StartOf returns when a process began, "" when there is none.
func StartOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}

// Reap ends what is left of the group that an isolated command led, while the
// leader's pid has not gone to another process.
func Reap(id ID) {
	if start := StartOf(id.PID); start == "" || start == id.Start {
		Kill(id.PID)
	}
}
