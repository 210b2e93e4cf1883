package upstream_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func (b *bench) health(name string) registry.Health {
	b.t.Helper()
	s, err := b.servers.Get(name)
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Health
}

func (b *bench) isHealth(when, name, status string, errors int, checked bool) {
	b.t.Helper()
	h := b.health(name)
	if h.Status != status || h.Errors != errors || h.CheckedAt.IsZero() == checked {
		b.t.Errorf("%s: %s is %+v, want %s, %d errors, checked %v", when, name, h, status, errors, checked)
	}
}

// check runs a health check. Its error must contain the given text; an empty
// text means no error.
func (b *bench) check(s registry.Server, says string) {
	b.t.Helper()
	latency, err := b.Check(b.t.Context(), s)
	if (err == nil) != (says == "") || !strings.HasPrefix(fault.MessageOf(err), says) && err != nil || latency < 0 {
		b.t.Errorf("the check of %s: %v after %s, want %q", s.Name, err, latency, says)
	}
}

func TestACheckPingsARunningServer(t *testing.T) {
	b := start(t, settings.Limits{})
	for _, s := range []registry.Server{b.add("plain"), b.add("simple", "-no-ping")} {
		if err := b.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		b.isHealth("after a start", s.Name, "unknown", 0, false)
		pid := b.State(s.Name).PID
		b.check(s, "")
		b.isHealth("after the check", s.Name, "healthy", 0, true)
		if state := b.State(s.Name); state.PID != pid || state.InFlight != 0 {
			t.Errorf("%s had process %d and now has %+v", s.Name, pid, state)
		}
	}
	b = start(t, settings.Limits{CallTimeout: 300 * time.Millisecond})
	deaf := b.add("deaf", "-no-ping", "-deaf")
	if err := b.Start(t.Context(), deaf); err != nil {
		t.Fatal(err)
	}
	b.check(deaf, `server "deaf" sent neither an answer nor progress for ping within 300ms`)
	b.isHealth("without an answer", "deaf", "unhealthy", 1, true)
}

func TestACheckStartsAServerAndStopsItAgain(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	b.check(s, "")
	b.isHealth("after the check", "s", "healthy", 0, true)
	if b.State("s").Running {
		t.Error("the server still runs")
	}
	if len(b.tools.Snapshot().Of("s")) == 0 {
		t.Error("the catalog has no tools of the server")
	}
	b.await(upstream.StateChanged{Name: "s", Running: true})
	b.await(upstream.StateChanged{Name: "s"})
}

func TestACheckDoesNotStopAServerInUse(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	for range 20 {
		var both sync.WaitGroup
		both.Go(func() { b.check(s, "") })
		both.Go(func() { b.check(s, "") })
		both.Go(func() {
			if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
				t.Errorf("call during checks: %v", err)
			}
		})
		both.Wait()
		if !b.State("s").Running {
			t.Error("a check stopped a server that was called meanwhile")
		}
		b.Stop("s")
	}
	b.isHealth("in the end", "s", "healthy", 0, true)
}

func TestFailedChecksIgnoreAndSetNoBackoff(t *testing.T) {
	b := start(t, settings.Limits{})
	crash := b.add("crash", "-crash", "no licence")
	for i := range 4 { // two failed starts would cause a back-off
		b.check(crash, `no licence. Failed to activate "crash": "`)
		b.isHealth("after a failed check", "crash", "unhealthy", i+1, true)
	}
	if _, err := b.call(crash, "echo", `{}`); !strings.Contains(fault.MessageOf(err), "no licence") ||
		strings.Contains(fault.MessageOf(err), "in a row") {
		t.Errorf("call after checks: %v", err)
	}
	_, _ = b.call(crash, "echo", `{}`)
	if _, err := b.call(crash, "echo", `{}`); !strings.Contains(fault.MessageOf(err), "in a row") {
		t.Errorf("third call: %v", err)
	}
	b.check(crash, `no licence. Failed to activate "crash": "`)

	empty, err := b.servers.Add(t.Context(), registry.Server{Name: "empty", Approved: true})
	if err != nil {
		t.Fatal(err)
	}
	b.check(empty, `Server "empty" has no command configured`)
	b.isHealth("without a command", "empty", "unhealthy", 1, true)
	b.add("waiting")
	waiting, err := b.servers.Update(t.Context(), "waiting", func(v *registry.Server) { v.Approved = false })
	if err != nil {
		t.Fatal(err)
	}
	b.check(waiting, `server "waiting" waits for a person's approval`)
	b.isHealth("while it waits", "waiting", "unknown", 0, false)
}

func TestAFailedStartCountsAnErrorButKeepsTheStatus(t *testing.T) {
	b := start(t, settings.Limits{})
	crash := b.add("crash", "-crash", "no licence")
	for i := range 2 {
		if err := b.Start(t.Context(), crash); err == nil {
			t.Fatal("the server started")
		}
		b.isHealth("after a failed start", "crash", "unknown", i+1, false)
	}
	last := b.health("crash").LastError
	if !strings.HasPrefix(last, `no licence. Failed to activate "crash": "`) ||
		strings.Count(last, "no licence") != 2 || // once in the command
		!strings.HasSuffix(last, "ended before it answered (exit status 3).") {
		t.Errorf("the last error is %q", last)
	}
}

func TestErrorsOfAStartBeginWithTheReasonAndNameTheMissingVariable(t *testing.T) {
	b := start(t, settings.Limits{})
	const reason = "Error: BRAVE_API_KEY environment variable is required"
	s := b.add("brave", "-crash", reason+"\n    at main (/app/index.js:3:5)\n\nNode.js v22.14.0")
	for range 3 { // the third is refused without a start
		_, err := b.call(s, "echo", `{}`)
		if text := fault.MessageOf(err); !strings.HasPrefix(text, reason+". ") || fault.VariableOf(err) != "BRAVE_API_KEY" {
			t.Errorf("variable %q, error %q", fault.VariableOf(err), text)
		}
	}
	if h := b.health("brave"); !strings.HasPrefix(h.LastError, reason) || h.MissingVariable != "BRAVE_API_KEY" {
		t.Errorf("the stored error names %q: %q", h.MissingVariable, h.LastError)
	}
	if stored, err := b.store.Servers.Servers(t.Context()); err != nil || stored[0].Health.MissingVariable != "BRAVE_API_KEY" {
		t.Errorf("the store has %+v, %v", stored[0].Health, err)
	}
	changes, stop := events.Subscribe[registry.Changed](b.bus, 10)
	defer stop()
	b.Renew("brave") // its secrets have changed
	<-changes
	if h := b.health("brave"); h.MissingVariable != "" || h.LastError == "" {
		t.Errorf("after a change of its secrets: %+v", h)
	}
	if _, err := b.call(s, "echo", `{}`); fault.VariableOf(err) != "BRAVE_API_KEY" {
		t.Errorf("got %v", err)
	}
	s, err := b.servers.Update(t.Context(), "brave", func(v *registry.Server) { v.Env = map[string]string{"BRAVE_API_KEY": "x"} })
	if err != nil || s.Health.MissingVariable != "" {
		t.Errorf("after the variable was set: %+v, %v", s.Health, err)
	}
}

func TestAnUnexpectedEndIsStoredBeforeItIsPublished(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	changes, stop := events.Subscribe[registry.Changed](b.bus, 10)
	defer stop()
	b.await(upstream.StateChanged{Name: "s", Running: true})
	if _, err := b.call(s, "die", `{"text":"out of paper","code":4}`); err == nil {
		t.Fatal("the call of die succeeded")
	}
	// The health is stored before StateChanged is published.
	if change := <-changes; change.Name != "s" {
		t.Errorf("got %+v", change)
	}
	b.isHealth("after its death", "s", "unhealthy", 1, false)
	if b.State("s").Running || !strings.Contains(b.health("s").LastError, "exited unexpectedly (exit status 4)") {
		t.Errorf("state %+v, %+v", b.State("s"), b.health("s"))
	}
	b.await(upstream.StateChanged{Name: "s"})
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	b.isHealth("started again", "s", "healthy", 0, false)
}

func TestACheckOpensANewSessionIfTheRemoteServerHasLostIt(t *testing.T) {
	e := serveEverything(t, "streamableHttp", "/mcp")
	b := start(t, settings.Limits{})
	s := b.addRemote("e", "streamable", e.url, nil)
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	e.kill()
	e.start()
	b.check(s, "")
	before := b.health("e") // has an error if the session noticed the end of the server before the server ran again
	b.isHealth("after a restart", "e", "healthy", before.Errors, true)
	b.Stop("e")
	e.kill()
	b.check(s, `Failed to activate "e": `+e.url+" cannot be reached: connection refused")
	b.isHealth("when it is gone", "e", "unhealthy", before.Errors+1, true)
}
