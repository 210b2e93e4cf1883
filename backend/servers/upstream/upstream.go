// Package upstream connects to configured MCP servers. A server has one session, which all clients share, or one for
// each client; see Target. The first call starts the session. The session is stopped when it has been idle for some time.
// Package gateway handles the sessions of agents with the hub, and package call decides who may call which server.
//
//	Manager ── slot (per target: one start at a time, back-off) ── session ── link (child process or HTTP)
//
// Manager and session consist of parts with one subject each, such as router, capacity, lister and feed.
package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// maxStarting is how many servers may be started at the same time. Starting one
// with npx or uvx keeps a processor core busy for seconds.
const maxStarting = 4

// Question is a request that a server sends to its client: for sampling, for
// elicitation or for the client's roots.
type Question struct {
	Server string
	Method string
	Params json.RawMessage // as sent by the server
	// Redactor removes the server's secrets from what the hub records about the question.
	Redactor *redact.Redactor
	// Unknown says why no client is asked. The error contains it if no person can be asked either. It is empty if a
	// client is asked.
	Unknown string
	// Client is the name of the client whose call caused the question, and Session
	// its session. Both are set for a question that a person answers in place of a
	// client, and otherwise empty.
	Client, Session string
}

// Caller is the party for which a call is made. It answers requests that the
// server sends while the call is in flight. Callers are compared with ==.
type Caller interface {
	// Ask forwards a server's request to a person or a client and returns the
	// answer unchanged. It may take minutes.
	Ask(ctx context.Context, q Question) (json.RawMessage, error)
}

// CallOf is a Caller for a single call of a client. It is asked only if it is certain that this
// call caused the request.
type CallOf interface {
	Caller
	// Client returns the client, which is compared with ==.
	Client() any
}

// clientOf returns the client for which a caller calls.
func clientOf(c Caller) any {
	if call, ok := c.(CallOf); ok {
		return call.Client()
	}
	return c
}

// Secrets resolves the secrets of servers.
type Secrets interface {
	// Fill returns l with references to secrets replaced by the values, and
	// with the server's own secrets added to Env (stdio) or Headers (remote).
	// The error is a fault that names the missing secret and contains no value.
	Fill(ctx context.Context, server string, l launch.Launch) (launch.Launch, error)
}

// Catalog stores the tools that servers list.
type Catalog interface {
	Replace(ctx context.Context, server string, definitions []json.RawMessage) (changed bool, err error)
}

// Features stores the lists of servers, except for those of tools.
type Features interface {
	Replace(ctx context.Context, server string, kind features.Kind, definitions []json.RawMessage) (changed bool, err error)
	Of(server string, kind features.Kind) []json.RawMessage
}

// Gate decides which requests to servers concern something that is held until a person approves it. The hub starts the
// server before it calls Refuse, because the server may list new definitions when it starts.
type Gate interface {
	// RefuseStart returns why a server must not be started or reached as it is configured, or nil if it may be. It does
	// no I/O.
	RefuseStart(server registry.Server) error
	// Refuse returns why a request must not be sent, or nil if it may be sent.
	Refuse(server registry.Server, method string, params json.RawMessage) error
	// Shown returns the result of a request without the parts that are held, such as items of a list.
	Shown(ctx context.Context, server, method string, result json.RawMessage) json.RawMessage
}

// Options are the dependencies and settings of a Manager.
type Options struct {
	Registry *registry.Registry
	Catalog  Catalog
	Features Features // if nil, only tools are stored
	Gate     Gate     // if nil, nothing is held for approval
	Bus      *events.Bus
	Log      *slog.Logger
	Limits   settings.Limits
	Roots    []string             // URIs of the roots that the hub reports in answers to roots/list
	Version  string               // version of this hub, sent to servers
	Secrets  Secrets              // if nil, references are not replaced
	Known    *redact.KnownSecrets // values that Secrets has returned so far
	Children string               // path of the file that lists the running child processes
	Confiner Confiner             // if nil, child processes are not restricted
	Pause    PauseSetting
	// Window answers questions that cannot be assigned to one caller. It may be
	// nil.
	Window Caller
	// Authorize returns the source of access tokens for requests to a remote server whose configuration has no
	// credentials. It may be nil.
	Authorize func(Remote) mcphttp.Authorization
	// Environment returns the environment of child processes. The variables of
	// a server's configuration are added to it.
	Environment func(context.Context) process.Env
	// LoginProblem returns why Environment is not what the user's login shell sets up; nil if it is. Errors about
	// programs that are not found contain it. It may be nil.
	LoginProblem func() error
}

// Manager owns the sessions with all servers. It is safe for concurrent use.
type Manager struct {
	Discoveries *Discoveries
	Traces      *Traces

	registry    *registry.Registry
	gate        Gate
	bus         *events.Bus
	log         *slog.Logger
	slots       *slotTable
	router      *router
	capacity    *capacity
	keeper      *keeper
	health      *healthNotes
	screen      *screen
	lists       *listPolicy
	limits      *liveLimits
	roots       []string
	version     string
	secrets     Secrets
	known       *redact.KnownSecrets
	window      Caller
	pause       PauseSetting
	authorize   func(Remote) mcphttp.Authorization
	environment func(context.Context) process.Env
	login       func() error
	confiner    Confiner

	starting chan struct{}   // holds one element for each server that is being started
	budget   *jsonrpc.Budget // for unfinished messages of all servers
	children *childList
	work     sync.WaitGroup // goroutines of sessions
	pausing  sync.Mutex     // serializes Pause and Resume
	resumed  chan struct{}  // wakes Run after Resume

	changes     <-chan registry.Changed // since New, for Run
	unsubscribe func()
}

// maxChanges is how many changes of the registry may wait for Run.
const maxChanges = 256

// New returns a manager. Calls start servers at any time. Idle servers are
// stopped only while Run is running.
func New(o Options) *Manager {
	m := &Manager{
		registry: o.Registry, gate: o.Gate, bus: o.Bus, log: o.Log, limits: newLiveLimits(o.Limits), roots: o.Roots, version: o.Version,
		secrets: o.Secrets, known: o.Known, window: o.Window, pause: o.Pause, authorize: o.Authorize,
		environment: o.Environment, login: o.LoginProblem, confiner: o.Confiner,
		starting: make(chan struct{}, maxStarting), budget: jsonrpc.NewBudget(maxUnfinished), children: newChildList(o.Children, o.Log),
		resumed: make(chan struct{}, 1), Discoveries: &Discoveries{},
	}
	m.slots = &slotTable{manager: m, slots: make(map[Target]*slot)}
	m.router = &router{slots: m.slots, registry: o.Registry, log: o.Log}
	m.capacity = &capacity{slots: m.slots, registry: o.Registry, limits: m.limits, work: &m.work}
	m.keeper = &keeper{
		slots: m.slots, router: m.router, registry: o.Registry, gate: o.Gate, log: o.Log, work: &m.work, limits: m.limits,
	}
	m.health = &healthNotes{registry: o.Registry, log: o.Log}
	m.screen = &screen{gate: o.Gate, slots: m.slots, registry: o.Registry}
	m.Traces = &Traces{slots: m.slots, registry: o.Registry}
	m.lists = &listPolicy{
		catalog: o.Catalog, features: o.Features, discoveries: m.Discoveries, limits: m.limits,
		firstRetry: firstRetry, quietPause: quietPause,
	}
	m.changes, m.unsubscribe = events.Subscribe[registry.Changed](m.bus, maxChanges)
	if o.Pause.Paused {
		m.slots.closed = ErrPaused
	}
	return m
}

// Run ends the processes that a killed hub has left running. Then, until ctx
// ends, it stops idle servers, starts servers with KeepRunning, and removes the
// slots of removed servers. At the end it gives calls in flight a grace period
// and stops all servers.
func (m *Manager) Run(ctx context.Context) error {
	m.children.endOrphans()
	m.work.Go(func() {
		m.children.endContainers(func() process.Env { return m.environment(ctx) })
	})
	defer func() { m.unsubscribe() }()
	tick := time.NewTicker(max(min(m.limits.get().IdleStop/5, 10*time.Second), 10*time.Millisecond))
	defer tick.Stop()
	measure := time.NewTicker(min(memoryEvery, max(m.limits.get().IdleStop, 10*time.Millisecond)))
	defer measure.Stop()
	m.keeper.supervise(ctx)
	for {
		select {
		case change, ok := <-m.changes:
			_, err := m.registry.Get(change.Name)
			switch {
			case !ok:
				m.changes, m.unsubscribe = events.Subscribe[registry.Changed](m.bus, maxChanges)
			case change.Removed && err != nil: // otherwise a server of the same name was added again
				m.work.Go(func() { m.Remove(change.Name) })
			case !change.Removed:
				for _, s := range m.slots.ofServer(change.Name) {
					s.hold(false)
				}
				m.keeper.supervise(ctx)
			}
		case <-tick.C:
			m.keeper.supervise(ctx)
		case <-measure.C:
			m.capacity.limitMemory()
		case <-m.resumed:
			m.keeper.supervise(ctx)
		case <-ctx.Done():
			m.slots.close(ErrStopping)
			m.work.Wait()
			return nil
		}
	}
}

// Call sends one request to a server and returns the result unchanged, unless a legacy client calls a server of the
// modern era; see Declarer. It starts the server if necessary. If the server answers with an error, the error is a
// *jsonrpc.Error; any other error is a fault that names the server. client is the id of the client's session, as for
// TargetOf.
func (m *Manager) Call(ctx context.Context, server registry.Server, client string, caller Caller, call jsonrpc.Call) (Result, error) {
	return m.CallOver(ctx, server, client, nil, caller, call)
}

// CallOver is Call over the session of a lease, as long as that session accepts calls. The lease may be nil.
func (m *Manager) CallOver(ctx context.Context, server registry.Server, client string, over *Lease, caller Caller,
	call jsonrpc.Call,
) (Result, error) {
	if call.Owner = any(nobody{}); caller != nil {
		call.Owner = caller
	}
	w := wantOf(server, client, caller)
	w.call, w.over = true, over
	return m.request(ctx, w, call)
}

// Request is Call for requests of the hub itself, such as subscriptions on behalf of several clients. Questions of the
// server are never attributed to these requests. over may be nil; see CallOver. A request that sets the log level is
// sent to all running sessions of the target.
func (m *Manager) Request(ctx context.Context, server registry.Server, client string, over *Lease, call jsonrpc.Call) (Result, error) {
	w := wantOf(server, client, nil)
	w.over = over
	if call.Method == "logging/setLevel" {
		if told, err := m.router.tell(ctx, w.target, call); told {
			return Result{JSON: json.RawMessage("{}")}, err
		}
	}
	return m.request(ctx, w, call)
}

func (m *Manager) request(ctx context.Context, w want, call jsonrpc.Call) (Result, error) {
	call.Idle = cmp.Or(call.Idle, w.server.Timeouts.Call, m.limits.get().CallTimeout)
	for retry := true; ; retry = false {
		session, err := m.router.acquire(ctx, w)
		if err != nil {
			return Result{}, err
		}
		if err := m.screen.refused(w.server, call); err != nil {
			session.use.leave()
			return Result{}, err
		}
		result, err := session.requests.request(ctx, w.caller, call)
		session.use.leave()
		if err == nil {
			session.served.Store(true)
			session.lists.answers.Add(1)
			result.session = session
			result.JSON = m.screen.shown(ctx, w.server, call.Method, result.JSON)
			return result, nil
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			if p := session.use.suspect(); p != nil {
				m.work.Go(func() { session.examine(p) })
			}
		}
		explained := session.explainer.explain(err, call)
		if !retry || !errors.Is(err, mcphttp.ErrUntouched) {
			return Result{}, explained
		}
	}
}

// startLimit returns how long a server may be silent while it starts, and how long reading one of its lists may take.
func (m *Manager) startLimit(server registry.Server) time.Duration {
	return cmp.Or(server.Timeouts.Start, m.limits.get().StartTimeout)
}

// Start starts a server and returns once its tools are listed. It ignores the
// back-off after failed starts, because a person has asked for the start. A
// server without an ID is in no registry: the manager knows it from this call
// until Remove.
func (m *Manager) Start(ctx context.Context, server registry.Server) error {
	session, err := m.started(ctx, server)
	if err == nil {
		session.use.leave()
	}
	return err
}

// started starts a server as Start does and adds a call to its session, which the caller must end with usage.leave.
func (m *Manager) started(ctx context.Context, server registry.Server) (*session, error) {
	if server.ID == 0 {
		m.slots.open(Target{Server: server.Name})
	}
	for _, s := range m.slots.ofServer(server.Name) {
		s.mu.Lock()
		s.failures, s.notBefore = 0, time.Time{}
		s.mu.Unlock()
	}
	return m.router.acquire(ctx, wantOf(server, "", nil))
}

// Refresh starts a server as Start does. If the server was running already, Refresh lists its tools again.
func (m *Manager) Refresh(ctx context.Context, server registry.Server) error {
	ran := m.slots.running(server.Name)
	session, err := m.started(ctx, server)
	if err != nil {
		return err
	}
	defer session.use.leave()
	if session != ran {
		return nil // its start has listed the tools
	}
	return m.listTools(ctx, server, session)
}

// Stop gives calls in flight a grace period and then ends the server's sessions.
// A server with KeepRunning stays stopped until a call, a Start or a change of
// its configuration.
func (m *Manager) Stop(name string) {
	inParallel(m.slots.ofServer(name), (*slot).stop)
	m.stopConfiner(name)
}

// Remove stops a server that was removed from the configuration. Later calls of
// the server fail.
func (m *Manager) Remove(name string) {
	removed := m.slots.take(func(t Target) bool { return t.Server == name })
	inParallel(removed, func(s *slot) { s.close(errRemoved) })
	m.stopConfiner(name)
}

// State describes the sessions with a server.
type State struct {
	Running  bool
	PID      int // id of one process; 0 for a remote server
	Since    time.Time
	InFlight int    // number of calls in flight in all sessions
	Version  string // the server's own version, as it reports it
	Sessions int    // number of sessions of clients that have the server for themselves
	// Connections is set if clients share two sessions, because the server speaks both eras of MCP and clients of
	// both eras use it. PID is then the id of the process of the first session.
	Connections []Connection
}

// Connection describes one session with a server.
type Connection struct {
	Protocol string // the version of MCP
	PID      int    // 0 for a remote server
	Since    time.Time
	InFlight int
}

// State returns the state of a server.
func (m *Manager) State(name string) State {
	var sum State
	for _, s := range m.slots.ofServer(name) {
		session := s.running()
		if session == nil {
			continue
		}
		about, pid, inFlight := session.profile.get(), session.link.pid(), session.use.callsInFlight()
		one := State{
			Running: true, PID: pid, Since: session.started, InFlight: inFlight, Version: about.Version, Connections: sum.Connections,
		}
		if s.target.Client == "" {
			one.Connections = append(one.Connections, Connection{about.ProtocolVersion, pid, session.started, inFlight})
		}
		if one.Sessions, one.InFlight = sum.Sessions, one.InFlight+sum.InFlight; s.target.Client != "" && !s.target.Second {
			one.Sessions++
		}
		if sum.Running {
			one.PID, one.Since, one.Version = sum.PID, sum.Since, sum.Version
		}
		sum = one
	}
	if len(sum.Connections) < 2 {
		sum.Connections = nil
	}
	return sum
}

// Stderr returns the end of a server's standard error, redacted. It is
// available after the server has ended, too.
func (m *Manager) Stderr(name string) string {
	if s := m.slots.shared(name); s != nil {
		return s.stderr()
	}
	return ""
}

// InFlight returns the number of calls in flight on all servers.
func (m *Manager) InFlight() int { return m.slots.inFlight() }

func isClosed(err error) bool { return errors.Is(err, jsonrpc.ErrClosed) }
