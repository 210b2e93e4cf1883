//go:build linux

package desktoptest

import (
	"os/exec"
	"testing"
)

// Require skips a test if a program is not installed.
func Require(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; build/setup.sh desktop-test installs it", program)
		}
	}
}

// Display runs an X server without a screen until the test ends, and returns its DISPLAY value.
func Display(t testing.TB) string {
	t.Helper()
	Require(t, "Xvfb")
	d := new(Desktop)
	t.Cleanup(d.Close)
	if err := d.startDisplay(); err != nil {
		t.Fatalf("display: %v", err)
	}
	return d.display
}
