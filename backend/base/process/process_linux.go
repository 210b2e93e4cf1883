package process

import (
	"bytes"
	"os"
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

// Reap ends the remaining processes of the group of an isolated command. It does
// nothing if another process has its pid now: the kernel reuses a pid only after
// the group with that number is empty.
func Reap(id ID) {
	if start := StartOf(id.PID); start != "" && start != id.Start {
		return
	}
	if boot, _, _ := strings.Cut(id.Start, "/"); boot == bootID() && groupLives(id.PID) {
		Kill(id.PID)
	}
}

func groupLives(group int) bool {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		if stat := statOf(e.Name()); stat != nil && stat[2] == strconv.Itoa(group) {
			return true
		}
	}
	return false
}
