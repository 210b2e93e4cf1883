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
	grace       = 5 * time.Second // how long calls in flight may continue when a server is stopped
	exitGrace   = 2 * time.Second // how long a child may take to exit after its input was closed, and again after SIGTERM
	maxLine     = 256 << 20       // bytes of one message; larger than any real result
	stderrShown = 2000            // bytes of standard error that an error text quotes
)

// session is one running server and the MCP session with it.
type session struct {
	manager  *Manager
	server   registry.Server // configuration at the start
	filled   registry.Server // configuration with secrets filled in; must not be shown
	redactor *secrets.Redactor
	started  time.Time

	link   link
	conn   *jsonrpc.Conn
	stderr *tail       // end of the child's standard error
	lines  *lineWriter // splits standard error into lines

	relist       chan struct{}      // receives a value when the server reports that its tools have changed
	notices      chan notice        // queue of publish
	dropped      atomic.Int64       // number of notices dropped because the queue was full
	warned       bool               // whether dropped notices were logged; used by publish only
	invalidLines atomic.Int64       // number of lines that were not JSON-RPC messages
	cancel       context.CancelFunc // stops the goroutine of follow
	hasTools     bool
	listing      sync.Mutex // held during a tools/list
	shutOnce     sync.Once

	mu          sync.Mutex
	description Description
	callers     map[Caller]int // number of calls in flight, by caller
	inFlight    int
	lastUsed    time.Time
	forCheck    bool   // used by health checks only
	retired     bool   // accepts no new calls
	stopCause   string // cause passed to shutdown; empty if the session was idle
	stopping    bool   // shutdown was called
}

// sameLaunch reports whether two configurations start the same program or
// connect to the same URL in the same way.
func sameLaunch(a, b registry.Server) bool {
	return a.Command == b.Command && a.Transport == b.Transport && a.URL == b.URL &&
		slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers)
}

// enter adds a call to the calls in flight. It returns false if the session
// accepts no new calls.
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

// replace waits for the end of a session that accepts no calls, so that a new
// one can start. If the server's configuration has changed, replace ends the
// session itself.
func (s *session) replace(server registry.Server) {
	if !sameLaunch(s.server, server) {
		s.shutdown("its configuration has changed")
	}
	<-s.link.gone()
}

// leave removes a call from the calls in flight, to which enter has added it.
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

// soleCaller returns the caller of all calls in flight. It returns false if
// there are several callers or none. A server's request can be assigned to a
// caller only if there is just one, because MCP does not say to which call a
// request belongs.
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

// idleFor returns how long the session has had no call in flight, and 0 while
// it has one.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 {
		return 0
	}
	return time.Since(s.lastUsed)
}

// retire makes the session refuse new calls, unless a call is in flight. It
// reports whether it did.
func (s *session) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 || s.retired {
		return false
	}
	s.retired = true
	return true
}

// retireChecked is retire for sessions that only health checks have used. It
// leaves other sessions unchanged.
func (s *session) retireChecked() bool {
	s.mu.Lock()
	forCheck := s.forCheck
	s.mu.Unlock()
	return forCheck && s.retire()
}

func (s *session) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Running: true, PID: s.link.pid(), Since: s.started, InFlight: s.inFlight, Version: s.description.Version}
}

// shutdown refuses new calls, gives calls in flight a grace period, stops the
// link and waits for its end. The errors of calls that are cut off contain
// cause.
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

// drain waits until no call is in flight, for at most grace.
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

// wait waits for the end of the session. It returns an error that describes an
// unexpected end, and nil after shutdown or another end that does not indicate
// a problem.
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

// ended returns an error that describes an unexpected end of the session.
func (s *session) ended(end ending) error {
	if s.link.pid() == 0 {
		return fault.Wrap(lostOnly(end.cause), fault.Failed, "the session with server %q ended (%s); the next call starts a new one", s.server.Name, s.redactor.Text(end.how))
	}
	return fault.Wrap(end.cause, fault.Failed, "server %q exited unexpectedly (%s); it starts again with the next call.%s", s.server.Name, end.how, s.stderrQuote())
}

// stderrQuote quotes the end of the child's standard error, for error messages.
func (s *session) stderrQuote() string {
	// stderrText has redacted the text: redaction must come before cutting,
	// because half a secret is not recognized.
	text := lastLines(strings.TrimSpace(s.stderrText()), stderrShown)
	if text == "" {
		return ""
	}
	return "\nIt last wrote:\n" + text
}

// stderrText returns the kept end of the child's standard error, redacted. If
// earlier output was dropped, the kept text may begin with the second half of a
// secret, so its first bytes are left out.
func (s *session) stderrText() string {
	kept := s.stderr.last(stderrSize)
	text := s.redactor.Text(kept)
	if len(kept) == stderrSize {
		text = lastLines(text, max(len(text)-s.redactor.Reach(), 0))
	}
	return text
}

// explain turns the error of a call into one that names the server, the cause
// and a remedy. An error answer of the server is returned unchanged.
func (s *session) explain(err error, call jsonrpc.Call) error {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	name, what := s.server.Name, call.Method
	if tool := jsonrpc.GetString(call.Params, "name"); tool != "" {
		what = fmt.Sprintf("tool %q", tool)
	}
	if errors.Is(err, mcphttp.ErrLost) {
		within(exitGrace, s.link.gone()) // otherwise the next call may get the lost session again
	}
	switch {
	case errors.As(err, &rpc), errors.As(err, &cancelled):
		return err
	case isClosed(err):
		return s.explainEnd(err, what)
	case fault.KindOf(err) != fault.Internal:
		return fault.Wrap(lostOnly(err), fault.KindOf(err), "the call of %s on server %q failed: %s", what, name, s.redactor.Text(fault.MessageOf(err)))
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "server %q sent neither an answer nor progress for %s within %s; the call was cancelled and the server still runs. Try a smaller request, raise limits.call_timeout in config.yaml, or restart the server.%s",
			name, what, call.Idle, s.stderrQuote())
	}
	return fault.Wrap(err, fault.Failed, "the call of %s on server %q failed: %s", what, name, s.redactor.Text(err.Error()))
}

// explainEnd is explain for a call that was cut off because the session ended.
func (s *session) explainEnd(err error, what string) error {
	within(exitGrace, s.link.gone())
	s.mu.Lock()
	stopping, cause := s.stopping, s.stopCause
	s.mu.Unlock()
	name, end := s.server.Name, s.link.ending()
	switch {
	case stopping && cause != "":
		return fault.Wrap(err, fault.Failed, "server %q was stopped while %s was running (%s); whether the call took effect is unknown", name, what, cause)
	case s.link.pid() == 0:
		return fault.Wrap(lostOnly(err), fault.Failed, "the session with server %q ended while %s was running (%s); whether the call took effect is unknown. The next call starts a new one.",
			name, what, s.redactor.Text(end.how))
	}
	return fault.Wrap(err, fault.Failed, "server %q ended while %s was running (%s); whether the call took effect is unknown. The server starts again with the next call.%s",
		name, what, end.how, s.stderrQuote())
}
