//go:build desktop

// The tests behind the tag desktop run the window that was built, on a display of their own.
package app

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTheWindowOpensAndCarriesTheProductsName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Xvfb and xdotool")
	}
	binary, err := filepath.Abs("../bin/agent-discover-desktop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("%v (make desktop builds it)", err)
	}
	env := append(os.Environ(), "DISPLAY="+startDisplay(t), "WAYLAND_DISPLAY=", "GDK_BACKEND=x11", "HOME="+t.TempDir())

	window := exec.Command(binary)
	window.Env = env
	window.Stdout, window.Stderr = t.Output(), t.Output()
	if err := window.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- window.Wait() }()
	defer window.Process.Kill()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	search := exec.CommandContext(ctx, "xdotool", "search", "--sync", "--onlyvisible", "--name", "^"+Title+"$")
	search.Env = env
	found := make(chan error, 1)
	go func() {
		ids, err := search.Output()
		if err == nil && len(strings.Fields(string(ids))) != 1 {
			err = fmt.Errorf("%d windows", len(strings.Fields(string(ids))))
		}
		found <- err
	}()
	select {
	case err := <-found:
		if err != nil {
			t.Fatalf("find a window named %q: %v", Title, err)
		}
	case err := <-ended:
		t.Fatalf("the program ended before its window showed: %v", err)
	}

	if err := window.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("still running 20 s after SIGTERM")
	}
}

// startDisplay runs an X server without a screen until the test ends and returns its address.
func startDisplay(t *testing.T) string {
	t.Helper()
	numbers, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer numbers.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	server.Stderr = t.Output()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGTERM)
		server.Wait()
	})

	number, err := bufio.NewReader(numbers).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb named no display: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}
