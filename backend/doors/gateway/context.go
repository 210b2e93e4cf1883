package gateway

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// EntryTokens is what the definition of registry costs in a model's context
// (o200k_base); a test counts it. Counting here would load the vocabulary.
const EntryTokens = 395

// ourOwn is how the command line introduces itself: no editor.
const ourOwn = "agent-discover-cli"

// ContextUse is what tools cost in the contexts of clients, in tokens of their
// definitions.
type ContextUse struct {
	Tools   int // that a client could have
	Whole   int // tokens of all of them
	Entry   int // tokens of registry
	Clients []KnownClient
}

// Context tells what tools cost in the contexts of clients, also of those that
// were here before. The last seen come first.
func (g *Gateway) Context(ctx context.Context) (ContextUse, error) {
	out := ContextUse{Entry: EntryTokens}
	out.Tools, out.Whole = g.everything()
	var here []SeenClient
	now := time.Now()
	for _, s := range g.all() {
		if c, ok := s.seen(now, out.Whole); ok {
			here = append(here, c)
		}
	}
	var err error
	if out.Clients, err = g.Book.With(ctx, here); err != nil {
		return ContextUse{}, err
	}
	slices.SortFunc(out.Clients, func(a, b KnownClient) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// everything returns how many tools a client could have, and what it would
// cost to have them all directly.
func (g *Gateway) everything() (tools, tokens int) {
	findable := g.findable()
	for _, t := range g.Catalog.Snapshot().Tools {
		if findable(t) {
			tools++
			tokens += t.Tokens
		}
	}
	return tools, tokens
}

// note has the client of a session remembered, off every path.
func (g *Gateway) note(s *Session) {
	g.Book.Note(s.id, func() (SeenClient, bool) {
		_, whole := g.everything()
		return s.seen(time.Now(), whole)
	})
}

// seen returns what is to be seen of a session's client; false before it has
// introduced itself. whole is what everything costs.
func (s *Session) seen(now time.Time, whole int) (SeenClient, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.introduced || s.name == ourOwn {
		return SeenClient{}, false
	}
	c := SeenClient{Name: s.name, Version: s.version, First: now, Last: now, Listed: EntryTokens, Whole: whole}
	for _, t := range s.toolsLocked() {
		c.Listed += t.Tokens
	}
	return c, true
}

// LentTo returns the names of connected clients that found a tool and have it
// in their lists for that, sorted.
func (g *Gateway) LentTo(key catalog.Key) []string {
	names := make(map[string]bool)
	for _, s := range g.all() {
		s.mu.Lock()
		if s.lent[key] {
			names[s.name] = true
		}
		s.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(names))
}
