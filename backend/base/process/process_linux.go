package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})

// StartOf returns the boot and start time of a process as an opaque text, "" if it
// does not run. Zombies do not count as running.
func StartOf(pid int) string {
	stat := statOf(strconv.Itoa(pid))
	if stat == nil {
		return ""
	}
	return bootID() + "/" + stat[19]
}

// statOf returns the fields of /proc/pid/stat from the state on, nil if the process
// does not exist or is a zombie.
func statOf(pid string) []string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	// The second field is the program's name in parentheses, which may contain any
	// bytes.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return fields
}

// ownsGroup reports whether the process group whose id is the command's pid still
// belongs to the command. The kernel reuses a pid only after the group with that id
// is empty.
func (t Tree) ownsGroup() bool {
	if start := StartOf(t.PID); start != "" && start != t.Start {
		return false
	}
	boot, _, _ := strings.Cut(t.Start, "/")
	return boot == bootID()
}

// processes lists all processes except zombies.
func processes() []relative {
	entries, _ := os.ReadDir("/proc")
	var all []relative
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if stat := statOf(e.Name()); stat != nil {
			parent, _ := strconv.Atoi(stat[1])
			group, _ := strconv.Atoi(stat[2])
			all = append(all, relative{ID{pid, bootID() + "/" + stat[19]}, parent, group})
		}
	}
	return all
}

// hasMark reports whether a process has inherited a mark. The environment of
// other users' processes cannot be read.
func hasMark(pid int, mark string) bool {
	environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return slices.Contains(strings.Split(string(environ), "\x00"), markName+"="+mark)
}

// executing reports whether a process is in the middle of execve: it runs a program,
// but the arguments and environment of that program cannot be read yet.
func executing(p relative) bool {
	folder := "/proc/" + strconv.Itoa(p.PID)
	arguments, err := os.ReadFile(folder + "/cmdline")
	if err != nil || len(arguments) > 0 {
		return false
	}
	_, err = os.Readlink(folder + "/exe") // threads of the kernel and ended processes have no program
	return err == nil
}

// uses reports whether a standard stream of a process is one of these pipes. It
// ignores all other open files, because a new process briefly has those of its parent.
func uses(pid int, pipes []*os.File) bool {
	for fd := range 3 {
		info, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(fd))
		if err != nil {
			continue
		}
		for _, pipe := range pipes {
			if own, err := pipe.Stat(); err == nil && os.SameFile(own, info) {
				return true
			}
		}
	}
	return false
}
