// Package upstream answers how a configured server is reached: one supervised
// MCP session for each, started by the first call, shared by all callers and
// stopped when idle. It knows nothing of the sessions that agents have with
// the hub, and it decides about no call.
//
//	Manager ── slot (one a server: start once, back off) ── session ── link (a child, or HTTP)
package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// maxStarting is how many servers may be starting at once: a start of npx or
// uvx takes a core for seconds.
const maxStarting = 4

// Question is a request of a server to its client: sampling or elicitation.
type Question struct {
	Server string
	Method string
	Params json.RawMessage // as they came
	// Redactor covers what the server was given, in what is kept of a question.
	Redactor *secrets.Redactor
}

// Caller is who a call is made for. A server may ask it back while the call is
// in flight. Two callers that are equal are the same one.
type Caller interface {
	// Ask passes a server's own request on and returns the answer as it came,
	// or an error that says why there is none. It may take minutes.
	Ask(ctx context.Context, q Question) (json.RawMessage, error)
}

// Secrets resolves the secrets of servers.
type Secrets interface {
	// Fill returns what a server is started with: references resolved, and its
	// own secrets in Env (stdio) or Headers (remote). An error is a fault that
	// names what is missing, and never a value.
	Fill(ctx context.Context, server string, l secrets.Launch) (secrets.Launch, error)
}

// Options are what a manager needs to know of its hub.
type Options struct {
	Registry *registry.Registry
	Catalog  *catalog.Catalog
	Bus      *events.Bus
	Log      *slog.Logger
	Limits   settings.Limits
	Roots    []string
	Version  string         // ours, told to servers
	Secrets  Secrets        // nil: references stay as they are
	Given    *secrets.Given // what Secrets has given to servers
	Children string         // file that lists the processes started, for the next hub
	Wish     Wish           // of the user that nothing runs
	// Window is asked what cannot be told to be meant for one caller; nil
	// when nobody is there.
	Window Caller
	// Environment returns what children run in, before their own variables.
	Environment func(context.Context) process.Env
}

// Manager owns the sessions with all servers. All methods are safe for
// concurrent use.
type Manager struct {
	Options
	starting chan struct{}
	children *childList
	lifetime context.Context // ends when Run has to stop
	end      context.CancelFunc
	sessions sync.WaitGroup
	pausing  sync.Mutex    // one pause or resume at a time
	resumed  chan struct{} // Run is to look after every server

	mu     sync.Mutex
	slots  map[string]*slot
	closed error // why nothing starts any more; nil while it may
}

// New returns a manager and ends what a killed hub left behind. Sessions live
// until Run returns.
func New(o Options) *Manager {
	lifetime, end := context.WithCancel(context.Background())
	m := &Manager{
		Options: o, starting: make(chan struct{}, maxStarting), children: openChildList(o.Children, o.Log),
		lifetime: lifetime, end: end, slots: make(map[string]*slot), resumed: make(chan struct{}, 1),
	}
	if o.Wish.Paused {
		m.closed = ErrPaused
	}
	return m
}

// Run stops idle servers, keeps those running that are to, and drops those
// that are removed, until ctx ends. Then calls in flight get grace, and every
// child is ended.
func (m *Manager) Run(ctx context.Context) error {
	changes, unsubscribe := events.Subscribe[registry.Changed](m.Bus, 256)
	defer func() { unsubscribe() }()
	tick := time.NewTicker(max(min(m.Limits.IdleStop/5, 10*time.Second), 10*time.Millisecond))
	defer tick.Stop()
	m.tend()
	for {
		select {
		case change, ok := <-changes:
			if !ok {
				changes, unsubscribe = events.Subscribe[registry.Changed](m.Bus, 256)
			} else if change.Removed {
				m.forget(change.Name)
			} else {
				m.tend()
			}
		case <-tick.C:
			m.tend()
		case <-m.resumed:
			m.tend()
		case <-ctx.Done():
			m.stopAll()
			return nil
		}
	}
}

// tend looks after every server once: idle ones end, kept ones start.
func (m *Manager) tend() {
	if m.Paused() {
		return
	}
	for _, server := range m.Registry.List() {
		switch s := m.find(server.Name); {
		case server.KeepRunning && server.Approved && (s == nil || !s.busy() && s.ready()):
			m.sessions.Go(func() { m.keep(server) })
		case !server.KeepRunning && s != nil:
			s.stopIdle(m.Limits.IdleStop)
		}
	}
}

// Call sends one request to a server, which it starts when needed, and returns
// the result as it came. An error answer is a *wire.Error, anything else a
// fault that names the server.
func (m *Manager) Call(ctx context.Context, server registry.Server, caller Caller, call jsonrpc.Call) (json.RawMessage, error) {
	if call.Idle == 0 {
		call.Idle = m.Limits.CallTimeout
	}
	for again := true; ; again = false {
		session, err := m.acquire(ctx, want{server: server, caller: caller})
		if err != nil {
			return nil, err
		}
		result, err := session.conn.Call(ctx, call)
		session.leave(caller)
		if err == nil {
			return result, nil
		}
		explained := session.explain(err, call)
		if !again || !errors.Is(err, mcphttp.ErrUntouched) {
			return nil, explained
		}
	}
}

// Start brings a server up and returns once its tools are listed. It does not
// wait for a back-off to pass: a person asked. A server that is configured
// nowhere, one with no ID, begins to exist for the manager here; it runs until
// its owner removes it.
func (m *Manager) Start(ctx context.Context, server registry.Server) error {
	if server.ID == 0 {
		m.open(server.Name)
	} else if s := m.find(server.Name); s != nil {
		s.forgive()
	}
	session, err := m.acquire(ctx, want{server: server})
	if err == nil {
		session.leave(nil)
	}
	return err
}

// Stop ends a server's session; calls in flight get grace.
func (m *Manager) Stop(name string) {
	if s := m.find(name); s != nil {
		s.stop()
	}
}

// Remove ends a removed server's process and lets nobody start it again.
func (m *Manager) Remove(name string) {
	m.mu.Lock()
	s := m.slots[name]
	delete(m.slots, name)
	m.mu.Unlock()
	if s != nil {
		s.close(errRemoved)
	}
}

// State is what is known of a server's session.
type State struct {
	Running  bool
	PID      int // 0 where it is no process of ours
	Since    time.Time
	InFlight int
	Version  string // the server's own
}

// State returns the state of a server.
func (m *Manager) State(name string) State {
	if session := m.running(name); session != nil {
		return session.state()
	}
	return State{}
}

// Stderr returns the last of what a server wrote to its standard error,
// covered; also after it has ended.
func (m *Manager) Stderr(name string) string {
	if s := m.find(name); s != nil {
		return s.stderr()
	}
	return ""
}

// InFlight counts the calls in flight on all servers.
func (m *Manager) InFlight() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, s := range m.slots {
		if session := s.running(); session != nil {
			n += session.state().InFlight
		}
	}
	return n
}

// acquire returns the session of a server with the wish entered into it.
func (m *Manager) acquire(ctx context.Context, w want) (*session, error) {
	s := m.find(w.server.Name)
	if s == nil {
		// One that was removed meanwhile is not to come back.
		if _, err := m.Registry.ByID(w.server.ID); err != nil {
			return nil, errRemoved
		}
		s = m.open(w.server.Name)
	}
	return s.acquire(ctx, w)
}

// find returns a server's slot, nil when it has none.
func (m *Manager) find(name string) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots[name]
}

// running returns a server's session, nil when it has none.
func (m *Manager) running(name string) *session {
	if s := m.find(name); s != nil {
		return s.running()
	}
	return nil
}

// open returns a server's slot, and makes it where there is none.
func (m *Manager) open(name string) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[name]
	if s == nil {
		s = &slot{manager: m, name: name, output: newOutput(), closed: m.closed}
		m.slots[name] = s
	}
	return s
}

// forget removes a server that is in the registry no more.
func (m *Manager) forget(name string) {
	if _, err := m.Registry.Get(name); err != nil {
		m.sessions.Go(func() { m.Remove(name) })
	}
}

// stopAll ends every server at once, and waits.
func (m *Manager) stopAll() {
	m.mu.Lock()
	m.closed = errStopping
	var stopping sync.WaitGroup
	for _, s := range m.slots {
		stopping.Go(func() { s.close(errStopping) })
	}
	m.mu.Unlock()
	stopping.Wait()
	m.end()
	m.sessions.Wait()
}

// errStopping is what a call gets that comes while the hub ends.
var errStopping = fault.Wrap(errEnded, fault.Unavailable, "the hub is stopping; try again in a moment")

func isClosed(err error) bool { return errors.Is(err, jsonrpc.ErrClosed) }
