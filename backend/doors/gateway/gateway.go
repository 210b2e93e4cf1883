// Package gateway is the MCP server that editors and other clients talk to. A session lists the hub's own tools of its
// surface, then the tools of always listed servers, then the session tools: those that find_tool has added to this
// session. Tool calls go through call.Pipeline, and results are passed on as the bytes that the server sent. Modern
// clients, servers and requests are those of MCP 2026-07-28; legacy ones are those of earlier versions. The era says
// which of the two applies.
//
// A Session receives the messages of one client and passes them to its parts. clientInfo and clientCaller describe the
// client. clientTools, toolList and changes decide what the client is shown. toolCalls, requests, sessionTasks,
// legacySubscriptions and modernRequests serve the client's requests. The surface of a session decides whether its
// client is shown the whole hub (allServers, with the tools of package meta or registrytool), one toolset
// (toolsetview.View) or one server (oneServer). All sessions share the parts of the Gateway.
package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
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
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/meta"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
	"github.com/agent-discover/agent-discover/backend/doors/longresult"
	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Usage counts the calls of each server in this installation.
type Usage interface{ Usage() map[string]int }

// Person answers requests of servers, such as elicitation, that the client cannot answer.
type Person interface {
	upstream.Caller
	// Present reports whether a window or the tray shows questions now.
	Present() bool
	// CanAnswer reports whether a question can be answered: somebody is present, or the
	// answer is remembered.
	CanAnswer(ctx context.Context, q upstream.Question) bool
	// EndSession forgets the answers that a person gave only for this session.
	EndSession(session string)
}

// Options are the dependencies of a Gateway.
type Options struct {
	Registry     *registry.Registry
	Catalog      *catalog.Catalog
	Features     *features.Keeper
	Search       *search.Searcher
	Intake       *intake.Intake
	Lifecycle    *lifecycle.Manager
	Setup        *setup.Syncer
	Calls        *call.Pipeline
	Rules        *rules.Current
	Usage        Usage
	SessionTools SessionToolStore
	Slugs        SlugStore
	History      *ClientHistory
	Learning     *learning.Learning
	Person       Person              // may be nil
	SignIns      SignIns             // may be nil
	Readiness    *readiness.Reader   // if nil, all servers count as ready
	Arrivals     finding.Arrivals    // may be nil
	Market       registrytool.Market // may be nil
	Toolsets     *toolset.Keeper     // may be nil
	Bus          *events.Bus
	Log          *slog.Logger
	Version      string // of the hub, sent to clients
	// StateKey encrypts the states of calls that wait for input; see pendinginput.NewKey.
	// With a key that outlives the process, clients can continue calls of modern
	// servers after a restart. If StateKey is empty, each process makes its own key.
	StateKey []byte
	// AddFound says, by editor id, whether find_tool adds tools to the lists of an editor's sessions. If an
	// editor is not in the map, the surface decides.
	AddFound map[string]bool
	// ResultsFolder is the folder in which clients may save images, sounds and files of long results; empty if
	// they may not save any.
	ResultsFolder string
	// Outdated reports whether a server must list its tools again before the surface Meta shows them. If it is
	// nil, the catalog is always used.
	Outdated func(server string) bool
}

// Gateway serves sessions. It is safe for concurrent use.
type Gateway struct {
	registry      *registry.Registry
	features      *features.Keeper
	intake        *intake.Intake
	lifecycle     *lifecycle.Manager
	setup         *setup.Syncer
	calls         *call.Pipeline
	toolsets      *toolset.Keeper
	market        registrytool.Market
	learning      *learning.Learning
	person        Person
	signIns       SignIns
	bus           *events.Bus
	version       string
	addFoundFor   choices                // see Options.AddFound
	resultsFolder atomic.Pointer[string] // see Options

	inventory     *inventory.Inventory
	finder        *finding.Finder
	roster        *roster.Keeper
	meta          *meta.Hub
	slugs         *slugs
	translation   *translation
	definitions   *definitions
	lists         *featureLists
	introductions *introductions
	results       longresult.Store
	pending       *pendingCalls
	subscriptions *resourceSubscriptions
	sessions      *sessions
	sessionTools  *sessionToolSaver
	levels        *serverLevels
	feed          *feed
	context       contextUse
}

// New returns a gateway.
func New(o Options) *Gateway {
	sealer, err := pendinginput.NewSealer(o.StateKey)
	if err != nil { // without a key of the right size, use one for this process only
		sealer, _ = pendinginput.NewSealer(pendinginput.NewKey()) // NewKey returns a key of the right size
	}
	g := &Gateway{
		registry: o.Registry, features: o.Features, intake: o.Intake, lifecycle: o.Lifecycle, setup: o.Setup, calls: o.Calls,
		toolsets: o.Toolsets, market: o.Market, learning: o.Learning, person: o.Person, signIns: o.SignIns, bus: o.Bus, version: o.Version,
		addFoundFor: choices{of: o.AddFound},
		inventory:   inventory.New(o.Registry, o.Catalog, o.Rules), pending: &pendingCalls{lot: pendinginput.New(sealer), sealer: sealer},
		slugs:         &slugs{store: o.Slugs, log: o.Log, unsaved: make(chan struct{}, 1), toSave: make(map[int64]string)},
		subscriptions: &resourceSubscriptions{pipeline: o.Calls}, sessions: &sessions{open: make(map[*Session]struct{})},
		sessionTools: &sessionToolSaver{
			store: o.SessionTools, log: o.Log, due: make(map[string]*sessionTools), failed: make(chan struct{}, 1),
		},
		introductions: &introductions{o.Features, o.Calls, o.Log},
	}
	g.resultsFolder.Store(&o.ResultsFolder)
	g.finder = finding.New(g.inventory, o.Search, o.Arrivals, o.Readiness)
	g.roster = roster.NewKeeper(o.Registry, g.inventory, o.Usage.Usage)
	g.meta = meta.NewHub(meta.HubOptions{
		Registry: o.Registry, Inventory: g.inventory, Finder: g.finder, Roster: g.roster, Slug: g.slugs.of, Outdated: o.Outdated,
		Servers: processes{o.Calls, o.Lifecycle},
	})
	g.translation = &translation{registry: o.Registry, catalog: o.Catalog, features: o.Features, slugs: g.slugs}
	g.definitions = &definitions{translation: g.translation}
	g.lists = &featureLists{o.Features, g.slugs}
	g.levels = &serverLevels{pipeline: o.Calls, sessions: g.sessions, log: o.Log}
	g.feed = &feed{
		bus: o.Bus, sessions: g.sessions, inventory: g.inventory, pipeline: o.Calls, lists: g.lists, translation: g.translation,
		introductions: g.introductions, subscriptions: g.subscriptions, levels: g.levels, found: g.sessionTools,
		settling: make(chan chan struct{}), over: make(chan struct{}), early: subscribe(o.Bus),
	}
	g.context = contextUse{registry: o.Registry, inventory: g.inventory, sessions: g.sessions, history: o.History}
	return g
}

// processes implements meta.Servers with the call pipeline and the lifecycle of servers.
type processes struct {
	pipeline  *call.Pipeline
	lifecycle *lifecycle.Manager
}

// Held implements meta.Servers.
func (p processes) Held(server, tool string) error { return p.pipeline.Held(server, tool) }

// Running implements meta.Servers.
func (p processes) Running(server string) bool {
	_, running := p.pipeline.Describe(server)
	return running
}

// Refresh implements meta.Servers.
func (p processes) Refresh(ctx context.Context, server string) error {
	_, err := p.lifecycle.Refresh(ctx, server)
	return err
}

// Serve runs the session of one client until the client's stream ends. It sets o.Peer to a Peer that sends on the
// stream. If the stream is a Repeater, it leaves the requests to it that the hub did not carry out because it is stopping.
func (g *Gateway) Serve(ctx context.Context, o Opening, stream io.ReadWriter) error {
	serving := &handler{}
	serving.repeater, _ = stream.(Repeater)
	conn := jsonrpc.NewConn(stream, stream, serving, jsonrpc.Options{IDPrefix: IDPrefix, InOrder: "initialize"})
	o.Peer = pipe{conn}
	serving.Session = g.Open(ctx, o)
	defer serving.Close(ctx)
	return conn.Run(ctx)
}

// Repeater is a stream whose client can send requests of this session to the next hub.
type Repeater interface {
	// Repeat makes the client send a request to the next hub. It returns false if the client cannot do that.
	Repeat(id json.RawMessage) bool
}

// handler passes messages to a session. It exists before the session, because the session needs the connection
// and the connection needs a handler.
type handler struct {
	*Session
	repeater Repeater // may be nil
}

// Request implements jsonrpc.Handler.
func (h *handler) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if h.repeater == nil {
		return h.Session.Request(ctx, method, params)
	}
	var unsent atomic.Bool
	result, err := h.Session.Request(call.WithUnsent(ctx, &unsent), method, params)
	if unsent.Load() && h.repeater.Repeat(jsonrpc.RequestID(ctx)) {
		return nil, jsonrpc.ErrUnanswered
	}
	return result, err
}

// Open begins a session. The caller passes the client's requests and notifications to it, and calls Close when
// the client has left.
func (g *Gateway) Open(ctx context.Context, o Opening) *Session {
	g.finder.Prepare()
	s := newSession(g, o)
	s.found.add(g.sessionTools.load(ctx, o.ID))
	g.sessions.add(s)
	g.clientsChanged()
	go s.changes.run()
	return s
}

// close releases everything that the gateway holds for a session.
func (g *Gateway) close(ctx context.Context, s *Session) {
	g.sessions.remove(s)
	g.context.note(s)
	g.clientsChanged()
	g.subscriptions.removeAll(ctx, s)
	g.pending.lot.End(func(b pendinginput.Binding) bool { return b.Session == s.id }, errClientGone)
	for _, t := range s.tasks.all() {
		t.lease.Release() // the server may stop even if the task is not over
	}
	g.results.EndSession(s)
	g.calls.EndSession(s.id)
	if g.person != nil {
		g.person.EndSession(s.id)
	}
}

// Run passes changes of lists and notifications of servers on to sessions, and
// stores session tools that could not be stored at once, until ctx ends.
func (g *Gateway) Run(ctx context.Context) error {
	var saving sync.WaitGroup
	saving.Go(func() { g.sessionTools.run(ctx) })
	saving.Go(func() { g.slugs.run(ctx) })
	g.feed.run(ctx)
	saving.Wait()
	return nil
}

// about returns the serverInfo of the hub.
func (g *Gateway) about() json.RawMessage {
	raw, _ := answer.Encode(struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}{"agent-discover", "Agent Discover", g.version}) // encoding strings cannot fail
	return raw
}

// Client describes a connected session.
type Client struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Calls   int    `json:"calls_in_flight"`
	Toolset string `json:"toolset,omitempty" doc:"Toolset to whose tools the client is limited; missing if there is none."`
	Project
}

func (g *Gateway) clientsChanged() { events.Publish(g.bus, ClientsChanged{}) }

// ClientsChanged is published when the result of Clients has changed.
type ClientsChanged struct{}

// Clients returns the connected sessions, sorted by client name.
func (g *Gateway) Clients() []Client {
	out := []Client{}
	for _, s := range g.sessions.all() {
		out = append(out, s.describe())
	}
	slices.SortFunc(out, func(a, b Client) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Session, b.Session))
	})
	return out
}

// RulesChanged makes all sessions check whether their tool lists have changed. It is called after the rules
// were replaced.
func (g *Gateway) RulesChanged() {
	g.sessions.look()
}

// ActiveTools returns the enabled tools of usable, always listed servers, for a client to which only the general rules
// apply.
func (g *Gateway) ActiveTools() []*catalog.Tool { return g.inventory.Active(g.inventory.For("")) }

// Find returns the result of find_tool for a query, with explanations for people; see finding.Finder.Explain.
func (g *Gateway) Find(ctx context.Context, query string, wanted float64) (finding.Finding, error) {
	return g.finder.Explain(ctx, query, wanted)
}

// Near returns the names of tools of a server that a client may have meant when it named a tool that the server does
// not list; see finding.Finder.Near.
func (g *Gateway) Near(client, server, tool string) (names []string) {
	for _, t := range g.finder.Near(server, tool, g.inventory.For(client)) {
		names = append(names, t.Name)
	}
	return names
}

// Meant returns the full names of tools that a person may have meant by a name that no tool has.
func (g *Gateway) Meant(name string) []string {
	return finding.CallAs(g.finder.Near("", name, g.inventory.For("")))
}

// ResultsFolder returns the folder in which clients may save files of long results; empty if they may not save
// any.
func (g *Gateway) ResultsFolder() string { return *g.resultsFolder.Load() }

// SetResultsFolder sets the folder that ResultsFolder returns, and makes all sessions check their tool lists,
// because save_block is listed only if there is a folder.
func (g *Gateway) SetResultsFolder(folder string) {
	g.resultsFolder.Store(&folder)
	g.sessions.look()
}

// Context returns how many tokens of context the tool definitions take, and all clients that are or were
// connected, the most recently seen first.
func (g *Gateway) Context(ctx context.Context) (ContextUse, error) { return g.context.of(ctx) }

// FoundBy returns the names of the connected clients to whose lists find_tool has added a tool, sorted.
func (g *Gateway) FoundBy(key catalog.Key) []string {
	names := make(map[string]bool)
	for _, s := range g.sessions.all() {
		if s.found.has(key) {
			name, _ := s.client.called()
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
