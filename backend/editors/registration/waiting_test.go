package registration

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// desktopRig is a machine on which Claude Desktop runs until it is told not to.
func desktopRig(t *testing.T) (rg *rig, running *atomic.Bool) {
	t.Helper()
	rg, running = newRig(t, "linux"), new(atomic.Bool)
	running.Store(true)
	rg.again(func(o *Options) {
		o.Running = func(_ context.Context, names []string) bool {
			if len(names) != 1 || names[0] != "claude-desktop" {
				t.Errorf("asked for %v", names)
			}
			return running.Load()
		}
	})
	return rg, running
}

func TestAChangeWaitsUntilTheEditorHasEnded(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"claude-desktop"}})
	if err != nil || !plans[0].Wait || len(plans[0].Diff) == 0 {
		t.Errorf("got %+v, %v", plans, err)
	}
	out := rg.do(Request{Action: Register, Editors: []string{"claude-desktop"}}, waits)
	if !strings.HasPrefix(out[0].Change, waitingID) || !strings.Contains(out[0].Reload, "Quit Claude Desktop") {
		t.Errorf("got %+v", out)
	}
	if s := rg.is("claude-desktop", Waiting); !s.Running {
		t.Error("it is not said to run")
	}
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	rg.again(nil) // it is kept
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Registered)
	if len(rg.notes.wishes()) > 0 {
		t.Error("the wish is still there")
	}
	history, _ := rg.History(t.Context(), "")
	if len(history) != 1 || history[0].By != "person" {
		t.Errorf("got %+v", history)
	}
	rg.write(path, "{}") // it started again, and wrote what it had in mind
	rg.is("claude-desktop", Dropped)
}

func TestAWishThatWaitsIsTakenBack(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	rg.register("claude-desktop", waits)
	plans, err := rg.Plan(t.Context(), Request{Action: Unregister, Editors: []string{"claude-desktop"}})
	if err != nil || plans[0].Nothing || plans[0].Wait {
		t.Errorf("got %+v, %v", plans, err)
	}
	rg.do(Request{Action: Unregister, All: true}, done)
	rg.is("claude-desktop", Absent)
	wish := rg.register("claude-desktop", waits)
	if plans, err := rg.PlanUndo(t.Context(), []string{wish}); err != nil || len(plans) != 1 || plans[0].Problem != "" {
		t.Errorf("got %+v, %v", plans, err)
	}
	rg.undo(done, wish)
	rg.is("claude-desktop", Absent)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")

	change := rg.register("claude-desktop", done)
	running.Store(true)
	rg.unregister("claude-desktop", waits)
	rg.is("claude-desktop", Waiting)
	rg.register("claude-desktop", done) // as it is
	rg.is("claude-desktop", Registered)
	rg.undo(waits, change)
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	rg.is("claude-desktop", Absent)
}

func TestServersWaitToBeTakenOut(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	file := rg.found("claude-desktop").Files[0]
	for _, name := range []string{"a", "a", "b"} {
		if out, err := rg.TakeOut(t.Context(), "claude-desktop", file, []string{name}); err != nil || out.Status != waits {
			t.Fatalf("got %+v, %v", out, err)
		}
	}
	rg.register("claude-desktop", waits)
	if wishes := rg.notes.wishes(); len(wishes) != 3 {
		t.Errorf("got %+v", wishes)
	}
	running.Store(false)
	rg.scan(t.Context(), nil)
	if got := rg.entries(path, file.Place); got != Name+" " {
		t.Errorf("got %q", got)
	}
}

func TestAWishThatCannotBeCarriedOutSaysWhy(t *testing.T) {
	rg, running := desktopRig(t)
	path := rg.file("claude-desktop", "{}")
	rg.register("claude-desktop", waits)
	running.Store(false)
	rg.mode(path, 0o444)
	rg.scan(t.Context(), nil)
	if wishes := rg.notes.wishes(); len(wishes) != 1 || !strings.Contains(wishes[0].Problem, "read-only") {
		t.Errorf("got %+v", wishes)
	}
	rg.mode(path, 0o644)
	rg.scan(t.Context(), nil)
	rg.is("claude-desktop", Registered)
}

// watched runs a registrar until the test ends, in a bubble of its own time.
func watched(t *testing.T, rg *rig, test func(changed <-chan Changed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rg.again(nil) // its channels are of the bubble
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

// within reports whether something changes in a time.
func within(changed <-chan Changed, d time.Duration) bool {
	select {
	case <-changed:
		return true
	case <-time.After(d):
		return false
	}
}

func TestOthersChangesAreSeenAfterAWhileAndSoonWhenAPersonLooksOn(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", "{}")
	rg.register("cursor", done)
	ours := rg.read(path)
	watched(t, rg, func(changed <-chan Changed) {
		if within(changed, 5*seldom/2) { // and not at a moment at which it looks
			t.Error("nothing changed")
		}
		rg.write(path, "{}")
		if within(changed, often) || !within(changed, seldom) {
			t.Error("it is not seen as it should be")
		}
		leave := rg.PollOften()
		synctest.Wait()
		rg.write(path, ours)
		if !within(changed, often+time.Millisecond) {
			t.Error("it is not seen soon")
		}
		rg.write(path, strings.Replace(ours, "{", "{ ", 1))
		if within(changed, seldom+time.Second) {
			t.Error("the state is the same")
		}
		leave()
		leave()
		within(changed, often+time.Second) // until it has looked once more
		rg.write(path, "{}")
		if within(changed, often+time.Millisecond) || !within(changed, seldom) {
			t.Error("it is still seen soon")
		}
	})
}

func TestAnEditorThatComesIsNewUntilAPersonHasLooked(t *testing.T) {
	rg := newRig(t, "linux")
	rg.file("cursor", "{}")
	if rg.status("cursor").New {
		t.Error("nobody has looked yet")
	}
	watched(t, rg, func(changed <-chan Changed) {
		zed := rg.file("zed", "{}")
		if !within(changed, 2*seldom) || rg.status("cursor").New || !rg.status("zed").New {
			t.Error("it is not new, or the other one is")
		}
		rg.holds(zed, "{}")
		if err := rg.MarkReviewed(t.Context()); err != nil || rg.status("zed").New {
			t.Errorf("it is still new, %v", err)
		}
	})
	rg.again(nil)
	if rg.status("zed").New {
		t.Error("it is new again")
	}
	rg.file("gemini-cli", "{}")
	if !rg.status("gemini-cli").New {
		t.Error("it came while nobody ran")
	}
}

func TestNewEditorsGetOurEntryWhereThatIsWished(t *testing.T) {
	rg := newRig(t, "linux")
	cursor := rg.file("cursor", "{}")
	rg.scan(t.Context(), nil)
	rg.SetAuto(true)
	zed := rg.file("zed", "{ // mine\n}")
	broken := rg.file("gemini-cli", "{")
	existing := rg.path("kimi-cli") // only into a file that is there
	if err := os.MkdirAll(strings.TrimSuffix(existing, "/mcp.json"), 0o700); err != nil {
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
		t.Errorf("got %+v", history)
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

func TestTheFirstLookRegistersOnlyWhereThatWasWishedBefore(t *testing.T) {
	for _, auto := range []bool{true, false} {
		rg := newRig(t, "linux")
		rg.file("cursor", "{}")
		rg.again(func(o *Options) { o.Auto = auto })
		if rg.AutoRegisters() != auto {
			t.Error("it is not as it was set")
		}
		rg.scan(t.Context(), nil)
		rg.is("cursor", map[bool]State{true: Registered, false: Absent}[auto])
		if rg.status("cursor").New {
			t.Error("what was there first is not new")
		}
	}
}

func TestWhatAnAdministratorDecidesIsToldAndLeftAlone(t *testing.T) {
	rg := newRig(t, "linux")
	rg.again(func(o *Options) { o.Auto = true })
	rg.write(rg.root+"/disk/etc/claude-code/managed-mcp.json", "{}")
	path := rg.file("claude-code", "{}")
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
	if s := rg.is("claude-code", Absent); len(s.Managed) != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestNewEditorsThatRunWait(t *testing.T) {
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
		t.Errorf("got %+v", history)
	}
}

func TestWhereAPersonTookItOutItDoesNotComeBackByItself(t *testing.T) {
	rg := newRig(t, "linux")
	rg.again(func(o *Options) { o.Auto = true })
	path := rg.file("cursor", "{") // it cannot come in yet
	rg.scan(t.Context(), nil)
	rg.is("cursor", Unreadable)
	rg.write(path, "{}")
	rg.register("cursor", done)
	rg.unregister("cursor", done)
	rg.scan(t.Context(), nil)
	rg.holds(path, "{}")
}
