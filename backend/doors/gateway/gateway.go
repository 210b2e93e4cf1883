// Package gateway is the MCP door: what an agent's client sees of the hub. It
// offers one tool, registry, and beside it the tools of enabled servers and
// those that find_tool lent to the session. Calls go to proxy.Call; results
// come back as the bytes that the server sent.
package gateway

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// SessionToolStore keeps the session tools of each session, so that a session has
// them again after its connection or the hub was lost.
type SessionToolStore interface {
	SessionTools(ctx context.Context, session string) ([]catalog.Key, error)
	SaveSessionTools(ctx context.Context, session string, tools []catalog.Key) error
	// ForgetSessionTools removes the tools of a server from all sessions.
	ForgetSessionTools(ctx context.Context, server string) error
}

// Usage tells how often each server was called in this installation.
type Usage interface{ Usage() map[string]int }

// Learner records the answers that each find_tool or find_tools request gave to
// a session, and how a tool then answered a call of that session.
type Learner interface {
	Asked(session string, answers ...learning.Answer)
	Called(session string, tool catalog.Key, ok bool)
}

// Options are the rooms that the gateway works with.
type Options struct {
	Registry     *registry.Registry
	Catalog      *catalog.Catalog
	Search       *search.Searcher
	Lifecycle    *lifecycle.Manager
	Setup        *setup.Syncer
	Proxy        *proxy.Proxy
	Usage        Usage
	SessionTools SessionToolStore
	Book         *ClientHistory
	Learning     Learner
	Bus          *events.Bus
	Log          *slog.Logger
	Version      string
}

// Gateway serves sessions. It is safe for concurrent use.
type Gateway struct {
	Options
	adapted adapted

	mu       sync.Mutex
	sessions map[*Session]struct{}
}

// New returns a gateway.
func New(o Options) *Gateway {
	return &Gateway{Options: o, sessions: make(map[*Session]struct{})}
}

// Serve speaks MCP with one client until its stream ends. id names the session;
// a client that comes back with the same id finds what was lent to it.
func (g *Gateway) Serve(ctx context.Context, id string, stream io.ReadWriter) error {
	s := newSession(g, id)
	if lent, err := g.SessionTools.SessionTools(ctx, id); err != nil {
		g.Log.Warn("lens not restored", "session", id, "error", err)
	} else {
		s.lend(lent)
	}
	s.conn = jsonrpc.NewConn(stream, stream, s, jsonrpc.Options{IDPrefix: "hub-" + idPrefix + "-", InOrder: "initialize"})
	g.mu.Lock()
	g.sessions[s] = struct{}{}
	g.mu.Unlock()
	events.Publish(g.Bus, ClientsChanged{})
	telling := make(chan struct{})
	go func() { defer close(telling); s.tell() }()
	defer func() {
		g.mu.Lock()
		delete(g.sessions, s)
		g.mu.Unlock()
		g.note(s)
		events.Publish(g.Bus, ClientsChanged{})
		<-telling
	}()
	return s.conn.Run(ctx)
}

// Run tells sessions when their list of tools has changed.
func (g *Gateway) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		tools, stopTools := events.Subscribe[catalog.Changed](g.Bus, 256)
		servers, stopServers := events.Subscribe[registry.Changed](g.Bus, 256)
		g.announce()
		g.follow(ctx, tools, servers)
		stopTools()
		stopServers()
	}
	return nil
}

func (g *Gateway) follow(ctx context.Context, tools <-chan catalog.Changed, servers <-chan registry.Changed) {
	for ok := true; ok; {
		select {
		case _, ok = <-tools:
		case change, open := <-servers:
			if ok = open; change.Removed {
				g.forget(ctx, change.Name)
			}
		case <-ctx.Done():
			return
		}
		g.announce()
	}
}

// forget takes what a removed server lent out of all sessions: another server
// of that name is not the one that they found.
func (g *Gateway) forget(ctx context.Context, server string) {
	for _, s := range g.all() {
		s.forget(server)
	}
	if err := g.SessionTools.ForgetSessionTools(ctx, server); err != nil {
		g.Log.Warn("lenses still hold a removed server's tools", "server", server, "error", err)
	}
}

// announce waits for nobody: a client that does not read holds up no other.
func (g *Gateway) announce() {
	for _, s := range g.all() {
		select {
		case s.changed <- struct{}{}:
		default: // it is about to look anyway
		}
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
}

// ClientsChanged is published when something of what Clients tells has changed.
type ClientsChanged struct{}

// Clients lists the connected sessions, by name.
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

// offered returns the tools of every session's list: those of enabled servers.
func (g *Gateway) offered() []*catalog.Tool {
	snapshot := g.Catalog.Snapshot()
	var out []*catalog.Tool
	for _, server := range g.Registry.List() {
		if server.Enabled && server.Approved {
			out = append(out, snapshot.Of(server.Name)...)
		}
	}
	return out
}

// findable reports whether a tool may be found: its server is still there and
// approved.
func (g *Gateway) findable() func(*catalog.Tool) bool {
	approved := make(map[string]bool)
	for _, server := range g.Registry.List() {
		approved[server.Name] = server.Approved
	}
	return func(t *catalog.Tool) bool { return approved[t.Server] }
}
