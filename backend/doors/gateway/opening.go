package gateway

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/meta"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
)

// Opening describes a session that is to be opened.
type Opening struct {
	// ID identifies the session. A client that comes back with the same id gets its
	// session tools back.
	ID   string
	Peer Peer
	// Client is the id of the client in the table of editors, if the credential or the configuration entry
	// through which the client connects names one. Tools are adapted to the limits of that editor. If Client is
	// empty, the name in initialize identifies a legacy client, and a modern client has no limits.
	Client string
	// Token is the id and the name of the credential that the client presented over HTTP, for the audit log.
	Token string
	// Surface is the surface that the client is shown; see package surfaces. A single server is shown as if the client
	// were connected to it directly.
	Surface string
	// Folder is the client's working directory; empty if it is not known.
	Folder string
	// Credential identifies the configuration entry or the token with which the client connects. A toolset that the
	// client equips is stored for the credential, not for the session, because the lists that a modern client gets
	// must not depend on the session.
	Credential string
	// Toolset is the toolset that the client or its project asks to be limited to; empty
	// for none. It has no effect on surfaces of one server or toolset.
	Toolset string
	Project Project
}

// Project is the project that a client works on, if the project names a toolset.
type Project struct {
	File    string `json:"project_file,omitempty" doc:"File in the client's project that names a toolset."`
	Wants   string `json:"project_toolset,omitempty" doc:"Toolset that project_file names. If it differs from the member toolset, the named toolset does not exist or waits for approval, or the client's configuration entry shows something else."`
	Problem string `json:"project_problem,omitempty" doc:"Why project_file names no toolset."`
}

// ErrStopping is the cause with which a transport ends the contexts of requests when the
// hub stops. Open subscriptions of modern clients then end with a result.
var ErrStopping = errors.New("the hub is stopping")

// newSession returns a session that is not yet among the open sessions.
func newSession(g *Gateway, o Opening) *Session {
	s := &Session{
		id: o.ID, project: o.Project, pipeline: g.calls,
		client: &clientInfo{session: o.ID, entry: o.Client, token: o.Token, limits: limitsOfEntry(o.Client), name: "unknown"},
	}
	s.met = func() { g.context.note(s); g.clientsChanged() }
	s.closed = func(ctx context.Context) { g.close(ctx, s) }
	s.level = &logLevel{
		share: func(ctx context.Context, server string) { g.levels.share(ctx, server, o.ID) },
		used:  make(map[string]bool), calls: make(map[string]levelCounts),
	}
	s.makeLists(g, o)
	s.makeRequests(g, o)
	s.makeSurface(g, o)
	return s
}

// makeLists makes the parts that decide which tools the client is shown.
func (s *Session) makeLists(g *Gateway, o Opening) {
	set := toolsetview.SetOf(g.toolsets, o.Surface, o.Toolset)
	s.choice = &toolsetview.Choice{
		Toolsets: g.toolsets, Inventory: g.inventory, Client: s.client.limitedAs(), Credential: o.Credential,
		Set: set, Equips: set == "" && surfaces.Server(o.Surface) == "",
	}
	s.list = &toolList{client: s.client, definitions: g.definitions}
	s.changes = &changes{
		client: s.client, list: s.list, peer: o.Peer, moved: func() { g.context.note(s) },
		outbox: outbox{wake: make(chan struct{}, 1)}, over: make(chan struct{}),
	}
	s.found = &sessionTools{
		session: o.ID, saver: g.sessionTools, added: s.changes.announceTools, keys: make(map[catalog.Key]bool),
		adds: func(ctx context.Context) bool { return !isModern(ctx) && s.addsFoundIfOld(&g.addFoundFor) },
	}
	s.tools = &clientTools{
		inventory: g.inventory, registry: g.registry, finder: g.finder, held: g.calls.Held,
		client: s.client, choice: s.choice, found: s.found, views: make(map[string]bool),
	}
	s.lessons = &lessons{g.learning, s.client}
}

// makeRequests makes the parts that serve requests.
func (s *Session) makeRequests(g *Gateway, o Opening) {
	s.caller = &clientCaller{
		client: s.client, peer: o.Peer, folder: o.Folder, person: standIn{g.person}, level: s.level, changes: s.changes,
	}
	s.exchanges = &exchanges{session: o.ID, caller: s.caller, peer: o.Peer, pipeline: g.calls}
	s.sending = &sending{
		inFlight: inFlight{changed: g.clientsChanged}, level: s.level, changes: s.changes, exchanges: s.exchanges, settle: g.feed.settle,
	}
	s.signIns = &signIns{
		service: g.signIns, client: s.client, exchanges: s.exchanges, peer: o.Peer, changes: s.changes,
		open: make(map[string]*signInQuestion),
	}
	s.results = &longResults{store: &g.results, client: cutting(s, o), folder: g.ResultsFolder, lookup: s.tools.Lookup}
	if s.choice.Set != "" {
		s.results.client.Limit = 0 // the client would need read_more, which no toolset lists
	}
	s.tasks = &sessionTasks{results: s.results, changes: s.changes}
	s.requests = &requests{
		pipeline: g.calls, client: s.client, tools: s.tools, results: s.results, tasks: s.tasks,
		signIns: s.signIns, sending: s.sending, exchanges: s.exchanges,
	}
	s.tasks.requests = s.requests
	s.calls = &toolCalls{
		pipeline: g.calls, client: s.client, tools: s.tools, choice: s.choice, finder: g.finder, lessons: s.lessons,
		tasks: s.tasks, signIns: s.signIns, sending: s.sending, exchanges: s.exchanges,
	}
	s.subscriptions = &legacySubscriptions{
		session: s, requests: s.requests, inFlight: &s.sending.inFlight, subscriptions: g.subscriptions,
	}
	s.listens = &listens{
		session: s, peer: o.Peer, requests: s.requests, tasks: s.tasks, changes: s.changes, subscriptions: g.subscriptions,
	}
	s.modern = &modernRequests{
		client: s.client, caller: s.caller, peer: o.Peer, requests: s.requests, tasks: s.tasks, listens: s.listens,
		pending: g.pending, met: s.met,
	}
}

// makeSurface makes the surface and gives it to the parts that use it.
func (s *Session) makeSurface(g *Gateway, o Opening) {
	if server := surfaces.Server(o.Surface); server != "" {
		s.level.uses(server)
		s.show(&oneServer{
			server: server, version: g.version, registry: g.registry, features: g.features, pipeline: g.calls,
			introductions: g.introductions, definitions: g.definitions, client: s.client, tools: s.tools, list: s.list, calls: s.calls,
			requests: s.requests, signIns: s.signIns, exchanges: s.exchanges,
		})
		return
	}
	if s.choice.Set != "" {
		s.show(toolsetview.New(s.choice, toolsetview.Options{
			Registry: g.registry, List: s.list, Tools: s.tools, Calls: s.calls, Translate: g.translation, Lists: g.lists.from,
			Info: g.about(),
		}))
		return
	}
	s.show(&allServers{
		own: s.hubTools(g, o.Surface), sorted: o.Surface == surfaces.Native, registry: g.registry, inventory: g.inventory,
		tools: s.tools, list: s.list, calls: s.calls, results: s.results, lists: g.lists, translation: g.translation, about: g.about(),
	})
}

// hubTools returns the hub's own tools on a surface that shows all servers.
func (s *Session) hubTools(g *Gateway, surface string) hubTools {
	if surface == surfaces.Native {
		return noTools{g.inventory, g.roster, s.results}
	}
	queries := finding.NewQueries(finding.QueryOptions{
		Finder: g.finder, Tools: s.tools, Found: s.found, Held: g.calls.Held, Asked: s.lessons.asked,
	})
	toolsets := toolsetview.NewActions(s.choice, g.finder, s.tools, s.client.proposer)
	if surface == surfaces.Meta {
		return g.meta.Tools(meta.Options{Queries: queries, Toolsets: toolsets, Client: s.tools, Calls: s.calls, Results: s.results})
	}
	return registrytool.New(registrytool.Options{
		Registry: g.registry, Intake: g.intake, Lifecycle: g.lifecycle, Setup: g.setup, Market: g.market, Roster: g.roster,
		Queries: queries, Toolsets: toolsets, Client: s.tools, Proposer: s.client.proposer, Calls: s.calls, SignIns: s.signIns,
	})
}

// show gives a surface to the parts of the session that use it.
func (s *Session) show(on surface) {
	s.surface, s.caller.surface, s.requests.surface, s.calls.surface = on, on, on, on
	s.tasks.surface, s.listens.surface, s.modern.surface = on, on, on
	s.list.listed, s.tools.shows = on.Listed, on.Shows
}
