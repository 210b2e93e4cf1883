package toolset

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Store persists toolsets.
type Store interface {
	// Toolsets returns all toolsets, and the names of the equipped ones by client.
	Toolsets(ctx context.Context) (sets []Toolset, equipped map[string]string, err error)
	SaveToolset(ctx context.Context, t Toolset) error
	// DeleteToolset deletes a toolset, and removes it from the clients that have equipped it.
	DeleteToolset(ctx context.Context, name string) error
	SaveEquipped(ctx context.Context, client, name string) error
	DeleteEquipped(ctx context.Context, client string) error
}

// Changed is published when toolsets, the equipped toolsets of clients, or the states of tools have changed.
type Changed struct{}

// Options are the dependencies of a Keeper.
type Options struct {
	Store    Store
	Catalog  *catalog.Catalog
	Registry *registry.Registry
	Bus      *events.Bus
	// Policy returns whether agents may change toolsets without a person: allow, ask or deny.
	Policy func() registry.Permission
	// Held returns why a tool is held until a person approves it; nil if it is not. If Held is nil, no tool is held.
	Held func(tool catalog.Key) error
	// Accept approves the definition of a tool that the catalog withholds, on behalf of a person who has pinned it. It
	// returns an error if the tool is held for more than its change.
	Accept func(ctx context.Context, tool *catalog.Tool) error
	// Removed is called after a toolset was deleted; it may be nil.
	Removed func(ctx context.Context, name string) error
}

// Keeper knows all toolsets. It is safe for concurrent use.
type Keeper struct {
	options Options
	wake    chan struct{} // has a token when tools or servers have changed
	stop    []func()      // ends the subscriptions that fill wake
	last    string        // the result of states when Changed was published last

	writing sync.Mutex // held during a whole change, the write to the store included
	known   atomic.Pointer[known]
}

// known is an immutable snapshot of all toolsets.
type known struct {
	sets     map[string]Toolset
	equipped map[string]string // toolsets by client
}

// Open returns a keeper of the stored toolsets.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if o.Held == nil {
		o.Held = func(catalog.Key) error { return nil }
	}
	sets, equipped, err := o.Store.Toolsets(ctx)
	if err != nil {
		return nil, err
	}
	now := &known{sets: make(map[string]Toolset, len(sets)), equipped: equipped}
	for _, t := range sets {
		now.sets[t.Name] = t
	}
	if now.equipped == nil {
		now.equipped = make(map[string]string)
	}
	k := &Keeper{options: o, wake: make(chan struct{}, 1)}
	k.known.Store(now)
	k.stop = []func(){
		events.Signal[catalog.Changed](o.Bus, k.wake), events.Signal[catalog.ShownChanged](o.Bus, k.wake),
		events.Signal[registry.Changed](o.Bus, k.wake),
	}
	k.last = k.states()
	return k, nil
}

// List returns all toolsets, sorted by name. They are shared: callers must not change
// them.
func (k *Keeper) List() []Toolset {
	return slices.SortedFunc(maps.Values(k.known.Load().sets), func(a, b Toolset) int { return strings.Compare(a.Name, b.Name) })
}

// Get returns a toolset, or a fault.NotFound. It is shared: callers must not change it.
func (k *Keeper) Get(name string) (Toolset, error) {
	t, ok := k.known.Load().sets[name]
	if !ok {
		return Toolset{}, fault.New(fault.NotFound, "there is no toolset %q; see: agent-discover toolset list", name)
	}
	return t, nil
}

// WhyHeld returns why a tool of a toolset is held for all clients, empty if it is not.
func (k *Keeper) WhyHeld(e Entry) string {
	if !e.Held && !e.Pending {
		return ""
	}
	if err := k.options.Held(e.Key()); err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

// change calls f with the toolset of a name, and stores and returns the toolset that f returns. exists is false if
// there is no toolset of that name; a new one is then added.
func (k *Keeper) change(ctx context.Context, name string, f func(t Toolset, exists bool) (Toolset, error)) (Toolset, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	now := k.known.Load()
	was, exists := now.sets[name]
	t, err := f(was.clone(), exists)
	if err != nil {
		return Toolset{}, err
	}
	if err := t.check(); err != nil {
		return Toolset{}, err
	}
	if !exists && len(now.sets) >= maxToolsets {
		return Toolset{}, fault.New(fault.Busy, "there are %d toolsets, which is the limit; delete one", maxToolsets)
	}
	if err := k.options.Store.SaveToolset(ctx, t); err != nil {
		return Toolset{}, err
	}
	next := &known{sets: maps.Clone(now.sets), equipped: now.equipped}
	next.sets[name] = t
	k.publish(next)
	return t, nil
}

// Reload reads all toolsets again, after a server got a new name in the store.
func (k *Keeper) Reload(ctx context.Context) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	sets, equipped, err := k.options.Store.Toolsets(ctx)
	if err != nil {
		return err
	}
	next := &known{sets: make(map[string]Toolset, len(sets)), equipped: equipped}
	for _, t := range sets {
		next.sets[t.Name] = t
	}
	k.publish(next)
	return nil
}

// publish replaces the snapshot with next and publishes Changed. The caller holds writing.
func (k *Keeper) publish(next *known) {
	k.known.Store(next)
	events.Publish(k.options.Bus, Changed{})
}

// missing returns a fault.NotFound unless the toolset exists.
func (k *Keeper) missing(name string) error {
	_, err := k.Get(name)
	return err
}

// Run publishes Changed whenever the state or the definition of a tool in a toolset changes, until ctx ends. It also
// publishes changes since Open.
func (k *Keeper) Run(ctx context.Context) error {
	defer func() {
		for _, stop := range k.stop {
			stop()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.wake:
		}
		if now := k.states(); now != k.last {
			k.last = now
			events.Publish(k.options.Bus, Changed{})
		}
	}
}

// states returns a text that changes whenever the state or the definition of a tool does.
func (k *Keeper) states() string {
	var out strings.Builder
	for _, t := range k.List() {
		for _, entry := range k.Entries(t) {
			out.WriteString(t.Name + "\n" + entry.Qualified() + "\n" + string(entry.State) + "\n")
			if entry.Present != nil {
				out.WriteString(entry.shownHash() + "\n")
			}
		}
	}
	return out.String()
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
