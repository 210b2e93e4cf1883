//go:build unix

package prerequisites

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestThisMachineIsProbed(t *testing.T) {
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { // returns when no process has the file open for writing
		file, err := os.Open(alive)
		if err == nil {
			_, err = io.ReadAll(file)
			err = errors.Join(err, file.Close())
		}
		ended <- err
	}()
	for name, script := range map[string]string{
		"node":   "echo v21.2.3",
		"podman": "echo 'Error: cannot set up namespace' >&2; exit 125",
		"docker": "exec 3>" + alive + "; sleep 60 & wait",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := New(Options{
		Environment: func(context.Context) process.Env {
			return process.Env{"PATH=" + dir + string(filepath.ListSeparator) + "/usr/bin:/bin", "HOME=" + dir}
		},
		Machine: ThisMachine(process.Env{"DISPLAY=:0"}),
	})
	if m := c.options.Machine; !m.Desktop || m.OS != runtime.GOOS {
		t.Errorf("the machine is %+v", m)
	}
	c.timeout = time.Second
	began := time.Now()
	report := c.Check(t.Context())
	if got := report.Program(Node); !got.Works || got.Version != "21.2.3" || got.Path != filepath.Join(dir, "node") {
		t.Errorf("node is %+v", got)
	}
	if got := report.Program(Podman); got.Works ||
		got.Problem != "podman is installed, but it cannot run containers: Error: cannot set up namespace." {
		t.Errorf("podman is %+v", got)
	}
	if got := report.Program(Docker); got.Works || !strings.Contains(got.Problem, "did not answer") || time.Since(began) > 30*time.Second {
		t.Errorf("docker is %+v after %s", got, time.Since(began))
	}
	if err := <-ended; err != nil || time.Since(began) > 30*time.Second {
		t.Errorf("the child of a program that does not answer lived for %s (%v)", time.Since(began), err)
	}
}
