//go:build unix

package prefetch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestOutputOfAFailedProgramIsRedacted(t *testing.T) {
	output, err := run(t.Context(), process.Clean(), "/bin/sh", "-c", "seq 1000; echo 404 for npm_abcdefghijklmnopqrstuvwxyz0123456789 >&2; exit 3")
	if _, exited := errors.AsType[*exec.ExitError](err); !exited || len(output) > maxOutput || !strings.Contains(output, "999\n1000\n404 for") || strings.Contains(output, "npm_abc") {
		t.Errorf("got %q, %v", output, err)
	}
}

func TestCancelKillsAProgramAndItsChildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := run(ctx, process.Clean(), "/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $! $$ > "+file+".new; mv "+file+".new "+file+"; wait")
		ended <- err
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var pids []byte
	for len(pids) == 0 {
		<-tick.C
		pids, _ = os.ReadFile(file) // fails until the program has written the file
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the cancelled program succeeded")
	}
	late := time.After(10 * time.Second)
	for _, field := range strings.Fields(string(pids)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		for process.StartOf(pid) != "" {
			select {
			case <-tick.C:
			case <-late:
				t.Fatalf("process %d is still running", pid)
			}
		}
	}
}
