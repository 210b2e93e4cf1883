//go:build unix

// Package freeze stops processes in tests, so that they behave like programs that hang.
package freeze

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// Process stops a process until it gets SIGCONT. It returns once all threads of the process have stopped, which
// takes a while on a loaded machine.
func Process(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for {
		threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat") // none on systems without /proc
		if !slices.ContainsFunc(threads, runs) {
			return
		}
	}
}

// runs reports whether the thread with the given stat file has not stopped. In the file, the state follows the name in
// parentheses.
func runs(stat string) bool {
	data, err := os.ReadFile(stat)
	return err == nil && !bytes.HasPrefix(data[bytes.LastIndexByte(data, ')')+1:], []byte(" T"))
}
