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
	exitGrace   = 2 * time.Second // for a child to exit after its input is closed, and again after SIGTERM
	maxLine     = 256 << 20       // bytes of one message; more than any real result
	stderrShown = 2000            // bytes of standard error that an error text quotes
)

// session is one running server and the MCP session with it.
type session struct {
	manager  *Manager
	server   registry.Server // the configuration at the start
	filled   registry.Server // the same with secrets; never shown
	redactor *secrets.Redactor
	started  time.Time

	link   link
	conn   *jsonrpc.Conn
	stderr *tail       // end of the child's standard error
	lines  *lineWriter // the same, line by line

	relist   chan struct{}      // the server reported that its tools have changed
	notices  chan notice        // wait for publish
	dropped  atomic.Int64       // notices that found the queue full
	warned   bool               // dropped notices were logged; used by publish only
	junk     atomic.Int64       // lines that were not JSON-RPC messages
	cancel   context.CancelFunc // ends follow
	hasTools bool
	listing  sync.Mutex // one tools/list at a time
	shutOnce sync.Once

	mu          sync.Mutex
	description Description
	callers     map[Caller]int // calls in flight per caller
	inFlight    int
	lastUsed    time.Time
	forCheck    bool   // used by health checks only
	retired     bool   // accepts no new calls
	stopCause   string // why shutdown was called; empty for an idle session
	stopping    bool   // shutdown was called
}

// sameLaunch reports whether two configurations start the same program or
// connect to the same URL in the same way.
func sameLaunch(a, b registry.Server) bool {
	return a.Command == b.Command && a.Transport == b.Transport && a.URL == b.URL &&
		slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers)
}

// enter counts a call in. It returns false if the session accepts no new calls.
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

// replace returns when the session is over, so that a new one can start. It
// ends the session if the configuration has changed.
func (s *session) replace(server registry.Server) {
	if !sameLaunch(s.server, server) {
		s.shutdown("its configuration has changed")
	}
	<-s.link.gone()
}

// leave counts a call out that enter counted in.
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
// there is not exactly one: MCP does not say which call a server's request
// belongs to.
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

// idleFor returns how long the session has had no call; 0 while one is in
// flight.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 {
		return 0
	}
	return time.Since(s.lastUsed)
}

// retire refuses new calls from now on, if no call is in flight, and reports
// whether it did.
func (s *session) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 || s.retired {
		return false
	}
	s.retired = true
	return true
}

// retireChecked is retire for a session that only health checks have used.
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

// shutdown refuses new calls, gives those in flight a grace period and stops
// the link. It returns when the link is gone. cause goes into the errors of
// calls that are cut off.
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

// wait returns when the session is over. The error describes an unexpected end;
// it is nil after shutdown and after an end that is no sign of a problem.
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

// ended describes an unexpected end.
func (s *session) ended(end ending) error {
	if s.link.pid() == 0 {
		return fault.Wrap(mark(end.cause), fault.Failed, "the session with server %q ended (%s); the next call starts a new one", s.server.Name, s.redactor.Text(end.how))
	}
	return fault.Wrap(end.cause, fault.Failed, "server %q exited unexpectedly (%s); it starts again with the next call.%s", s.server.Name, end.how, s.lastWords())
}

// lastWords quotes the end of the child's standard error.
func (s *session) lastWords() string {
	// Redact before cutting: half a secret would not be recognized.
	text := lastLines(strings.TrimSpace(s.stderrText()), stderrShown)
	if text == "" {
		return ""
	}
	return "\nIt last wrote:\n" + text
}

// stderrText returns the kept end of the child's standard error, redacted. If
// earlier output was dropped, the first bytes may be the rest of a secret and
// are left out.
func (s *session) stderrText() string {
	kept := s.stderr.last(stderrSize)
	text := s.redactor.Text(kept)
	if len(kept) == stderrSize {
		text = lastLines(text, max(len(text)-s.redactor.Reach(), 0))
	}
	return text
}

// explain turns the error of a call into one that names the server, the cause
// and what to do. An error answer of the server is returned unchanged.
func (s *session) explain(err error, call jsonrpc.Call) error {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	name, what := s.server.Name, call.Method
	if tool := jsonrpc.GetString(call.Params, "name"); tool != "" {
		what = fmt.Sprintf("tool %q", tool)
	}
	if errors.Is(err, mcphttp.ErrLost) {
		within(exitGrace, s.link.gone()) // else the next call may get the lost session again
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
		return fault.Wrap(err, fault.Timeout, "server %q sent neither an answer nor progress for %s within %s; the call was cancelled and the server still runs. Try a smaller request, raise limits.call_timeout in config.yaml, or restart the server.%s",
			name, what, call.Idle, s.lastWords())
	}
	return fault.Wrap(err, fault.Failed, "the call of %s on server %q failed: %s", what, name, s.redactor.Text(err.Error()))
}

// explainEnd is explain for a call that was cut off by the end of the session.
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
		return fault.Wrap(mark(err), fault.Failed, "the session with server %q ended while %s was running (%s); whether the call took effect is unknown. The next call starts a new one.",
			name, what, s.redactor.Text(end.how))
	}
	return fault.Wrap(err, fault.Failed, "server %q ended while %s was running (%s); whether the call took effect is unknown. The server starts again with the next call.%s",
		name, what, end.how, s.lastWords())
}
