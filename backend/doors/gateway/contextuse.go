package gateway

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// EntryTokens is how many tokens (o200k_base) of a model's context the
// definition of registry takes. It is a constant because counting loads a large
// vocabulary. A test compares it with the actual number.
const EntryTokens = 395

// commandLineClient is the client name of this program's own command line,
// which is not an editor.
const commandLineClient = "agent-discover-cli"

// ContextUse reports how many tokens of the clients' context tool definitions
// take.
type ContextUse struct {
	Tools   int // tools of all approved servers
	Whole   int // tokens of all these tools
	Entry   int // tokens of registry
	Listed  int // tokens of the tools that every session lists
	Clients []KnownClient
}

// Context returns the context use of all clients that are or were connected,
// the most recently seen first.
func (g *Gateway) Context(ctx context.Context) (ContextUse, error) {
	out := ContextUse{Entry: EntryTokens}
	out.Tools, out.Whole = g.everything()
	out.Listed = EntryTokens
	for _, t := range g.ActiveTools() {
		out.Listed += t.Tokens
	}
	var connected []SeenClient
	now := time.Now()
	for _, s := range g.all() {
		if c, ok := s.seen(now, out.Whole); ok {
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

// everything returns the number of tools of all approved servers, and their
// tokens.
func (g *Gateway) everything() (tools, tokens int) {
	findable := g.findable()
	for _, t := range g.catalog.Snapshot().Tools {
		if findable(t) {
			tools++
			tokens += t.Tokens
		}
	}
	return tools, tokens
}

// note makes the history store an observation of the session's client in the
// background.
func (g *Gateway) note(s *Session) {
	g.history.note(s.id, func() (SeenClient, bool) {
		_, whole := g.everything()
		return s.seen(time.Now(), whole)
	})
}

// seen returns an observation of the session's client. It returns false before
// the first request and for the command line. whole is the number of tokens of all
// tools.
func (s *Session) seen(now time.Time, whole int) (SeenClient, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.introduced || s.name == commandLineClient {
		return SeenClient{}, false
	}
	tools, own := s.surface.listed()
	c := SeenClient{Name: s.name, Version: s.version, First: now, Last: now, Listed: own.tokens, Whole: whole}
	for _, t := range tools {
		c.Listed += t.Tokens
	}
	return c, true
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
