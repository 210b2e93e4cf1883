// Package upstream connects to configured MCP servers. Each server has at most
// one supervised session, which the first call starts, all callers share, and
// an idle time ends. The package does not know the sessions that agents have
// with the hub, and it does not decide who may call what: packages gateway and
// proxy do.
//
//	Manager ── slot (per server: one start at a time, back-off) ── session ── link (child process or HTTP)
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
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// maxStarting is how many servers may start at once. A start with npx or uvx
// keeps a core busy for seconds.
const maxStarting = 4

// Question is a request that a server sends to its client: sampling or
// elicitation.
type Question struct {
	Server string
	Method string
	Params json.RawMessage // as the server sent them
	// Redactor redacts the server's secrets in records of the question.
	Redactor *secrets.Redactor
}

// Caller is the party that a call is made for. While the call is in flight, the
// server may send it requests of its own. Callers are compared with ==.
type Caller interface {
	// Ask forwards a server's request and returns the answer unchanged. It may
	// take minutes.
	Ask(ctx context.Context, q Question) (json.RawMessage, error)
}

// Secrets resolves the secrets of servers.
type Secrets interface {
	// Fill returns what a server is started with: references resolved, and its
	// own secrets in Env (stdio) or Headers (remote). An error is a fault that
	// names what is missing, and never a value.
	Fill(ctx context.Context, server string, l secrets.Launch) (secrets.Launch, error)
}

// Catalog receives the tools that servers list.
type Catalog interface {
	Replace(ctx context.Context, server string, definitions []json.RawMessage) (changed bool, err error)
}

// Options are the dependencies and settings of a Manager.
type Options struct {
	Registry *registry.Registry
	Catalog  Catalog
	Bus      *events.Bus
	Log      *slog.Logger
	Limits   settings.Limits
	Roots    []string       // answer to roots/list
	Version  string         // of this hub, sent to servers
	Secrets  Secrets        // nil: references are not resolved
	Given    *secrets.Given // the values that Secrets has handed out
	Children string         // file that lists the running child processes
	Pause    PauseSetting
	// Window answers questions that belong to no single caller. It may be nil.
	Window Caller
	// Environment returns the environment of child processes, without the
	// variables of their configuration.
	Environment func(context.Context) process.Env
}

// Manager owns the sessions with all servers. It is safe for concurrent use.
type Manager struct {
	registry    *registry.Registry
	catalog     Catalog
	bus         *events.Bus
	log         *slog.Logger
	limits      settings.Limits
	roots       []string
	version     string
	secrets     Secrets
	given       *secrets.Given
	window      Caller
	savePause   func(bool) error
	environment func(context.Context) process.Env

	starting chan struct{} // one element per server that is starting
	children *childList
	work     sync.WaitGroup // goroutines of sessions
	pausing  sync.Mutex     // serializes Pause and Resume
	resumed  chan struct{}  // wakes Run after Resume

	mu     sync.Mutex
	slots  map[string]*slot
	closed error // why no server may start; nil while servers may start
}

// New returns a manager. Calls start servers at once; idle servers are stopped,
// and sessions end, only if Run runs.
func New(o Options) *Manager {
	m := &Manager{
		registry: o.Registry, catalog: o.Catalog, bus: o.Bus, log: o.Log, limits: o.Limits, roots: o.Roots, version: o.Version,
		secrets: o.Secrets, given: o.Given, window: o.Window, savePause: o.Pause.Save, environment: o.Environment,
		starting: make(chan struct{}, maxStarting), children: newChildList(o.Children, o.Log),
		slots: make(map[string]*slot), resumed: make(chan struct{}, 1),
	}
	if o.Pause.Paused {
		m.closed = ErrPaused
	}
	return m
}

// Run ends the processes that a killed hub left behind. Then, until ctx ends,
// it stops idle servers, starts those with KeepRunning, and drops removed ones.
// At the end it gives calls in flight a grace period and stops all servers.
func (m *Manager) Run(ctx context.Context) error {
	m.children.endOrphans()
	changes, unsubscribe := events.Subscribe[registry.Changed](m.bus, 256)
	defer func() { unsubscribe() }()
	tick := time.NewTicker(max(min(m.limits.IdleStop/5, 10*time.Second), 10*time.Millisecond))
	defer tick.Stop()
	m.supervise(ctx)
	for {
		select {
		case change, ok := <-changes:
			if !ok {
				changes, unsubscribe = events.Subscribe[registry.Changed](m.bus, 256)
			} else if change.Removed {
				m.dropRemoved(change.Name)
			} else {
				m.supervise(ctx)
			}
		case <-tick.C:
			m.supervise(ctx)
		case <-m.resumed:
			m.supervise(ctx)
		case <-ctx.Done():
			m.stopAll()
			return nil
		}
	}
}

// supervise starts the servers with KeepRunning that do not run, and stops the
// idle ones among the others.
func (m *Manager) supervise(ctx context.Context) {
	if m.Paused() {
		return
	}
	for _, server := range m.registry.List() {
		switch s := m.slot(server.Name); {
		case server.KeepRunning && server.Approved && (s == nil || !s.busy() && s.startAllowed()):
			m.work.Go(func() { m.keepRunning(ctx, server) })
		case !server.KeepRunning && s != nil:
			s.stopIdle(m.limits.IdleStop)
		}
	}
}

// Call sends one request to a server, which it starts if necessary, and returns
// the result unchanged. An error answer of the server is a *jsonrpc.Error; any
// other error is a fault that names the server.
func (m *Manager) Call(ctx context.Context, server registry.Server, caller Caller, call jsonrpc.Call) (json.RawMessage, error) {
	if call.Idle == 0 {
		call.Idle = m.limits.CallTimeout
	}
	for retry := true; ; retry = false {
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
		if !retry || !errors.Is(err, mcphttp.ErrUntouched) {
			return nil, explained
		}
	}
}

// Start starts a server and returns once its tools are listed. It ignores the
// back-off after failed starts, because a person asked for it. A server without
// an ID is in no registry: it exists from this call until Remove.
func (m *Manager) Start(ctx context.Context, server registry.Server) error {
	if server.ID == 0 {
		m.openSlot(server.Name)
	} else if s := m.slot(server.Name); s != nil {
		s.resetBackoff()
	}
	session, err := m.acquire(ctx, want{server: server})
	if err == nil {
		session.leave(nil)
	}
	return err
}

// Stop ends a server's session after a grace period for calls in flight.
func (m *Manager) Stop(name string) {
	if s := m.slot(name); s != nil {
		s.stop()
	}
}

// Remove stops a server that was removed from the configuration. Later calls of
// it fail.
func (m *Manager) Remove(name string) {
	m.mu.Lock()
	s := m.slots[name]
	delete(m.slots, name)
	m.mu.Unlock()
	if s != nil {
		s.close(errRemoved)
	}
}

// State describes a server's session.
type State struct {
	Running  bool
	PID      int // 0 for a remote server
	Since    time.Time
	InFlight int
	Version  string // of the server, as it reports it
}

// State returns the state of a server's session.
func (m *Manager) State(name string) State {
	if session := m.running(name); session != nil {
		return session.state()
	}
	return State{}
}

// Stderr returns the end of a server's standard error, redacted. It is kept
// after the server has ended.
func (m *Manager) Stderr(name string) string {
	if s := m.slot(name); s != nil {
		return s.stderr()
	}
	return ""
}

// InFlight returns the number of calls in flight on all servers.
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

// acquire returns a server's session, started if necessary, and counts a call
// in. The caller ends the call with session.leave.
func (m *Manager) acquire(ctx context.Context, w want) (*session, error) {
	s := m.slot(w.server.Name)
	if s == nil {
		// The caller's copy of the server may be older than its removal.
		if _, err := m.registry.ByID(w.server.ID); err != nil {
			return nil, errRemoved
		}
		s = m.openSlot(w.server.Name)
	}
	return s.acquire(ctx, w)
}

// slot returns a server's slot, or nil.
func (m *Manager) slot(name string) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots[name]
}

// openSlot returns a server's slot and creates it if necessary.
func (m *Manager) openSlot(name string) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[name]
	if s == nil {
		s = &slot{manager: m, name: name, output: newOutput(), closed: m.closed}
		m.slots[name] = s
	}
	return s
}

// running returns a server's session, or nil.
func (m *Manager) running(name string) *session {
	if s := m.slot(name); s != nil {
		return s.running()
	}
	return nil
}

// dropRemoved removes a server's slot unless the registry has a server of that
// name again.
func (m *Manager) dropRemoved(name string) {
	if _, err := m.registry.Get(name); err != nil {
		m.work.Go(func() { m.Remove(name) })
	}
}

// stopAll stops all servers in parallel and returns when nothing of them is
// left.
func (m *Manager) stopAll() {
	m.mu.Lock()
	m.closed = errStopping
	var stopping sync.WaitGroup
	for _, s := range m.slots {
		stopping.Go(func() { s.close(errStopping) })
	}
	m.mu.Unlock()
	stopping.Wait()
	m.work.Wait()
}

// errStopping is the error of calls that arrive while the hub stops.
var errStopping = fault.Wrap(errEnded, fault.Unavailable, "the hub is stopping; try again in a moment")

func isClosed(err error) bool { return errors.Is(err, jsonrpc.ErrClosed) }
