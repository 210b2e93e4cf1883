//go:build linux

// Package desktest gives a test a desktop of its own: a display without a screen,
// and a panel that shows tray icons as a panel does, read over D-Bus. It is for
// tests only.
package desktest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Need skips a test where a program is not installed.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; build/setup.sh desktop installs it", program)
		}
	}
}

// Display runs an X server without a screen until the test ends and returns its
// address.
func Display(t testing.TB) string {
	t.Helper()
	Need(t, "Xvfb")
	numbers, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = numbers.Close() }()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM) // it may be gone
		_ = server.Wait()
	})
	number, err := bufio.NewReader(numbers).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb named no display: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}
