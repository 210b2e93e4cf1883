package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// exitGrace is how long a child may take to exit after its input was closed, and again after SIGTERM.
var exitGrace = 2 * time.Second

const (
	grace = 5 * time.Second // how long calls in flight may continue when a server is stopped
	// engineGrace takes the place of exitGrace if the child is the client of a container engine, because the client
	// removes the container before it exits.
	engineGrace = 8 * time.Second
	killGrace   = 5 * time.Second // how long the system may take to end a child that was killed
	drainGrace  = 5 * time.Second // how long the output of a child is read after its end
	maxLine     = 256 << 20       // bytes of one message; larger than any real result
	// rememberedOwners is how many answered calls are remembered with their callers. A question of the server may still
	// come on the stream of such a call, or name the call.
	rememberedOwners = 256
	// maxFirstLine is the limit in place of maxLine until a child process has completed the handshake.
	maxFirstLine = 8 << 20
	// maxUnfinished is how many bytes the unfinished messages of all servers may
	// take together.
	maxUnfinished = 384 << 20
	stderrShown   = 2000 // bytes of standard error that an error text quotes
)

// origin contains the properties of a session that are fixed from its start.
type origin struct {
	server   registry.Server // configuration at the start
	target   Target
	private  bool   // the server has a single user
	advice   string // what a person can do if the server does not start; may be empty
	redactor *redact.Redactor
	log      *slog.Logger
	bus      *events.Bus
}

// session is one running server and the MCP session with it. Its fields are set before the first
// message is read, except cancel, which is set before the session is used. A part that changes
// has a lock of its own, which guards its own fields only. No part calls another one while it
// holds its lock, except that a lister reads and stores a list while it holds lister.reading. A
// slot may hold its lock while it calls a part.
type session struct {
	*origin
	manager *Manager
	at      *slot
	filled  registry.Server // configuration with secrets filled in; must not be shown
	started time.Time

	link      link
	conn      *jsonrpc.Conn
	tap       *tap // records messages
	profile   *profile
	use       *usage
	stderr    *errorOutput
	explainer *explainer
	peer      *peer
	lists     *lister
	feed      *feed // started for servers of the modern era only
	notices   *noticeQueue
	requests  *requester
	inbox     *inbox

	cancel   context.CancelFunc // stops the goroutines of lists and feed
	shutOnce sync.Once
	served   atomic.Bool // a call has got its result
}

// announcer publishes Announced for a session; taken becomes Announced.Taken.
type announcer func(method string, params json.RawMessage, taken any)

// newSession returns a session without a link.
func newSession(at *slot, w want, filled registry.Server) *session {
	m := at.manager
	redactor := m.known.Redactor(at.owner(), launch.Of(filled)) // a private copy has the secrets of its owner
	o := &origin{server: w.server, target: at.target, private: at.privacy() != nil, redactor: redactor, log: m.log, bus: m.bus}
	s := &session{origin: o, manager: m, at: at, filled: filled, started: time.Now(), profile: &profile{}, inbox: &inbox{}}
	s.stderr = &errorOutput{
		tail: &tail{}, redactor: o.redactor, env: filled.Env,
		lines: &lineWriter{to: at.output, bus: m.bus, server: w.server.Name, redactor: o.redactor},
	}
	s.tap = newTap(at.messages, o.redactor)
	return s
}

// assemble builds the parts of a session on its link. The connection, whose messages go to
// s.inbox, must not run yet.
func (s *session) assemble(l link, conn *jsonrpc.Conn) {
	m, o := s.manager, s.origin
	s.link, s.conn = l, conn
	s.use = &usage{ended: conn.Done(), lastUsed: time.Now()}
	s.explainer = &explainer{origin: o, link: l, stderr: s.stderr, use: s.use}
	s.peer = &peer{conn: conn, profile: s.profile, version: m.version}
	s.lists = &lister{
		origin: o, at: s.at, policy: m.lists, peer: s.peer, profile: s.profile, remote: l.pid() == 0,
		announced: s.announce, wake: make(chan struct{}, 1),
	}
	s.feed = &feed{
		origin: o, peer: s.peer, lists: s.lists, announced: s.announce, work: &m.work,
		wake: make(chan struct{}, 1), acks: make(chan json.RawMessage, 1),
		topics: make(map[topic]bool), changed: make(chan struct{}), settled: -1,
	}
	s.notices = &noticeQueue{origin: o, ended: conn.Done(), queue: make(chan notice, maxNotices)}
	tasks, roots := &taskOwners{}, &roots{origin: o, use: s.use, of: m.Roots}
	s.requests = &requester{origin: o, peer: s.peer, lists: s.lists, feed: s.feed, tasks: tasks, roots: roots, window: m.window}
	*s.inbox = inbox{
		origin: o, conn: conn, profile: s.profile, attribution: &attribution{conn: conn, tasks: tasks, use: s.use}, roots: roots,
		window: m.window, lists: s.lists, feed: s.feed, notices: s.notices, announced: s.announce, stderr: s.stderr,
	}
}

// sameLaunch reports whether two configurations start the same program or
// connect to the same URL in the same way, with the same restrictions.
func sameLaunch(a, b registry.Server) bool {
	return a.Command == b.Command && a.Dir == b.Dir && a.Transport == b.Transport && a.URL == b.URL &&
		slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers) &&
		a.Sandbox == b.Sandbox && a.Grants.Equal(b.Grants)
}

// replace waits for the end of a session that accepts no calls, so that a new
// one can start. If the server's configuration has changed, replace ends the
// session itself.
func (s *session) replace(server registry.Server) {
	if s.use.hasFaded() {
		return // its calls go on beside the new session
	}
	if !sameLaunch(s.server, server) {
		s.shutdown("its configuration has changed")
	}
	<-s.link.gone()
}

// fade retires a session that the server no longer knows, so that the next call starts
// a new session. Calls that the server still works on go on in the old session, which
// ends after the last of them.
func (s *session) fade() {
	s.use.fade()
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

// shutdown refuses new calls, gives calls in flight a grace period, stops the
// link and waits for its end. The errors of calls that are cut off contain
// cause. A list of tools that arrived before the end is stored before shutdown
// returns, so that the tools of a removed server can be deleted.
func (s *session) shutdown(cause string) {
	s.shutOnce.Do(func() {
		s.use.stop(cause)
		s.feed.stop()
		s.drain()
		s.link.stop()
	})
	<-s.link.gone()
	s.lists.close()
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
	stopping, _ := s.use.stopped()
	if end := s.link.ending(); !stopping && !end.benign {
		return s.explainer.ended(end)
	}
	return nil
}

// announce implements announcer.
func (s *session) announce(method string, params json.RawMessage, taken any) {
	client, _, shared := s.use.clients()
	if shared {
		client = nil
	}
	events.Publish(s.bus, Announced{
		Server: s.server.Name, Session: s.target.Client, Method: method, Params: params, Client: client, Taken: taken, from: s,
	})
}
