//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestACommandInACopiedFolderLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Must("servers", "add", "plain", "--no-start", "--", "true")
	other := programtest.NewHome(t)
	if out, err := exec.Command("cp", "-a", string(h.Folder), string(other.Folder)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	out := other.Run("status")
	if out.Code != 3 {
		t.Errorf("status: exit code %d: %s", out.Code, out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "was copied", string(h.Folder), "left alone")
	programtest.Contains(t, other.Run("doctor").Stdout, "belongs to the hub of "+string(h.Folder))
	programtest.Contains(t, other.Must("servers", "remove", "plain", "--yes"), "Removed server plain")
	if info := other.RunningHub(); info.PID == s.PID {
		t.Error("the copy uses the hub of the original")
	}
	other.Must("stop")

	if !programtest.Alive(s.PID) {
		t.Error("stop in the copy has stopped the hub of the original")
	}
	programtest.Contains(t, h.Must("servers", "list"), "plain")
}

func TestAHubWhoseAnnouncementIsLostWritesItAgainAndCanBeStopped(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(file string) error{
		"removed": os.Remove, "truncated": func(file string) error { return os.WriteFile(file, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			s := h.Serve()
			if err := lose(h.Folder.Run("hub.json")); err != nil {
				t.Fatal(err)
			}
			if info := h.RunningHub(); info.PID != s.PID || info.Token != s.Token {
				t.Errorf("the hub is now %d", info.PID)
			}
			if err := lose(h.Folder.Run("hub.json")); err != nil {
				t.Fatal(err)
			}
			programtest.Contains(t, h.Must("stop"), "The hub is stopped")
			if programtest.Alive(s.PID) {
				t.Error("stop says that the hub is stopped, but it runs")
			}
		})
	}
}

func TestAHubThatHangsIsNamedAndEndedByForce(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"stop", "restart"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			s := h.Serve()
			programtest.Signal(t, s.PID, syscall.SIGSTOP)
			process := "process " + strconv.Itoa(s.PID)

			for _, ask := range []string{"status", "doctor", command} {
				out := h.Run(ask)
				if out.Code != 3 {
					t.Errorf("%s: exit code %d", ask, out.Code)
				}
				programtest.Contains(t, out.Stdout+out.Stderr, process, "does not answer", "stop --force")
			}
			programtest.Contains(t, h.Run("doctor").Stdout, "ERROR    hub:")
			h.Must(command, "--force")

			if programtest.Alive(s.PID) {
				t.Error("the hub runs on")
			}
			if command == "restart" && h.RunningHub().PID == s.PID {
				t.Error("no other hub was started")
			}
		})
	}
}

func TestAHubWithoutAnnouncementThatHangsIsNamedAndEndedByForce(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	programtest.Signal(t, s.PID, syscall.SIGSTOP)
	if err := os.Remove(h.Folder.Run("hub.json")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"status", "doctor", "stop", "start"} {
		out := h.Run(command)
		if out.Code != 3 {
			t.Errorf("%s: exit code %d", command, out.Code)
		}
		programtest.Contains(t, out.Stdout+out.Stderr, "process "+strconv.Itoa(s.PID), "does not say its address", "stop --force")
	}
	h.Must("stop", "--force")
	if programtest.Alive(s.PID) {
		t.Error("the hub runs on")
	}
	h.Must("start")
}

func TestAHubEndsWhenItsFilesAreTaken(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		take func(f paths.Folder) error
		why  string
	}{
		"lock removed":  {func(f paths.Folder) error { return os.Remove(f.Run("lock")) }, "lock was removed"},
		"folder moved":  {func(f paths.Folder) error { return os.Rename(string(f), string(f)+".away") }, "lock was removed"},
		"calls removed": {func(f paths.Folder) error { return os.Remove(f.BegunCalls()) }, "calls.begun was removed"},
		"database removed": {func(f paths.Folder) error {
			for _, file := range paths.Glob(string(f), "discover.db*") {
				if err := os.Remove(file); err != nil {
					return err
				}
			}
			return nil
		}, "discover.db was removed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			s := h.Serve()
			h.Must("servers", "add", "plain", "--no-start", "--", "true")
			if err := row.take(h.Folder); err != nil {
				t.Fatal(err)
			}
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			programtest.Contains(t, s.Stderr.String(), "this hub ends", row.why)
			if name == "folder moved" {
				if _, err := os.Stat(string(h.Folder)); err == nil {
					t.Errorf("the hub has created its folder again, with %q", paths.Glob(string(h.Folder), "*/*"))
				}
				if err := os.Rename(string(h.Folder)+".away", string(h.Folder)); err != nil {
					t.Fatal(err)
				}
			} else {
				programtest.Contains(t, h.Run("doctor").Stdout, "the last one ended because", row.why)
			}
			programtest.Contains(t, h.Must("servers", "list"), "plain")
		})
	}
}

func TestSettingsThatAreAPipeDelayNothing(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	if err := h.Folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(h.Folder.Config(), 0o600); err != nil {
		t.Fatal(err)
	}
	out := h.Run("start")
	if out.Code != 3 {
		t.Errorf("start: exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "config.yaml", "not a regular file")
	// The command reports the error as soon as the hub has, which ends a moment later.
	programtest.Eventually(t, "no hub holds the lock", func() bool { _, held := instance.Holder(h.Folder); return !held })
	if err := os.Remove(h.Folder.Config()); err != nil {
		t.Fatal(err)
	}
	s := h.Serve()
	if err := syscall.Mkfifo(h.Folder.Config(), 0o600); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the hub reports the pipe", func() bool { return strings.Contains(s.Stderr.String(), "not a regular file") })
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheDataFolderDoesNotDependOnTheCurrentFolder(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_HOME", "data")
	out := h.Run("status")
	if out.Code != 1 {
		t.Errorf("exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "AGENT_DISCOVER_HOME", "absolute path")
	h.Set("AGENT_DISCOVER_HOME", "~/data")
	h.Must("servers", "list")
	if _, err := os.Stat(filepath.Join(h.Dir, "data", "discover.db")); err != nil {
		t.Error(err)
	}
}
