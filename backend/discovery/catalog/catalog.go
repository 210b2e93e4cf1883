package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
)

// Store persists the tools of the catalog.
type Store interface {
	// Tools returns all stored tools, in the listed order within each server.
	Tools(ctx context.Context) ([]*Tool, error)
	// ReplaceTools replaces the stored tools of a server with tools.
	ReplaceTools(ctx context.Context, server string, tools []*Tool) error
	// SetTokens stores the token counts of tools.
	SetTokens(ctx context.Context, counts map[Key]int) error
}

// Changed is published after the tools of a server have changed.
type Changed struct{ Server string }

// Counted is published after the tokens of new tools have been counted.
type Counted struct{}

// Snapshot is an immutable view of the catalog at one moment.
type Snapshot struct {
	Tools    []*Tool // sorted by server, within a server in the order it lists them
	byServer map[string][]*Tool
	byKey    map[Key]*Tool
}

// Of returns the tools of a server in the order it lists them.
func (s *Snapshot) Of(server string) []*Tool { return s.byServer[server] }

// Lookup returns a tool of a server, and whether the catalog has it.
func (s *Snapshot) Lookup(server, tool string) (*Tool, bool) {
	t, ok := s.byKey[Key{server, tool}]
	return t, ok
}

// Named returns the tools with that name on all servers.
func (s *Snapshot) Named(tool string) []*Tool {
	var out []*Tool
	for _, t := range s.Tools {
		if t.Name == tool {
			out = append(out, t)
		}
	}
	return out
}

func newSnapshot(tools []*Tool) *Snapshot {
	s := &Snapshot{Tools: tools, byServer: make(map[string][]*Tool), byKey: make(map[Key]*Tool, len(tools))}
	start := 0
	for i, t := range tools {
		s.byKey[t.Key()] = t
		if i+1 == len(tools) || tools[i+1].Server != t.Server {
			s.byServer[t.Server] = tools[start : i+1 : i+1]
			start = i + 1
		}
	}
	return s
}

// Catalog holds the tools that servers have listed. Its methods may be called
// concurrently.
type Catalog struct {
	store Store
	bus   *events.Bus
	log   *slog.Logger

	writing   sync.Mutex // serializes changes, including writes to the store
	snapshot  atomic.Pointer[Snapshot]
	lastID    int64
	uncounted chan struct{} // holds a token when some tools may lack a token count
}

// Open returns a catalog with the tools in store. Changes are published on bus.
// Tokens are counted while Run runs.
func Open(ctx context.Context, store Store, bus *events.Bus, log *slog.Logger) (*Catalog, error) {
	tools, err := store.Tools(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tools, byServer)
	c := &Catalog{store: store, bus: bus, log: log, uncounted: make(chan struct{}, 1)}
	for _, t := range tools {
		c.lastID = max(c.lastID, t.ID)
	}
	c.snapshot.Store(newSnapshot(tools))
	c.wake()
	return c, nil
}

func byServer(a, b *Tool) int { return cmp.Compare(a.Server, b.Server) }

// Snapshot returns the present state of the catalog.
func (c *Catalog) Snapshot() *Snapshot { return c.snapshot.Load() }

// Replace replaces the tools of a server with the listed definitions and
// reports whether that changed the catalog. Definitions without a name and
// repeated names are left out. Tools keep their ID while a server lists their
// name.
func (c *Catalog) Replace(ctx context.Context, server string, definitions []json.RawMessage) (bool, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	old := c.Snapshot()
	tools := make([]*Tool, 0, len(definitions))
	seen := make(map[string]bool)
	for _, raw := range definitions {
		t, ok := NewTool(server, raw)
		if !ok || seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		switch was, known := old.Lookup(server, t.Name); {
		case !known:
			c.lastID++
			t.ID = c.lastID
		case string(was.Definition) == string(t.Definition):
			t = was
		default:
			t.ID = was.ID
		}
		tools = append(tools, t)
	}
	if slices.Equal(tools, old.Of(server)) {
		return false, nil
	}
	if err := c.store.ReplaceTools(ctx, server, tools); err != nil {
		return false, err
	}
	c.put(server, tools)
	return true, nil
}

// Forget removes the tools of a deleted server.
func (c *Catalog) Forget(ctx context.Context, server string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if len(c.Snapshot().Of(server)) == 0 {
		return nil
	}
	if err := c.store.ReplaceTools(ctx, server, nil); err != nil {
		return err
	}
	c.put(server, nil)
	return nil
}

// put swaps in a snapshot with new tools of a server. The caller holds
// c.writing.
func (c *Catalog) put(server string, tools []*Tool) {
	all := make([]*Tool, 0, len(c.Snapshot().Tools)+len(tools))
	for _, t := range c.Snapshot().Tools {
		if t.Server != server {
			all = append(all, t)
		}
	}
	all = append(all, tools...)
	slices.SortStableFunc(all, byServer)
	c.snapshot.Store(newSnapshot(all))
	c.wake()
	events.Publish(c.bus, Changed{Server: server})
}

// wake makes Run count the tokens of new tools.
func (c *Catalog) wake() {
	select {
	case c.uncounted <- struct{}{}:
	default:
	}
}

// Run counts the tokens of new tools in the background until ctx ends, because
// counting is too slow for the path that lists tools.
func (c *Catalog) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.uncounted:
			if err := c.count(ctx); err != nil && ctx.Err() == nil {
				c.log.Warn("could not count the tokens of tools", "error", err)
			}
		}
	}
}

func (c *Catalog) count(ctx context.Context) error {
	counts := make(map[Key]int)
	for _, t := range c.Snapshot().Tools {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.Tokens == 0 {
			counts[t.Key()] = tokens.Count(string(t.Definition))
		}
	}
	if len(counts) == 0 {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.store.SetTokens(ctx, counts); err != nil {
		return err
	}
	all := slices.Clone(c.Snapshot().Tools)
	for i, t := range all {
		if n, ok := counts[t.Key()]; ok && t.Tokens == 0 {
			counted := *t
			counted.Tokens = n
			all[i] = &counted
		}
	}
	c.snapshot.Store(newSnapshot(all))
	events.Publish(c.bus, Counted{})
	return nil
}
