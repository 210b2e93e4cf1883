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

// Store keeps tools.
type Store interface {
	Tools(ctx context.Context) ([]*Tool, error)
	// ReplaceTools makes tools the only ones of a server.
	ReplaceTools(ctx context.Context, server string, tools []*Tool) error
	SetTokens(ctx context.Context, counts map[Key]int) error
}

// Changed is published when the known tools of a server have changed.
type Changed struct{ Server string }

// Counted is published when the tokens of new tools have been counted.
type Counted struct{}

// Snapshot is the state of the catalog at one moment. It is immutable.
type Snapshot struct {
	Tools    []*Tool // sorted by server, within it as the server lists them
	byServer map[string][]*Tool
	byKey    map[Key]*Tool
}

// Of returns a server's tools in the order in which it lists them.
func (s *Snapshot) Of(server string) []*Tool { return s.byServer[server] }

// Lookup returns a tool.
func (s *Snapshot) Lookup(server, tool string) (*Tool, bool) {
	t, ok := s.byKey[Key{server, tool}]
	return t, ok
}

// Named returns the tools of that name on all servers.
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

// Catalog holds the known tools. All methods are safe for concurrent use.
type Catalog struct {
	store Store
	bus   *events.Bus
	log   *slog.Logger

	writing  sync.Mutex
	snapshot atomic.Pointer[Snapshot]
	lastID   int64
	uncount  chan struct{} // there may be tools whose tokens are not counted
}

// Open loads the catalog.
func Open(ctx context.Context, store Store, bus *events.Bus, log *slog.Logger) (*Catalog, error) {
	tools, err := store.Tools(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tools, byServer)
	c := &Catalog{store: store, bus: bus, log: log, uncount: make(chan struct{}, 1)}
	for _, t := range tools {
		c.lastID = max(c.lastID, t.ID)
	}
	c.snapshot.Store(newSnapshot(tools))
	c.wake()
	return c, nil
}

func byServer(a, b *Tool) int { return cmp.Compare(a.Server, b.Server) }

// Snapshot returns the present state.
func (c *Catalog) Snapshot() *Snapshot { return c.snapshot.Load() }

// Replace makes the listed definitions the known tools of a server and reports
// whether that changed anything. Definitions without a name are left out.
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

// Forget drops the tools of a server that is no more.
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

func (c *Catalog) wake() {
	select {
	case c.uncount <- struct{}{}:
	default:
	}
}

// Run counts the tokens of tools that are new, off every other path.
func (c *Catalog) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.uncount:
			if err := c.count(ctx); err != nil && ctx.Err() == nil {
				c.log.Warn("tokens of tools not stored", "error", err)
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
