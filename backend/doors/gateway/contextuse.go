package gateway

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// EntryTokens is how many tokens (o200k_base) of a model's context the
// definition of registry takes. It is a constant because counting loads a large
// vocabulary. A test compares it with the actual number.
const EntryTokens = 432

// commandLineClient is the client name of this program's own command line,
// which is not an editor.
const commandLineClient = "agent-discover-cli"

// ContextUse reports how many tokens of the clients' context tool definitions
// take.
type ContextUse struct {
	Tools   int         // tools of all approved servers
	Whole   int         // tokens of all these tools
	Entry   int         // tokens of registry
	Listed  int         // tokens of the tools that every session lists
	Servers []ServerUse // approved servers with tools, sorted by name
	Clients []KnownClient
}

// ServerUse is what the tools of a server take.
type ServerUse struct {
	Server string
	catalog.Cost
}

// Context returns the context use of all clients that are or were connected,
// the most recently seen first.
func (g *Gateway) Context(ctx context.Context) (ContextUse, error) {
	out := ContextUse{Entry: EntryTokens}
	known := g.known()
	out.Tools, out.Whole = len(known), catalog.CostOf(known, 0).Tokens
	out.Servers = g.serverUses()
	out.Listed = EntryTokens
	for _, t := range g.ActiveTools() {
		out.Listed += t.Tokens
	}
	var connected []SeenClient
	now := time.Now()
	for _, s := range g.all() {
		if c, ok := s.seen(now, known); ok {
			connected = append(connected, c)
		}
	}
	var err error
	if out.Clients, err = g.history.with(ctx, connected); err != nil {
		return ContextUse{}, err
	}
	slices.SortFunc(out.Clients, func(a, b KnownClient) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func (g *Gateway) serverUses() (out []ServerUse) {
	rules := g.rules()
	findable := g.findable(rules)
	for _, server := range g.registry.List() {
		tools := slices.DeleteFunc(slices.Clone(rules.Of(server.Name)), func(t *catalog.Tool) bool { return !findable(t) })
		if len(tools) > 0 {
			out = append(out, ServerUse{server.Name, catalog.CostOf(tools, 0)})
		}
	}
	slices.SortFunc(out, func(a, b ServerUse) int { return cmp.Compare(a.Server, b.Server) })
	return out
}

// known returns the tools of all approved servers.
func (g *Gateway) known() (out []*catalog.Tool) {
	rules := g.rules()
	findable := g.findable(rules)
	for _, t := range rules.Tools {
		if findable(t) {
			out = append(out, t)
		}
	}
	return out
}

// note makes the history store an observation of the session's client in the
// background.
func (g *Gateway) note(s *Session) {
	g.history.note(s.id, func() (SeenClient, bool) {
		return s.seen(time.Now(), g.known())
	})
}

// seen returns an observation of the session's client. It returns false before
// the first request and for the command line. The client would load the known tools if
// all servers were configured in it, or only their names if it defers them.
func (s *Session) seen(now time.Time, known []*catalog.Tool) (SeenClient, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.introduced || s.name == commandLineClient {
		return SeenClient{}, false
	}
	tools, own := s.surface.listed()
	c := SeenClient{Name: s.name, Version: s.version, First: now, Last: now, Listed: own.tokens, Whole: catalog.CostOf(known, defersFrom(s.name)).Loaded()}
	for _, t := range tools {
		c.Listed += t.Tokens
	}
	return c, true
}

// defersFrom returns from how many tools on a client defers them, by its name; 0 for never.
func defersFrom(client string) int {
	if e, known := table.ByClient(client); known {
		return e.DefersFrom
	}
	return 0
}

// FoundBy returns the names of the connected clients to which find_tool has
// added a tool, sorted.
func (g *Gateway) FoundBy(key catalog.Key) []string {
	names := make(map[string]bool)
	for _, s := range g.all() {
		s.mu.Lock()
		if s.sessionTools[key] {
			names[s.name] = true
		}
		s.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(names))
}
