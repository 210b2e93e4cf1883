package catalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
)

// Store persists the tools of the catalog.
type Store interface {
	// Tools returns all stored tools, in the listed order within each server.
	Tools(ctx context.Context) ([]*Tool, error)
	// ReplaceTools replaces the stored tools of a server with tools, and adds changes to
	// the stored history.
	ReplaceTools(ctx context.Context, server string, tools []*Tool, changes []Change) error
	// SetTokens stores the token counts of tools.
	SetTokens(ctx context.Context, counts map[Key]int) error
}

// Gate decides which of the tools that servers list enter the catalog.
type Gate interface {
	// Admit takes the definitions that a server has listed and returns those for the
	// catalog, in the order of the list. A returned definition may differ from the listed one.
	Admit(ctx context.Context, server string, listed []json.RawMessage) ([]json.RawMessage, error)
	// Admitted is like Admit, for the list that was last passed to Admit for the server.
	Admitted(ctx context.Context, server string) ([]json.RawMessage, error)
	// Withheld returns those definitions of that list that the gate holds although it has admitted a definition of the
	// same tool before, or a person has decided about the tool.
	Withheld(ctx context.Context, server string) ([]json.RawMessage, error)
}

// Changed is published after the tools of a server have changed.
type Changed struct{ Server string }

// ShownChanged is published after a change of the user's rules has changed which tools clients
// see, or their names or definitions. The tools of the servers have not changed.
type ShownChanged struct{}

// Counted is published after the tokens of new tools have been counted.
type Counted struct{}

// Snapshot is an immutable view of the catalog at one moment.
type Snapshot struct {
	Tools    []*Tool // sorted by server, within a server in the order it lists them
	byServer map[string][]*Tool
	byKey    map[Key]*Tool
	withheld map[Key]*Tool // see Withheld
	reads    *reads

	pairing sync.Once
	twins   map[*Tool][]*Tool // results of Snapshot.Twins, for tools that have twins
}

// Of returns the tools of a server in the order it lists them.
func (s *Snapshot) Of(server string) []*Tool { return s.byServer[server] }

// Lookup returns a tool of a server, and whether the catalog has it. A tool that the user
// has renamed is found by both names.
func (s *Snapshot) Lookup(server, tool string) (*Tool, bool) {
	t, ok := s.byKey[Key{server, tool}]
	s.reads.count(ok)
	return t, ok
}

// Withheld returns a tool as its server lists it now, if agents could use an earlier definition of the tool and the gate
// holds this one. Such a tool is not in Tools, and its definition must not reach agents. It is still listed, so that
// its change is no removal.
func (s *Snapshot) Withheld(key Key) (*Tool, bool) {
	t, ok := s.withheld[key]
	return t, ok
}

// listed returns all tools that a server lists, except for those that no agent could use yet: first those of Of, then
// the withheld ones by name.
func (s *Snapshot) listed(server string) []*Tool {
	var held []*Tool
	for key, t := range s.withheld {
		if key.Server == server {
			held = append(held, t)
		}
	}
	slices.SortFunc(held, func(a, b *Tool) int { return cmp.Compare(a.Name, b.Name) })
	return append(slices.Clone(s.Of(server)), held...)
}

// Named returns the tools with that name on all servers. A tool that the user has renamed
// has both names.
func (s *Snapshot) Named(tool string) []*Tool {
	var out []*Tool
	for _, t := range s.Tools {
		if t.Name == tool || t.Own == tool && tool != "" {
			out = append(out, t)
		}
	}
	return out
}

// With returns a snapshot with tools in place of s.Tools: versions of the same tools with
// other names or descriptions, in the same order.
func (s *Snapshot) With(tools []*Tool) *Snapshot { return newSnapshot(tools, s.withheld, s.reads) }

func newSnapshot(tools []*Tool, withheld map[Key]*Tool, reads *reads) *Snapshot {
	s := &Snapshot{
		Tools: tools, withheld: withheld, reads: reads, byServer: make(map[string][]*Tool), byKey: make(map[Key]*Tool, len(tools)),
	}
	start := 0
	for i, t := range tools {
		s.byKey[t.Key()] = t
		if i+1 == len(tools) || tools[i+1].Server != t.Server {
			s.byServer[t.Server] = tools[start : i+1 : i+1]
			start = i + 1
		}
	}
	for _, t := range tools {
		if t.Own != "" {
			s.byKey[Key{t.Server, t.Name}] = t
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
	gate  Gate // nil lets everything through

	writing   sync.Mutex               // serializes changes, including writes to the store
	snapshot  atomic.Pointer[Snapshot] // nil until loaded is closed
	loaded    chan struct{}
	lastID    int64
	reads     reads
	uncounted chan struct{} // contains a value when some tools may lack a token count
}

// Open returns a catalog with the tools in store. Changes are published on bus.
// Tokens are counted while Run runs.
func Open(ctx context.Context, store Store, bus *events.Bus, log *slog.Logger) (*Catalog, error) {
	c := New(store, bus, log)
	return c, c.Load(ctx)
}

// New returns a catalog like Open, but without tools. The caller must call Load: methods that need the tools wait
// until Load has returned.
func New(store Store, bus *events.Bus, log *slog.Logger) *Catalog {
	return &Catalog{store: store, bus: bus, log: log, loaded: make(chan struct{}), uncounted: make(chan struct{}, 1)}
}

// Load reads the tools from the store. The catalog is empty if that fails. Call it once.
func (c *Catalog) Load(ctx context.Context) error {
	defer close(c.loaded)
	tools, err := c.store.Tools(ctx)
	slices.SortStableFunc(tools, byServer)
	for _, t := range tools {
		c.lastID = max(c.lastID, t.ID)
	}
	c.snapshot.Store(newSnapshot(tools, nil, &c.reads))
	c.wake()
	return err
}

// Guard sets the gate that decides which listed tools enter the catalog. Call it before the
// first Replace.
func (c *Catalog) Guard(g Gate) { c.gate = g }

// Recall asks the gate which tools of servers it withholds. Call it after Load and Guard, and before the first Replace.
func (c *Catalog) Recall(ctx context.Context, servers []string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	withheld := make(map[Key]*Tool)
	for _, server := range servers {
		definitions, err := c.gate.Withheld(ctx, server)
		if err != nil {
			return err
		}
		for _, definition := range definitions {
			if t, ok := NewTool(server, definition); ok {
				c.lastID++
				t.ID = c.lastID
				withheld[t.Key()] = t
			}
		}
	}
	c.snapshot.Store(newSnapshot(c.Snapshot().Tools, withheld, &c.reads))
	return nil
}

func byServer(a, b *Tool) int { return cmp.Compare(a.Server, b.Server) }

// Snapshot returns the current state of the catalog.
func (c *Catalog) Snapshot() *Snapshot {
	if s := c.snapshot.Load(); s != nil {
		return s
	}
	<-c.loaded
	return c.snapshot.Load()
}

// Replace replaces the tools of a server with the listed definitions and
// reports whether that changed the catalog. It leaves out definitions without a
// name, repeated names, and definitions that the gate does not admit. A tool keeps
// its ID while the server lists its name.
func (c *Catalog) Replace(ctx context.Context, server string, definitions []json.RawMessage) (bool, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gate != nil {
		var err error
		if definitions, err = c.gate.Admit(ctx, server, definitions); err != nil {
			return false, err
		}
	}
	return c.replace(ctx, server, definitions)
}

// Reapply replaces the tools of a server with those that the gate admits now.
func (c *Catalog) Reapply(ctx context.Context, server string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	definitions, err := c.gate.Admitted(ctx, server)
	if err == nil {
		_, err = c.replace(ctx, server, definitions)
	}
	return err
}

// replace implements Replace for definitions that the gate has admitted. The caller holds c.writing.
func (c *Catalog) replace(ctx context.Context, server string, definitions []json.RawMessage) (bool, error) {
	began, before := time.Now(), c.Snapshot().listed(server)
	tools := c.read(server, definitions, before, true)
	var held []*Tool
	if c.gate != nil {
		definitions, err := c.gate.Withheld(ctx, server)
		if err != nil {
			return false, err
		}
		held = c.read(server, definitions, before, false)
	}
	now := append(slices.Clone(tools), held...)
	if slices.Equal(tools, c.Snapshot().Of(server)) && len(now) == len(before) && !slices.ContainsFunc(held, func(t *Tool) bool {
		return c.Snapshot().withheld[t.Key()] != t
	}) {
		return false, nil
	}
	changes, summary := changesOf(before, now)
	if err := c.store.ReplaceTools(ctx, server, tools, changes); err != nil {
		return false, err
	}
	c.put(server, tools, held)
	c.announce(server, changes, summary, began)
	return true, nil
}

// read returns the tools of a server with the given definitions. It takes unchanged tools from before, and
// leaves out repeated names. Tools that are not in before get a new ID; they are left out unless added is true.
func (c *Catalog) read(server string, definitions []json.RawMessage, before []*Tool, added bool) []*Tool {
	tools := make([]*Tool, 0, len(definitions))
	seen, same, known := make(map[string]bool), sameTools(before), make(map[string]*Tool, len(before))
	for _, t := range before {
		known[t.Name] = t
	}
	for _, raw := range definitions {
		t, unchanged := same(raw)
		if !unchanged {
			var ok bool
			if t, ok = NewTool(server, raw); !ok {
				continue
			}
		}
		was := known[t.Name]
		if seen[t.Name] || was == nil && !added {
			continue
		}
		seen[t.Name] = true
		if was != nil && !unchanged {
			t.ID = was.ID // a new version of the same tool
		} else if was == nil {
			c.lastID++
			t.ID = c.lastID
		}
		tools = append(tools, t)
	}
	return tools
}

// sameTools returns a function that finds the tool with exactly the given definition among tools.
func sameTools(tools []*Tool) func(definition []byte) (*Tool, bool) {
	seed, by := maphash.MakeSeed(), make(map[uint64]*Tool, len(tools))
	for _, t := range tools {
		by[maphash.Bytes(seed, t.Definition)] = t
	}
	return func(definition []byte) (*Tool, bool) {
		t := by[maphash.Bytes(seed, definition)]
		if t == nil || !bytes.Equal(t.Definition, definition) {
			return nil, false
		}
		return t, true
	}
}

// Forget removes the tools of a deleted server.
func (c *Catalog) Forget(ctx context.Context, server string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	before := c.Snapshot().listed(server)
	if len(before) == 0 {
		return nil
	}
	changes, summary := changesOf(before, nil)
	if err := c.store.ReplaceTools(ctx, server, nil, changes); err != nil {
		return err
	}
	c.put(server, nil, nil)
	c.announce(server, changes, summary, time.Now())
	return nil
}

// Rename gives the tools of a server the new name of the server. The caller has changed the store.
func (c *Catalog) Rename(server, to string) {
	c.writing.Lock()
	defer c.writing.Unlock()
	was := c.Snapshot()
	named := func(t *Tool) *Tool {
		now, ok := NewTool(to, t.Definition)
		if !ok {
			return t
		}
		now.ID, now.Tokens = t.ID, t.Tokens
		return now
	}
	var tools, held []*Tool
	for _, t := range was.Of(server) {
		tools = append(tools, named(t))
	}
	for key, t := range was.withheld {
		if key.Server == server {
			held = append(held, named(t))
		}
	}
	c.put(server, nil, nil)
	c.put(to, tools, held)
}

// Reset replaces all tools without storing them. It is for catalogs that are only searched and whose tools another
// package stores.
func (c *Catalog) Reset(tools []*Tool) {
	c.writing.Lock()
	defer c.writing.Unlock()
	<-c.loaded
	tools = slices.Clone(tools)
	slices.SortStableFunc(tools, byServer)
	c.snapshot.Store(newSnapshot(tools, nil, &c.reads))
	events.Publish(c.bus, Changed{})
}

// put replaces the snapshot with one that has new tools and new withheld tools for a server. The
// caller holds c.writing.
func (c *Catalog) put(server string, tools, held []*Tool) {
	withheld := maps.Clone(c.Snapshot().withheld)
	maps.DeleteFunc(withheld, func(key Key, _ *Tool) bool { return key.Server == server })
	for _, t := range held {
		if withheld == nil {
			withheld = make(map[Key]*Tool)
		}
		withheld[t.Key()] = t
	}
	all := make([]*Tool, 0, len(c.Snapshot().Tools)+len(tools))
	for _, t := range c.Snapshot().Tools {
		if t.Server != server {
			all = append(all, t)
		}
	}
	all = append(all, tools...)
	slices.SortStableFunc(all, byServer)
	c.snapshot.Store(newSnapshot(all, withheld, &c.reads))
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
// counting them while a server lists its tools would take too long.
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
	counted := make(map[*Tool]int)
	var counter tokens.Counter // loaded for the first uncounted tool
	for _, t := range c.Snapshot().Tools {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.Tokens == 0 {
			if len(counted) == 0 {
				counter = tokens.NewCounter()
			}
			counted[t] = counter.Count(string(t.Definition))
		}
	}
	if len(counted) == 0 {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	all, counts := slices.Clone(c.Snapshot().Tools), make(map[Key]int)
	for i, t := range all {
		if n, ok := counted[t]; ok { // skip tools that have changed meanwhile
			with := *t
			with.Tokens = n
			all[i], counts[t.Key()] = &with, n
		}
	}
	if len(counts) == 0 {
		return nil
	}
	if err := c.store.SetTokens(ctx, counts); err != nil {
		return err
	}
	c.snapshot.Store(newSnapshot(all, c.Snapshot().withheld, &c.reads))
	events.Publish(c.bus, Counted{})
	return nil
}
