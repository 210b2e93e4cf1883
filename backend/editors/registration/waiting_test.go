package registration

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// desktopRig returns a machine on which Claude Desktop is running while the value of running is
// true.
func desktopRig(t *testing.T) (rg *rig, running *atomic.Bool) {
	t.Helper()
	rg, running = newRig(t, "linux"), new(atomic.Bool)
	running.Store(true)
	rg.again(func(o *Options) {
		o.Running = func(_ context.Context, names []string) bool {
			if len(names) != 1 || names[0] != "claude-desktop" {
				t.Errorf("Running was called for %v", names)
			}
			return running.Load()
		}
	})
	return rg, running
}

func TestChangesWaitUntilTheEditorHasExited(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"claude-desktop"}})
	if err != nil || !plans[0].Wait || len(plans[0].Diff) == 0 {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	out := rg.do(Request{Action: Register, Editors: []string{"claude-desktop"}}, waiting)
	if !strings.HasPrefix(out[0].Change, pendingID) || !strings.Contains(out[0].Reload, "Quit Claude Desktop") {
		t.Errorf("outcome is %+v", out)
	}
	if s := rg.is("claude-desktop", Waiting); !s.Running {
		t.Error("Running is false")
	}
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	rg.again(nil) // pending changes survive a restart
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Registered)
	if len(rg.saved.pending()) > 0 {
		t.Error("the pending change was not deleted")
	}
	history, _ := rg.History(t.Context(), "")
	if len(history) != 1 || history[0].By != "person" {
		t.Errorf("history is %+v", history)
	}
	rg.write(path, "{}") // the editor overwrites the file from its memory
	rg.is("claude-desktop", Dropped)
}

func TestPendingChangesCanBeCancelled(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	rg.register("claude-desktop", waiting)
	plans, err := rg.Plan(t.Context(), Request{Action: Unregister, Editors: []string{"claude-desktop"}})
	if err != nil || plans[0].Nothing || plans[0].Wait {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	rg.do(Request{Action: Unregister, All: true}, done)
	rg.is("claude-desktop", Absent)
	pending := rg.register("claude-desktop", waiting)
	if plans, err := rg.PlanUndo(t.Context(), []string{pending}); err != nil || len(plans) != 1 || plans[0].Problem != "" {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	rg.undo(done, pending)
	rg.is("claude-desktop", Absent)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")

	change := rg.register("claude-desktop", done)
	running.Store(true)
	rg.unregister("claude-desktop", waiting)
	rg.is("claude-desktop", Waiting)
	rg.register("claude-desktop", done) // nothing is left to change
	rg.is("claude-desktop", Registered)
	rg.undo(waiting, change)
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	rg.is("claude-desktop", Absent)
}

func TestRemovalsOfServersCanBePending(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	file := rg.found("claude-desktop").Files[0]
	for _, name := range []string{"a", "a", "b"} {
		if out, err := rg.TakeOut(t.Context(), "claude-desktop", file, []string{name}); err != nil || out.Status != waiting {
			t.Fatalf("outcomes are %+v, %v", out, err)
		}
	}
	rg.register("claude-desktop", waiting)
	if pending := rg.saved.pending(); len(pending) != 3 {
		t.Errorf("pending changes are %+v", pending)
	}
	running.Store(false)
	rg.scan(t.Context(), nil)
	if got := rg.entries(path, file.Place); got != Name+" " {
		t.Errorf("the entries are %q", got)
	}
}

func TestPendingChangesThatFailKeepTheReason(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	rg.register("claude-desktop", waiting)
	running.Store(false)
	rg.mode(path, 0o444)
	rg.scan(t.Context(), nil)
	if pending := rg.saved.pending(); len(pending) != 1 || !strings.Contains(pending[0].Problem, "read-only") {
		t.Errorf("pending changes are %+v", pending)
	}
	rg.mode(path, 0o644)
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Registered)
}

// watched calls test while Run runs in a synctest bubble with fake time.
func watched(t *testing.T, rg *rig, test func(changed <-chan Changed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rg.again(nil) // its channels must belong to the bubble
		changed, stop := events.Subscribe[Changed](rg.options.Bus, 100)
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- rg.Registrar.Run(ctx) }()
		synctest.Wait()
		test(changed)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// within reports whether a Changed event arrives within d.
func within(changed <-chan Changed, d time.Duration) bool {
	select {
	case <-changed:
		return true
	case <-time.After(d):
		return false
	}
}

func TestPollOftenMakesRunNoticeChangesSooner(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	rg.register("cursor", done)
	registered := rg.read(path)
	watched(t, rg, func(changed <-chan Changed) {
		if within(changed, 5*longPause/2) { // a duration that ends between two scans
			t.Error("Changed was published although nothing changed")
		}
		rg.write(path, "{}")
		if within(changed, shortPause) || !within(changed, longPause) {
			t.Error("a change must be noticed after the long pause")
		}
		stop := rg.PollOften()
		synctest.Wait()
		rg.write(path, registered)
		if !within(changed, shortPause+time.Millisecond) {
			t.Error("a change must be noticed after the short pause")
		}
		rg.write(path, strings.Replace(registered, "{", "{ ", 1))
		if within(changed, longPause+time.Second) {
			t.Error("Changed was published although the state is the same")
		}
		stop()
		stop()
		within(changed, shortPause+time.Second) // wait until the next scan is over
		rg.write(path, "{}")
		if within(changed, shortPause+time.Millisecond) || !within(changed, longPause) {
			t.Error("after stop, a change must be noticed after the long pause")
		}
	})
}

func TestEditorsAreNewUntilAPersonReviewsThem(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor", "{}")
	if rg.status("cursor").New {
		t.Error("an editor is new before the first scan")
	}
	watched(t, rg, func(changed <-chan Changed) {
		zed := rg.file("zed", "{}")
		if !within(changed, 2*longPause) || rg.status("cursor").New || !rg.status("zed").New {
			t.Error("only the second editor must be new")
		}
		rg.holds(zed, "{}")
		if err := rg.MarkReviewed(t.Context()); err != nil || rg.status("zed").New {
			t.Errorf("the editor is new after the review, %v", err)
		}
	})
	rg.again(nil)
	if rg.status("zed").New {
		t.Error("the editor is new again after a restart")
	}
	rg.file("gemini-cli", "{}")
	if !rg.status("gemini-cli").New {
		t.Error("an editor that was installed while no hub ran is not new")
	}
}

func TestNewEditorsAreRegisteredAutomaticallyWhenEnabled(t *testing.T) {
	rg := newRig(t, "linux")
	cursor := rg.file("cursor", "{}")
	rg.scan(t.Context(), nil)
	rg.SetAuto(true)
	zed := rg.file("zed", "{ // mine\n}")
	broken := rg.file("gemini-cli", "{")
	existing := rg.path("kimi-cli") // this editor is registered only in an existing file
	if err := os.MkdirAll(filepath.Dir(existing), 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := rg.file("factory-droid", `{"mcpServers": {"discover": {"command": "x"}}}`)
	rg.scan(t.Context(), nil)
	rg.holds(cursor, "{}")
	rg.is("zed", Registered)
	rg.holds(broken, "{")
	rg.holds(existing, "absent")
	rg.holds(foreign, `{"mcpServers": {"discover": {"command": "x"}}}`)
	history, _ := rg.History(t.Context(), "")
	if len(history) != 1 || history[0].By != automatic || !rg.status("zed").New {
		t.Errorf("history is %+v", history)
	}
	rg.write(broken, "{}")
	rg.write(existing, "{}")
	rg.scan(t.Context(), nil)
	rg.is("gemini-cli", Registered)
	rg.is("kimi-cli", Registered)

	rg.unregister("gemini-cli", done)
	rg.write(zed, "{}")
	rg.undo(nothing, history[0].ID)
	for range 3 {
		rg.again(func(o *Options) { o.Auto = true })
		rg.scan(t.Context(), nil)
	}
	rg.is("gemini-cli", Absent)
	rg.holds(cursor, "{}")
	rg.holds(zed, "{}")
}

func TestANewEditorIsRegisteredAutomaticallyIfItWasReviewedBeforeTheScan(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor", "{}")
	rg.scan(t.Context(), nil)
	rg.SetAuto(true)
	rg.file("zed", "{}")
	if err := rg.MarkReviewed(t.Context()); err != nil || rg.status("zed").New {
		t.Errorf("the editor is new after the review, %v", err)
	}
	rg.scan(t.Context(), nil)
	rg.is("zed", Registered)
}

func TestAnEditorThatTheFirstScanRegistersIsAnnounced(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor", "{}")
	rg.SetAuto(true)
	if err := rg.MarkReviewed(t.Context()); err != nil {
		t.Fatal(err)
	}
	rg.file("zed", "{}")
	rg.options.Auto = true
	watched(t, rg, func(changed <-chan Changed) {
		if !within(changed, shortPause) {
			t.Error("Changed was not published")
		}
		rg.is("zed", Registered)
	})
}

func TestFirstScanRegistersOnlyIfThatWasEnabledBefore(t *testing.T) {
	for _, auto := range []bool{true, false} {
		rg := newRig(t, "linux")
		rg.file("cursor", "{}")
		rg.again(func(o *Options) { o.Auto = auto })
		if rg.AutoRegisters() != auto {
			t.Error("AutoRegisters differs from Options.Auto")
		}
		rg.scan(t.Context(), nil)
		rg.is("cursor", map[bool]State{true: Registered, false: Absent}[auto])
		if rg.status("cursor").New {
			t.Error("an editor of the first scan is new")
		}
	}
}

func TestManagedEditorsAreNotRegisteredAutomatically(t *testing.T) {
	rg := newRig(t, "linux")
	rg.again(func(o *Options) { o.Auto = true })
	rg.write(rg.root+"/disk/etc/claude-code/managed-mcp.json", "{}")
	path := rg.file("claude-code", "{}")
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	if s := rg.is("claude-code", Absent); len(s.Managed) != 1 {
		t.Errorf("status is %+v", s)
	}
}

func TestRunningNewEditorsAreRegisteredAfterTheyExit(t *testing.T) {
	rg, running := desktopRig(t)
	rg.scan(t.Context(), nil)
	rg.SetAuto(true)
	rg.file("claude-desktop", "{}")
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Registered)
	if history, _ := rg.History(t.Context(), ""); len(history) != 1 || history[0].By != automatic {
		t.Errorf("history is %+v", history)
	}
}

func TestEntriesRemovedByAPersonAreNotAddedAutomatically(t *testing.T) {
	rg := newRig(t, "linux")
	rg.again(func(o *Options) { o.Auto = true })
	path := rg.file("cursor", "{") // not valid JSON yet
	rg.scan(t.Context(), nil)
	rg.is("cursor", Unreadable)
	rg.write(path, "{}")
	rg.register("cursor", done)
	rg.unregister("cursor", done)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
}
