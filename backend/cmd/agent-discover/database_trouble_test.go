//go:build linux

package main_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestALockedDatabaseIsNamedAndDelaysNoAgent(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	other, err := sql.Open("sqlite", h.Folder.Database()+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	lock, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}

	c.Find("give back the text")
	if !slices.Contains(c.Tools(), "fake__echo") {
		t.Errorf("find_tool added no tool: %v", c.Tools())
	}
	if got := c.Tool("fake__echo", `{"text":"hello"}`); got != "hello" {
		t.Errorf("got %q", got)
	}
	out := h.Run("servers", "add", "another", "--no-start", "--", "true")
	if out.Code != 3 {
		t.Errorf("servers add: exit code %d", out.Code)
	}
	holder := fmt.Sprintf("locked it (process %d,", os.Getpid())
	programtest.Contains(t, out.Stderr, h.Folder.Database(), "in use by another program", holder, "close that program and try again")
	programtest.Eventually(t, "doctor names the lock", func() bool {
		return strings.Contains(h.Run("doctor").Stdout, holder)
	})
	programtest.Contains(t, h.Must("status"), "Problem:", "in use by another program", "entries of the log are kept")

	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the log has the calls", func() bool {
		return strings.Contains(h.Must("logs"), "fake__echo") && !strings.Contains(h.Must("status"), "Problem:")
	})
	programtest.Eventually(t, "the session tools are stored", func() bool {
		var n int
		err := other.QueryRow("SELECT count(*) FROM lenses WHERE lent LIKE '%echo%'").Scan(&n)
		return err == nil && n == 1
	})
	before, notified := c.Tools(), c.Count(programtest.ToolListChanged)
	s.Kill()
	c.AwaitCount(programtest.ToolListChanged, notified+1)
	if after := c.Tools(); !slices.Equal(after, before) {
		t.Errorf("the list is %v after the restart, before it was %v", after, before)
	}
	h.Must("servers", "add", "another", "--no-start", "--", "true")
}

// fullDisk mounts a small disk for the data folder. It returns a function that
// fills the disk, and one that makes room on it.
func fullDisk(t *testing.T, h *programtest.Home) (fill, empty func()) {
	t.Helper()
	if err := h.Folder.Create(); err != nil {
		t.Fatal(err)
	}
	switch err := syscall.Mount("tmpfs", string(h.Folder), "tmpfs", 0, "size=8m"); {
	case errors.Is(err, syscall.EPERM):
		t.Skip("only root may mount a small disk")
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(string(h.Folder), syscall.MNT_DETACH) })
	filler := filepath.Join(string(h.Folder), "filler")
	fill = func() {
		t.Helper()
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	return fill, func() {
		t.Helper()
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCallsThatMustBeRecordedAreRefusedOnAFullDisk(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	fill, empty := fullDisk(t, h)
	h.Settings("audit: {required: true}\n")
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	fill()
	long, answered := strings.Repeat("long ", 1000), 0
	for ; answered < 5000; answered++ {
		if result := c.ToolResult(c.StartTool("fake__echo", `{"text":"`+long+`"}`)); result.IsError {
			programtest.Contains(t, result.Text(), "it cannot be recorded", "audit.required")
			break
		}
	}
	if answered < 100 || answered == 5000 {
		t.Errorf("%d calls were answered", answered)
	}
	c.Close() // it would start a hub of its own
	s.Kill()
	empty()
	h.Serve()
	programtest.Eventually(t, "all calls that were answered are in the audit log", func() bool {
		return strings.Count(h.Must("audit", "export"), `"tool":"echo"`) >= answered
	})
}

func TestCallsThatAFullDiskDidNotTakeAreNamed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	fill, empty := fullDisk(t, h)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	fill()
	const calls = 1500 // more than the reserved space has room for
	long := strings.Repeat("long ", 1000)
	for range calls {
		if got := c.Tool("fake__echo", `{"text":"`+long+`"}`); got != long {
			t.Fatalf("got %q", got)
		}
	}
	programtest.Eventually(t, "audit verify names what waits", func() bool {
		var report audit.Report
		h.MustJSON(&report, "audit", "verify", "--json")
		return report.Waiting >= calls-100 && strings.Contains(report.WaitingFor, "no space left")
	})
	programtest.Contains(t, h.Must("audit", "verify"), "entries are in memory and not in the log yet: no space left")
	c.Close() // it would start a hub of its own
	s.Kill()
	empty()
	h.Serve()
	programtest.Eventually(t, "each call is in the audit log or counted as missing", func() bool {
		var report audit.Report
		h.MustJSON(&report, "audit", "verify", "--json")
		return len(report.Gaps) == 1 && report.Intact &&
			int(report.Gaps[0].Count)+strings.Count(h.Must("audit", "export"), `"tool":"echo"`) == calls
	})
	programtest.Contains(t, h.Must("audit", "verify"), "entries could not be stored, because the disk did not take entries from")
}

func TestAFullDiskIsReportedAndTheHubCanBeStopped(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	fill, empty := fullDisk(t, h)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	fill()

	long := strings.Repeat("long ", 1000)
	for range 100 { // more than the write-ahead log has room for
		if got := c.Tool("fake__echo", `{"text":"`+long+`"}`); got != long {
			t.Fatalf("got %q", got)
		}
	}
	out := h.Run("servers", "add", "another", "--no-start", "--", "true", strings.Repeat("x", 100_000))
	if out.Code != 3 {
		t.Errorf("servers add: exit code %d, %s", out.Code, out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "no space left", string(h.Folder))
	out = h.Run("doctor")
	programtest.Contains(t, out.Stdout, "no space left")
	if out.Code != 3 {
		t.Errorf("doctor: exit code %d", out.Code)
	}
	programtest.Eventually(t, "the status names the problem", func() bool {
		status := h.Must("status")
		return strings.Contains(status, "Problem: no space left") && strings.Contains(status, "entries of the log are kept")
	})

	empty()
	programtest.Eventually(t, "all calls are in the log", func() bool {
		return strings.Contains(h.Must("logs", "--kind", "call"), "of 100 entries")
	})
	fill()
	programtest.Contains(t, h.Must("stop"), "stopped")
	if code := s.Exit(); code != 0 {
		t.Errorf("the hub ended with exit code %d", code)
	}
	programtest.Contains(t, h.Run("status").Stdout, "stopped by the user")
	empty()
	h.Serve()
	programtest.Contains(t, h.Must("servers", "list"), "fake")
}

func TestAHubThatFindsAFullDiskSaysWhyItDoesNotStart(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	fill, empty := fullDisk(t, h)
	fill()
	out := h.Run("serve")
	if out.Code != 3 {
		t.Errorf("exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "no space left", string(h.Folder))
	empty()
	h.Serve()
	h.Must("stop")
}
