package process

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithParent(*syscall.SysProcAttr) {} // macOS has no such setting; Reap ends orphans

// StartOf returns the start time of a process as an opaque text, "" if it does not
// run.
func StartOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}

// Reap ends the remaining processes of the group of an isolated command, unless
// another process has its pid now.
func Reap(id ID) {
	if start := StartOf(id.PID); start == "" || start == id.Start {
		Kill(id.PID)
	}
}
