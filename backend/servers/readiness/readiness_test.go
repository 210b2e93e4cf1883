package readiness

import (
	"slices"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// facts are the inputs of a Reader for one server. Unless a test changes them, the server
// is ready.
type facts struct {
	server              registry.Server
	running, wantsLogin bool
	how                 string // how calls fail
	refused, failure    error
	held                int
	pending             bool
}

func (f *facts) List() []registry.Server { return []registry.Server{f.server} }

func (f *facts) reader() *Reader {
	return New(Options{
		Servers: f,
		Running: func(string) bool { return f.running }, CallsFail: func(string, time.Time) (string, bool) { return f.how, f.how != "" },
		WantsSignIn: func(registry.Server) bool { return f.wantsLogin }, Refused: func(registry.Server) error { return f.refused },
		Held: func(string) int { return f.held }, FirstStart: func(registry.Server) (bool, error) { return f.pending, f.failure },
	})
}

func TestTheMostUrgentStateOfAServerIsShown(t *testing.T) {
	broken := fault.New(fault.Invalid, "a secret is missing")
	for _, row := range []struct {
		what   string
		change func(*facts)
		state  string
		reason string
	}{
		{"ready", func(*facts) {}, words.Stopped, ""},
		{"runs", func(f *facts) { f.running = true }, words.Running, ""},
		{
			"never started", func(f *facts) {
				f.server.Health.Listed = false
			}, words.New, "was never started, so its tools are not known yet",
		},
		{
			"being started for the first time", func(f *facts) { f.server.Health.Listed, f.pending = false, true },
			words.Starting, "is being started to list its tools",
		},
		{
			"could not be started", func(f *facts) { f.server.Health.Listed, f.failure = false, broken },
			words.Failing, "could not be started: a secret is missing",
		},
		{
			"has failed", func(f *facts) {
				f.server.Health.LastError = "it exited"
			}, words.Failing, "does not start or does not answer: it exited",
		},
		{
			"failing and being started", func(f *facts) { f.server.Health.LastError, f.pending = "it exited", true },
			words.Failing, "does not start or does not answer: it exited",
		},
		{"unhealthy", func(f *facts) { f.server.Health.Status = "unhealthy" }, words.Failing, "does not start or does not answer"},
		{
			"calls fail while it runs", func(f *facts) { f.running, f.how = true, "failed 5 of its last 5 calls" }, words.CallsFail,
			"failed 5 of its last 5 calls",
		},
		{
			"requires a sign-in and has failed", func(f *facts) { f.wantsLogin, f.server.Health.LastError = true, "401" },
			words.SignIn, "requires a sign-in",
		},
		{
			"changed", func(f *facts) {
				f.refused, f.running = broken, true
			}, words.Held, "waits until the user approves the changed way in which it is started",
		},
		{
			"no command", func(f *facts) {
				f.server.Command, f.server.Health.Listed, f.server.Health.LastError = "", false, "no command"
			}, words.Incomplete, "has no command configured",
		},
		{
			"no address", func(f *facts) { f.server.Transport, f.running = "sse", true }, words.Incomplete,
			"has no URL configured for remote transport",
		},
		{
			"an unknown transport", func(f *facts) { f.server.Transport = "htp" }, words.Incomplete,
			`has an unknown transport "htp": use stdio, streamable-http or sse`,
		},
		{
			"not approved and no command", func(f *facts) { f.server.Approved, f.server.Command = false, "" }, words.Waiting,
			"waits for the user's approval",
		},
		{"not approved", func(f *facts) { f.server.Approved, f.refused = false, broken }, words.Waiting, "waits for the user's approval"},
	} {
		f := &facts{server: registry.Server{
			Name: "one", Command: "run", Approved: true, Health: registry.Health{Status: "unknown", Listed: true},
		}}
		row.change(f)
		state := f.reader().Of(f.server)
		if state.ID != row.state || state.Reason() != row.reason {
			t.Errorf("%s: %s, %q; want %s, %q", row.what, state.ID, state.Reason(), row.state, row.reason)
		}
	}
}

func TestServersThatAgentsCannotUseInPartAreNamed(t *testing.T) {
	f := &facts{server: registry.Server{Name: "one", Command: "run", Approved: true, Health: registry.Health{Listed: true}}}
	if got := f.reader().Unready(); len(got) > 0 {
		t.Errorf("a server that is ready: %v", got)
	}
	f.held = 1
	if got := f.reader().Unready(); len(got) != 1 || got[0].Server != "one" ||
		got[0].Why != "has one tool or other item that waits for the user's approval" {
		t.Errorf("with a held tool: %v", got)
	}
	f.held, f.server.Approved = 3, false
	want := []Unready{{"one", State{ID: words.Waiting, Why: "waits for the user's approval"}}}
	if got := f.reader().Unready(); !slices.Equal(got, want) {
		t.Errorf("before its approval: %v", got)
	}
}
