package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithParent(*syscall.SysProcAttr) {} // macOS has no such setting; the next hub ends orphans with Reap

// StartOf returns the start time of a process as an opaque text, "" if it does not
// run. Zombies do not count as running.
func StartOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}

// ownsGroup reports whether the process group whose id is the command's pid still
// belongs to the command.
func (t Tree) ownsGroup() bool {
	start := StartOf(t.PID)
	return start == "" || start == t.Start
}

// zombie is the state of a process that has ended, SZOMB in sys/proc.h.
const zombie = 5

// processes lists the processes of this user except zombies.
func processes() []relative {
	list, _ := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	var all []relative
	for _, info := range list {
		if info.Proc.P_stat != zombie {
			id := ID{int(info.Proc.P_pid), fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)}
			all = append(all, relative{id, int(info.Eproc.Ppid), int(info.Eproc.Pgid)})
		}
	}
	return all
}

// hasMark reports whether a process has inherited a mark. The arguments of a
// process are followed by its environment, which the system hides if the program
// belongs to the system or has the hardened runtime. Members then finds the
// process only by its group and parents.
func hasMark(pid int, mark string) bool {
	arguments, _ := unix.SysctlRaw("kern.procargs2", pid)
	return slices.Contains(strings.Split(string(arguments), "\x00"), markName+"="+mark)
}

// removesContainer returns false: podman runs containers in a virtual machine.
func removesContainer(relative, []Tree) bool { return false }

// servesAllContainers returns false for the same reason as removesContainer.
func servesAllContainers(relative) bool { return false }

// executing returns false. On macOS, a process in the middle of execve shows its old
// arguments and environment until the new ones can be read, so there is no moment in
// which it has neither.
func executing(relative) bool { return false }

// uses returns false: without cgo, this program cannot find out which files another
// process has open.
func uses(int, []*os.File) bool { return false }
