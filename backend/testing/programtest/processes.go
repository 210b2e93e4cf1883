//go:build linux

package programtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// processes lists the living processes of this home whose command line holds a
// text. They are known by the HOME that they were started with.
func (h *Home) Processes(holding string) []int {
	var pids []int
	for _, pid := range allProcesses() {
		environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), "HOME="+h.Dir) {
			continue
		}
		if Alive(pid) && strings.Contains(CommandLine(pid), holding) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func allProcesses() []int {
	entries, _ := os.ReadDir("/proc") // none read, none found: the caller notices
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func CommandLine(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
}

// stat returns the fields of /proc/pid/stat from the state on.
func stat(pid int) []string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// alive reports whether a process is there and no zombie.
func Alive(pid int) bool {
	fields := stat(pid)
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// group returns the process group of a process, 0 when it is gone.
func ProcessGroup(pid int) int {
	fields := stat(pid)
	if len(fields) < 3 {
		return 0
	}
	n, _ := strconv.Atoi(fields[2])
	return n
}

// gone waits until processes are no more.
func AwaitExit(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		Eventually(t, "process "+strconv.Itoa(pid)+" is gone: "+CommandLine(pid), func() bool { return !Alive(pid) })
	}
}
