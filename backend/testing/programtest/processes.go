//go:build linux

package programtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Processes returns the ids of the running processes of this home whose command line
// contains a text. They are recognized by HOME in their environment.
func (h *Home) Processes(text string) []int {
	var pids []int
	for _, pid := range allProcesses() {
		environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), "HOME="+h.Dir) {
			continue
		}
		if Alive(pid) && strings.Contains(CommandLine(pid), text) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// allProcesses returns the ids of all processes of this machine.
func allProcesses() []int {
	entries, _ := os.ReadDir("/proc") // without /proc the tests that start processes fail
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// CommandLine returns the command line of a process, "" if it has ended.
func CommandLine(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
}

// stat returns the fields of /proc/PID/stat, beginning with the state; nil if the process
// has ended.
func stat(pid int) []string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// Alive reports whether a process is running and not a zombie.
func Alive(pid int) bool {
	fields := stat(pid)
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// ProcessGroup returns the process group of a process, 0 if it has ended.
func ProcessGroup(pid int) int {
	fields := stat(pid)
	if len(fields) < 3 {
		return 0
	}
	n, _ := strconv.Atoi(fields[2])
	return n
}

// AwaitExit waits until processes have ended.
func AwaitExit(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		Eventually(t, "process "+strconv.Itoa(pid)+" ends: "+CommandLine(pid), func() bool { return !Alive(pid) })
	}
}

// Signal sends a signal to a process.
func Signal(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatalf("send signal %d to process %d: %v", signal, pid, err)
	}
}
