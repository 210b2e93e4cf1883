//go:build unix

package hub

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestStartDoesNotWaitForTheLoginShellWhichEndsWithTheHub(t *testing.T) {
	dir := t.TempDir()
	shell, pidFile := filepath.Join(dir, "shell"), filepath.Join(dir, "pid")
	script := "#!/bin/sh\necho $$ > " + pidFile + ".new; mv " + pidFile + ".new " + pidFile + "; exec sleep 600\n"
	if err := os.WriteFile(shell, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHELL", shell)
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	hub, err := Open(t.Context(), Options{Folder: paths.Folder(filepath.Join(dir, "data"))})
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); pid == 0; <-tick.C {
		if time.Since(began) > time.Minute {
			t.Fatal("the login shell was not started in time")
		}
		data, _ := os.ReadFile(pidFile)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
	}
	if process.StartOf(pid) == "" {
		t.Error("Open waited until the login shell had ended")
	}
	if err := hub.Close(); err != nil {
		t.Error(err)
	}
	if process.StartOf(pid) != "" {
		t.Errorf("the login shell, process %d, still runs", pid)
	}
}
