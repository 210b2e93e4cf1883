//go:build unix

package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
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
	folder := paths.Folder(filepath.Join(dir, "data"))
	hub, err := Open(t.Context(), Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(t.Context()) }()
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
	if info, err := instance.Read(folder); err != nil || info.Port == 0 || process.StartOf(pid) == "" {
		t.Errorf("the hub is not announced while the login shell runs: %+v, %v", info, err)
	}
	hub.Stop()
	if err := errors.Join(<-ended, hub.Close()); err != nil {
		t.Error(err)
	}
	if process.StartOf(pid) != "" {
		t.Errorf("the login shell, process %d, still runs", pid)
	}
}
