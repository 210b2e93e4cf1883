package upstream

import (
	"context"
	"encoding/json"
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
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	grace     = 5 * time.Second // how long calls in flight may continue when a server is stopped
	exitGrace = 2 * time.Second // how long a child may take to exit after its input was closed, and again after SIGTERM
	// engineGrace is exitGrace for the client of a container engine. It removes the container before it exits.
	engineGrace = 8 * time.Second
	killGrace   = 5 * time.Second // how long the system may take to end a child that was killed
	drainGrace  = 5 * time.Second // how long the output of a child is read after its end
	maxLine     = 256 << 20       // bytes of one message; larger than any real result
	// rememberedOwners is how many answered calls of a server are known by their callers, for
	// questions that follow on the same stream or name them.
	rememberedOwners = 256
	// maxFirstLine is the limit before the server has answered initialize.
	maxFirstLine = 8 << 20
	// maxUnfinished is how many bytes the unfinished messages of all servers may
	// take together.
	maxUnfinished = 384 << 20
	stderrShown   = 2000 // bytes of standard error that an error text quotes
)

// session is one running server and the MCP session with it.
type session struct {
	manager  *Manager
	at       *slot
	server   registry.Server // configuration at the start
	target   Target
	filled   registry.Server // configuration with secrets filled in; must not be shown
	redactor *redact.Redactor
	private  bool // the server has a single user
	started  time.Time

	link   link
	conn   *jsonrpc.Conn
	stderr *tail       // end of the child's standard error
	lines  *lineWriter // splits standard error into lines
	tap    *tap        // records messages

	tasks        taskOwners
	feed         *feed         // of a server of the modern era
	wake         chan struct{} // wakes follow
	outdated     [len(lists)]atomic.Bool
	failures     [len(lists)]int         // attempts to read each list that have failed since the last success; used by follow only
	announced    [len(lists)]atomic.Bool // the server has announced a change of the list
	changes      [len(lists)]atomic.Int64
	answers      atomic.Int64       // requests that the server has answered
	notices      chan notice        // queue of publish
	dropped      atomic.Int64       // number of notices dropped because the queue was full
	warned       bool               // whether dropped notices were logged; used by publish only
	invalidLines atomic.Int64       // number of lines that were not JSON-RPC messages
	cancel       context.CancelFunc // stops the goroutines of follow and feed
	listing      sync.Mutex         // held while a list is read and stored
	over         bool               // shutdown has ended; no list is stored any more; guarded by listing
	shutOnce     sync.Once
	served       atomic.Bool // a call has got its result

	mu          sync.Mutex
	description Description
	reads       [len(lists)]reading
	unstored    [len(lists)][]json.RawMessage // lists of a server that is in no registry
	leftOut     map[string]error              // tools that the server lists and that cannot be called, and why
	used        bool                          // by a call
	client      any                           // of the first call; nil if it had none
	shared      bool                          // calls of several clients have used the session
	users       map[string]bool               // ids of the clients' sessions that have called
	inFlight    int                           // number of users of the session, such as calls and checks
	leases      int                           // number of leases that have not been released
	probe       *probe                        // nil unless the server is suspected to hang
	lastUsed    time.Time
	forCheck    bool   // used by health checks only
	retired     bool   // accepts no new calls
	faded       bool   // retired by fade
	stopCause   string // cause passed to shutdown; empty if the session was idle
	stopping    bool   // shutdown was called
	unlisten    func() // ends feed.run; nil before it was started
}

// sameLaunch reports whether two configurations start the same program or
// connect to the same URL in the same way, with the same restrictions.
func sameLaunch(a, b registry.Server) bool {
	return a.Command == b.Command && a.Transport == b.Transport && a.URL == b.URL &&
		slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers) &&
		a.Sandbox == b.Sandbox && a.Grants.Equal(b.Grants)
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
	if w.call {
		client := clientOf(w.caller)
		s.shared = s.shared || s.used && s.client != client
		if !s.used {
			s.used, s.client = true, client
		}
		if w.client != "" {
			if s.users == nil {
				s.users = make(map[string]bool)
			}
			s.users[w.client] = true
		}
	}
	return true
}

// usedBy reports whether the client's session with an id has called the server.
func (s *session) usedBy(client string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[client]
}

// forget is called when a client has left.
func (s *session) forget(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, client)
}

// replace waits for the end of a session that accepts no calls, so that a new
// one can start. If the server's configuration has changed, replace ends the
// session itself.
func (s *session) replace(server registry.Server) {
	s.mu.Lock()
	faded := s.faded
	s.mu.Unlock()
	if faded {
		return // its calls go on beside the new session
	}
	if !sameLaunch(s.server, server) {
		s.shutdown("its configuration has changed")
	}
	<-s.link.gone()
}

// leave removes a user of the session, which enter has added.
func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.lastUsed = time.Now()
}

// idleFor returns how long the session has had no call in flight and no lease,
// and 0 while it has one.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 || s.leases > 0 {
		return 0
	}
	return time.Since(s.lastUsed)
}

// retire makes the session refuse new calls, unless it is in use. It reports
// whether it did.
func (s *session) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 || s.leases > 0 || s.retired {
		return false
	}
	s.retired = true
	return true
}

// ending reports whether the session refuses new calls.
func (s *session) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired
}

// fade retires a session that the server no longer knows, so that the next call
// starts a new one. Calls that the server still works on go on in this session;
// after the last of them it ends.
func (s *session) fade() {
	s.mu.Lock()
	s.retired, s.faded = true, true
	s.mu.Unlock()
	s.manager.work.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for s.conn.InFlight() > 0 {
			select {
			case <-tick.C:
			case <-s.conn.Done():
			}
		}
		s.link.stop()
	})
}

// retireUnused is retire for sessions that no client has used.
func (s *session) retireUnused() bool {
	s.mu.Lock()
	used := s.used
	s.mu.Unlock()
	return !used && s.retire()
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

func (s *session) connection() Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Connection{Protocol: s.description.ProtocolVersion, PID: s.link.pid(), Since: s.started, InFlight: s.inFlight}
}

// shutdown refuses new calls, gives calls in flight a grace period, stops the
// link and waits for its end. The errors of calls that are cut off contain
// cause. A list of tools that arrived before the end is stored before shutdown
// returns, so that the tools of a removed server can be deleted.
func (s *session) shutdown(cause string) {
	s.shutOnce.Do(func() {
		s.mu.Lock()
		s.retired, s.stopping, s.stopCause = true, true, cause
		unlisten := s.unlisten
		s.mu.Unlock()
		if unlisten != nil {
			unlisten()
		}
		s.drain()
		s.link.stop()
	})
	<-s.link.gone()
	s.listing.Lock()
	defer s.listing.Unlock()
	s.over = true
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
		return fault.Wrap(known(end.cause), fault.Failed, "the session with server %q ended (%s); the next call starts a new one", s.server.Name, s.redactor.Text(end.how))
	}
	return s.because(s.reason(), fault.Wrap(end.cause, fault.Failed, "server %q exited unexpectedly (%s); it starts again with the next call.%s", s.server.Name, end.how, s.stderrQuote()))
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
	var malformed *jsonrpc.Malformed
	var long *jsonrpc.LineTooLong
	name, what := s.server.Name, call.Method
	if tool := jsonrpc.GetString(call.Params, "name"); tool != "" && call.Method == "tools/call" {
		what = fmt.Sprintf("tool %q", tool)
	}
	switch {
	case errors.As(err, &rpc), errors.As(err, &cancelled):
		return err
	case errors.As(err, &malformed):
		return jsonrpc.NewError(jsonrpc.CodeInternalError, "server %q sent a malformed answer to %s: %s", name, what, s.redactor.Text(malformed.Why))
	case errors.As(err, &long) && long.Full:
		return fault.Wrap(err, fault.Failed, "the answer of server %q to %s had to be dropped: it has %d bytes, and too many large answers arrive at the same time; call again", name, what, long.Size)
	case errors.As(err, &long):
		return fault.Wrap(err, fault.Failed, "the answer of server %q to %s has %d bytes; the limit is %d MiB. Ask for less at a time", name, what, long.Size, maxLine>>20)
	case isClosed(err):
		return s.explainEnd(err, what)
	case fault.KindOf(err) != fault.Internal:
		return fault.Wrap(known(err), fault.KindOf(err), "the call of %s on server %q failed: %s", what, name, s.redactor.Text(fault.MessageOf(err)))
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "server %q sent neither an answer nor progress for %s within %s; the call was cancelled, and the server is restarted if it does not answer a ping either. Try a smaller request, or raise limits.call_timeout in config.yaml.%s",
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
		return fault.Wrap(known(err), fault.Failed, "the session with server %q ended while %s was running (%s); whether the call took effect is unknown. The next call starts a new one.",
			name, what, s.redactor.Text(end.how))
	}
	return s.because(s.reason(), fault.Wrap(err, fault.Failed, "server %q ended while %s was running (%s); whether the call took effect is unknown. The server starts again with the next call.%s",
		name, what, end.how, s.stderrQuote()))
}
