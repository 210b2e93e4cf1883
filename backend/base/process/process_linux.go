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

// StartOf returns when a process began, "" when there is none (a zombie
// counts as none).
func StartOf(pid int) string {
	stat := statOf(strconv.Itoa(pid))
	if stat == nil {
		return ""
	}
	return bootID() + "/" + stat[19]
}

// statOf returns the fields of /proc/pid/stat from the state on, nil for a
// process that is gone or a zombie.
func statOf(pid string) []string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	// The second field is the program's name in brackets and may hold any byte.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return fields
}

// Reap ends what is left of the group that an isolated command led. It does
// nothing when the leader's pid has gone to another process: the kernel gives
// a number away only after its group is empty too.
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
