package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

const (
	grace       = 5 * time.Second // for calls in flight when a server is stopped
	exitGrace   = 2 * time.Second // for a child after its input closed, and again after SIGTERM
	childLine   = 256 << 20       // bytes; more than any real result
	stderrShown = 2000            // bytes of stderr in an error
)

// session is one running server and the MCP session with it.
type session struct {
	manager  *Manager
	server   registry.Server // as it was configured at the start
	filled   registry.Server // with its secrets; never shown
	redactor *secrets.Redactor
	started  time.Time

	link   link
	conn   *jsonrpc.Conn
	errors *tail   // of a child
	lines  *scribe // of the same

	relist   chan struct{} // the server said that its tools have changed
	notices  chan notice   // to be published
	dropped  atomic.Int64  // notices that were too many
	warned   bool          // of that; by publish only
	junk     atomic.Int64  // lines that were no messages
	cancel   context.CancelFunc
	hasTools bool
	listing  sync.Mutex // one at a time
	shutOnce sync.Once

	mu          sync.Mutex
	description Description
	callers     map[Caller]int
	inFlight    int
	lastUsed    time.Time
	forCheck    bool   // started to see whether it can be, and not used otherwise
	retired     bool   // no new calls
	stopCause   string // why we end it; empty while it should run
	stopping    bool
}

// sameLaunch reports whether two configurations start the same thing.
func sameLaunch(a, b registry.Server) bool {
	return a.Command == b.Command && a.Transport == b.Transport && a.URL == b.URL &&
		slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers)
}

// enter counts a call in; false when the session takes none any more.
func (s *session) enter(w want) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.conn.Done():
		return false
	default:
	}
	if s.retired {
		return false
	}
	s.inFlight++
	s.forCheck = s.forCheck && w.check
	if w.caller != nil {
		s.callers[w.caller]++
	}
	return true
}

// replace makes room for a session with another configuration, or for one
// after this has ended by itself.
func (s *session) replace(server registry.Server) {
	if !sameLaunch(s.server, server) {
		s.shutdown("its configuration has changed")
	}
	<-s.link.gone()
}

func (s *session) leave(c Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.lastUsed = time.Now()
	if c == nil {
		return
	}
	if s.callers[c]--; s.callers[c] == 0 {
		delete(s.callers, c)
	}
}

// soleCaller returns who all calls in flight are for; false when that is not
// exactly one, because then nobody can know whom a request is meant for.
func (s *session) soleCaller() (Caller, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.callers) != 1 {
		return nil, false
	}
	for c := range s.callers {
		return c, true
	}
	return nil, false
}

func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 {
		return 0
	}
	return time.Since(s.lastUsed)
}

// retire takes the session out of use if no call is in flight.
func (s *session) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 || s.retired {
		return false
	}
	s.retired = true
	return true
}

// retireChecked is retire for a session that was needed for checks only.
func (s *session) retireChecked() bool {
	s.mu.Lock()
	wanted := !s.forCheck
	s.mu.Unlock()
	return !wanted && s.retire()
}

func (s *session) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Running: true, PID: s.link.pid(), Since: s.started, InFlight: s.inFlight, Version: s.description.Version}
}

// shutdown ends the session: no new calls, grace for those in flight, then its
// link is stopped. It returns when nothing of it is left.
func (s *session) shutdown(cause string) {
	s.shutOnce.Do(func() {
		s.mu.Lock()
		s.retired, s.stopping, s.stopCause = true, true, cause
		s.mu.Unlock()
		s.drain()
		s.link.stop()
	})
	<-s.link.gone()
}

func (s *session) drain() {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.conn.InFlight() > 0 {
		select {
		case <-tick.C:
		case <-deadline.C:
			return
		case <-s.conn.Done():
			return
		}
	}
}

// wait returns when the session is over: nil when we ended it, or its server
// did so and is well; else what happened, for a person.
func (s *session) wait() error {
	<-s.link.gone()
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.link.ending(); !s.stopping && !end.benign {
		return s.ended(end)
	}
	return nil
}

// ended describes an end that nobody asked for.
func (s *session) ended(end ending) error {
	if s.link.pid() == 0 {
		return fault.Wrap(mark(end.cause), fault.Failed, "the session with server %q is over (%s); the next call starts a new one", s.server.Name, s.redactor.Text(end.how))
	}
	return fault.Wrap(end.cause, fault.Failed, "server %q ended by itself (%s); it starts again with the next call.%s", s.server.Name, end.how, s.lastWords())
}

// lastWords quotes the end of what the child wrote to its standard error.
func (s *session) lastWords() string {
	// Covered first and cut then: of half a secret nothing tells what it is.
	text := lastLines(strings.TrimSpace(s.stderrText()), stderrShown)
	if text == "" {
		return ""
	}
	return "\nIt last wrote:\n" + text
}

// stderrText returns what is kept of the child's standard error, covered. Where
// that begins in the middle, half a secret may stand, and is left out.
func (s *session) stderrText() string {
	kept := s.errors.last(stderrSize)
	text := s.redactor.Text(kept)
	if len(kept) == stderrSize {
		text = lastLines(text, max(len(text)-s.redactor.Reach(), 0))
	}
	return text
}

// explain turns what a call failed with into words for its caller. An error
// answer of the server stays as it is.
func (s *session) explain(err error, call jsonrpc.Call) error {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	name, what := s.server.Name, call.Method
	if tool := jsonrpc.GetString(call.Params, "name"); tool != "" {
		what = fmt.Sprintf("tool %q", tool)
	}
	if errors.Is(err, mcphttp.ErrLost) {
		within(exitGrace, s.link.gone()) // so that the next call begins a new session
	}
	switch {
	case errors.As(err, &rpc), errors.As(err, &cancelled):
		return err
	case isClosed(err):
		return s.explainEnd(err, what)
	case fault.KindOf(err) != fault.Internal:
		return fault.Wrap(mark(err), fault.KindOf(err), "the call of %s on server %q failed: %s", what, name, s.redactor.Text(fault.MessageOf(err)))
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "server %q gave neither an answer nor progress for %s within %s; it was told to cancel and goes on running. Try a smaller request, raise limits.call_timeout in config.yaml, or restart the server.%s",
			name, what, call.Idle, s.lastWords())
	}
	return fault.Wrap(err, fault.Failed, "the call of %s on server %q failed: %s", what, name, s.redactor.Text(err.Error()))
}

// explainEnd is explain for a call that the end of the session cut off.
func (s *session) explainEnd(err error, what string) error {
	within(exitGrace, s.link.gone())
	s.mu.Lock()
	stopping, cause := s.stopping, s.stopCause
	s.mu.Unlock()
	name, end := s.server.Name, s.link.ending()
	switch {
	case stopping && cause != "":
		return fault.Wrap(err, fault.Failed, "server %q was ended while %s was running (%s); whether the call took effect is unknown", name, what, cause)
	case s.link.pid() == 0:
		return fault.Wrap(mark(err), fault.Failed, "the session with server %q ended while %s was running (%s); whether the call took effect is unknown. The next call starts a new one.",
			name, what, s.redactor.Text(end.how))
	}
	return fault.Wrap(err, fault.Failed, "server %q ended while %s was running (%s); whether the call took effect is unknown. The server starts again with the next call.%s",
		name, what, end.how, s.lastWords())
}
