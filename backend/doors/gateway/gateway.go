// Package gateway is the MCP server that editors and other clients talk to. A
// session lists the hub's tools of its surface, as registry, then the tools of active
// servers, and the session tools: those that find_tool has added to this
// session. Calls go to call.Call, and results are passed on as the bytes that
// the server sent.
package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/longresult"
	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Usage counts the calls of each server in this installation.
type Usage interface{ Usage() map[string]int }

// Learner records which tools find_tool and find_tools returned to a session,
// and whether the session's later calls of these tools succeeded.
type Learner interface {
	Asked(session string, answers ...learning.Answer)
	Called(session string, tool catalog.Key, ok bool)
}

// Person answers what servers ask if the client cannot.
type Person interface {
	upstream.Caller
	// Present reports whether a window or the tray shows questions now.
	Present() bool
	// CanAnswer reports whether a question can be answered: somebody is present, or the
	// answer is remembered.
	CanAnswer(ctx context.Context, q upstream.Question) bool
	// EndSession forgets the answers that were given for a session only.
	EndSession(session string)
}

// Options are the dependencies of a Gateway.
type Options struct {
	Registry     *registry.Registry
	Catalog      *catalog.Catalog
	Listings     *features.Listings
	Search       *search.Searcher
	Intake       *intake.Intake
	Lifecycle    *lifecycle.Manager
	Setup        *setup.Syncer
	Calls        *call.Pipeline
	Policy       *rules.Current
	Usage        Usage
	SessionTools SessionToolStore
	Slugs        SlugStore
	History      *ClientHistory
	Learning     Learner
	Person       Person          // may be nil
	SignIns      SignIns         // may be nil
	Readiness    Readiness       // if nil, all servers count as ready
	Arrivals     Arrivals        // may be nil
	Market       Market          // may be nil
	Toolsets     *toolset.Keeper // may be nil
	Bus          *events.Bus
	Log          *slog.Logger
	Version      string // of the hub, sent to clients
	// StateKey encrypts the states of calls that wait for input; see pendinginput.NewKey.
	// With a key that outlives the process, clients can continue calls of modern
	// servers after a restart. Without a key, each process has its own.
	StateKey []byte
	// AddFound tells by the ids of editors whether find_tool adds tools to the lists of
	// their sessions. For others, the surface decides.
	AddFound map[string]bool
	// ResultsFolder is where clients may save images, sounds and files of long results;
	// empty if they may not.
	ResultsFolder string
	// Outdated reports whether the tools of a server are to be listed again before the
	// surface Meta shows them; nil if the catalog is always used.
	Outdated func(server string) bool
}

// Gateway serves sessions. It is safe for concurrent use.
type Gateway struct {
	registry      *registry.Registry
	catalog       *catalog.Catalog
	listings      *features.Listings
	search        *search.Searcher
	intake        *intake.Intake
	lifecycle     *lifecycle.Manager
	setup         *setup.Syncer
	outdated      func(server string) bool // nil for never
	calls         *call.Pipeline
	policy        *rules.Current
	usage         Usage
	sessionTools  *sessionToolSaver
	history       *ClientHistory
	learning      Learner
	person        Person
	signIns       SignIns
	readiness     Readiness
	arrivals      Arrivals
	market        Market
	toolsets      *toolset.Keeper
	bus           *events.Bus
	log           *slog.Logger
	version       string
	addFoundFor   choices                // see Options.AddFound
	resultsFolder atomic.Pointer[string] // see Options

	adapted       schemaCache
	rosters       rosters
	appTools      appTools
	toldLevels    toldLevels
	results       longresult.Store
	slugs         *slugs
	subscriptions subscriptions
	parked        *pendinginput.Lot
	sealer        *pendinginput.Sealer      // of the states of modern servers
	settling      chan chan struct{}        // requests of settle
	over          chan struct{}             // closed when Run returns
	working       sync.WaitGroup            // goroutines of Run
	active        [len(shownLists)][]string // active servers that have such a list; used by Run only

	mu       sync.Mutex
	sessions map[*Session]struct{}
}

// New returns a gateway.
func New(o Options) *Gateway {
	sealer, err := pendinginput.NewSealer(o.StateKey)
	if err != nil {
		sealer, _ = pendinginput.NewSealer(pendinginput.NewKey()) // the key has the right size
	}
	g := &Gateway{
		registry: o.Registry, catalog: o.Catalog, listings: o.Listings, search: o.Search, intake: o.Intake, lifecycle: o.Lifecycle, setup: o.Setup, outdated: o.Outdated, calls: o.Calls, policy: o.Policy,
		usage: o.Usage, sessionTools: newSessionToolSaver(o.SessionTools, o.Log), history: o.History, learning: o.Learning, person: o.Person, signIns: o.SignIns, readiness: o.Readiness, arrivals: o.Arrivals, market: o.Market, toolsets: o.Toolsets, bus: o.Bus, log: o.Log, version: o.Version, addFoundFor: choices{of: o.AddFound},
		sessions: make(map[*Session]struct{}), slugs: newSlugs(o.Slugs, o.Log), subscriptions: subscriptions{calls: o.Calls}, parked: pendinginput.New(sealer), sealer: sealer,
		settling: make(chan chan struct{}), over: make(chan struct{}),
	}
	g.resultsFolder.Store(&o.ResultsFolder)
	return g
}

// Serve runs the session of one client until the client's stream ends. The Peer of o is
// the other end of the stream.
func (g *Gateway) Serve(ctx context.Context, o Opening, stream io.ReadWriter) error {
	serving := &handler{}
	conn := jsonrpc.NewConn(stream, stream, serving, jsonrpc.Options{IDPrefix: IDPrefix, InOrder: "initialize"})
	o.Peer = pipe{conn}
	serving.Session = g.Open(ctx, o)
	defer serving.Close(ctx)
	return conn.Run(ctx)
}

// handler passes messages to a session that is opened after its connection is made.
type handler struct{ *Session }

// endParked ends the parked calls of a session.
func (g *Gateway) endParked(s *Session) {
	g.parked.End(func(b pendinginput.Binding) bool { return b.Session == s.id }, errClientGone)
}

// Run passes changes of lists and notifications of servers on to sessions, and
// stores session tools that could not be stored at once, until ctx ends.
func (g *Gateway) Run(ctx context.Context) error {
	defer close(g.over)
	g.working.Go(func() { g.sessionTools.run(ctx) })
	g.working.Go(func() { g.slugs.run(ctx) })
	defer g.working.Wait()
	for first := true; ctx.Err() == nil; first = false {
		from := g.open()
		g.announce()
		if !first {
			g.announceMissed()
		}
		g.follow(ctx, from)
		from.close()
	}
	return nil
}

// forget removes the tools of a removed server from the session tools of all
// sessions, because a later server of the same name is a different server.
func (g *Gateway) forget(ctx context.Context, server string) {
	for _, s := range g.all() {
		s.forget(server)
	}
	g.sessionTools.forget(ctx, server)
}

// announce wakes all sessions, so that they look whether their lists have changed.
// It does not block, so that a client that does not read cannot delay the others.
func (g *Gateway) announce() {
	for _, s := range g.all() {
		s.outbox.ring()
	}
}

func (g *Gateway) all() []*Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]*Session, 0, len(g.sessions))
	for s := range g.sessions {
		out = append(out, s)
	}
	return out
}

// Client describes a connected session.
type Client struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Calls   int    `json:"calls_in_flight"`
	Toolset string `json:"toolset,omitempty" doc:"Toolset whose tools alone the client is shown; missing if it is shown another surface."`
	Project
}

// errClientGone is the cause of the end of parked calls whose client has left.
var errClientGone = errors.New("the client has disconnected")

// serverInfo describes this program to clients.
func (g *Gateway) serverInfo() json.RawMessage {
	raw, _ := encode(struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}{"agent-discover", "Agent Discover", g.version}) // strings cannot fail
	return raw
}

func (g *Gateway) clientsChanged() { events.Publish(g.bus, ClientsChanged{}) }

// ClientsChanged is published when the result of Clients has changed.
type ClientsChanged struct{}

// Clients returns the connected sessions, sorted by client name.
func (g *Gateway) Clients() []Client {
	out := []Client{}
	for _, s := range g.all() {
		out = append(out, s.client())
	}
	slices.SortFunc(out, func(a, b Client) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Session, b.Session))
	})
	return out
}

// ActiveTools returns the tools that every session lists whose client has no limits: the
// enabled ones of approved, active servers.
func (g *Gateway) ActiveTools() []*catalog.Tool { return g.activeTools(g.rules()) }

func (g *Gateway) activeTools(r ruleset) []*catalog.Tool {
	var out []*catalog.Tool
	for _, server := range g.registry.List() {
		if server.Enabled && server.Approved {
			out = append(out, r.Allowed(r.Of(server.Name))...)
		}
	}
	return out
}

// findable returns a filter that accepts the tools of approved servers that models may
// call by some rules, which are the tools that find_tool may return.
func (g *Gateway) findable(r ruleset) func(*catalog.Tool) bool {
	approved, forModels := make(map[string]bool), g.forModels()
	for _, server := range g.registry.List() {
		approved[server.Name] = server.Approved
	}
	return func(t *catalog.Tool) bool { return approved[t.Server] && forModels(t) && r.Allows(t) }
}
