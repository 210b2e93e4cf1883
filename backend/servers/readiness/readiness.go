// Package readiness decides whether a server can be used now, and if not, why. Pages, commands, the tray and agents
// show these states; package words contains the texts for them.
package readiness

import (
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// State says whether a server can be used.
type State struct {
	ID string // one of the states in package words
	// Why says why agents cannot use the server or do not know its tools. It continues a sentence that begins with the
	// server's name, and is empty if there is no such reason.
	Why string
	// Cause is the reason of a failure, for people. It may contain text of the server.
	Cause string
}

// Reason returns why a server cannot be used or why its calls fail, for people: Why, and the cause if it is known.
func (s State) Reason() string {
	if s.Cause == "" || s.Why == "" {
		return s.Why + s.Cause
	}
	return s.Why + ": " + s.Cause
}

// Options are the facts from which a Reader decides.
type Options struct {
	Servers interface{ List() []registry.Server }
	// Running reports whether a server has a process or a connection.
	Running func(server string) bool
	// CallsFail reports whether most of the last calls of a server since a time have failed, and how, as the end of a
	// sentence that begins with the server's name.
	CallsFail func(server string, since time.Time) (how string, fail bool)
	// WantsSignIn reports whether a person must sign in before a server answers.
	WantsSignIn func(server registry.Server) bool
	// Refused returns why a server must not be started as it is configured, or nil if it may be started.
	Refused func(server registry.Server) error
	// Held returns how many items of a server wait for a person's approval.
	Held func(server string) int
	// FirstStart reports whether a server is being started for the first time or about to be, and why the last attempt
	// failed.
	FirstStart func(server registry.Server) (pending bool, failure error)
}

// Reader decides the states of servers. It is safe for concurrent use.
type Reader struct{ options Options }

// New returns a reader.
func New(o Options) *Reader { return &Reader{o} }

// Of returns the state of a server, the most urgent one if several apply.
func (r *Reader) Of(server registry.Server) State {
	o := r.options
	if !server.Approved {
		return State{ID: words.Waiting, Why: "waits for the user's approval"}
	}
	if server.Disabled {
		return State{ID: words.Disabled, Why: "is disabled until the user enables it"}
	}
	if lack := server.Incomplete(); lack != "" {
		return State{ID: words.Incomplete, Why: lack}
	}
	if o.Refused(server) != nil {
		return State{ID: words.Held, Why: "waits until the user approves the changed way in which it is started"}
	}
	if o.WantsSignIn(server) {
		return State{ID: words.SignIn, Why: "requires a sign-in"}
	}
	pending, failure := o.FirstStart(server)
	how, callsFail := o.CallsFail(server.Name, server.UpdatedAt)
	switch {
	case server.Health.Status == "unhealthy" || server.Health.LastError != "":
		return State{words.Failing, "does not start or does not answer", server.Health.LastError}
	case pending:
		return State{ID: words.Starting, Why: "is being started to list its tools"}
	case failure != nil:
		return State{words.Failing, "could not be started", fault.MessageOf(failure)}
	case callsFail:
		return State{ID: words.CallsFail, Cause: how} // agents can use it, so that Why is empty
	case o.Running(server.Name):
		return State{ID: words.Running}
	case !server.Health.Listed:
		return State{ID: words.New, Why: "was never started, so its tools are not known yet"}
	}
	return State{ID: words.Stopped}
}

// Unready is a server that agents cannot use, or of which they can use only a part.
type Unready struct {
	Server string
	State
}

// Unready returns the servers that cannot be used, whose tools are unknown, or that have items which wait for approval,
// sorted by name.
func (r *Reader) Unready() (out []Unready) {
	for _, server := range r.options.Servers.List() {
		state := r.Of(server)
		if n := r.options.Held(server.Name); n > 0 && state.Why == "" {
			state.Why = fmt.Sprintf("has %d tools or other items that wait for the user's approval", n)
			if n == 1 {
				state.Why = "has one tool or other item that waits for the user's approval"
			}
		}
		if state.Why != "" {
			out = append(out, Unready{server.Name, state})
		}
	}
	return out
}
