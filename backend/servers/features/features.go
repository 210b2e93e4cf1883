// Package features holds the prompts, resources and resource templates that servers
// list, and the introductions of servers, so that clients also see them while a server
// is stopped. Tools are in package catalog, which also makes them searchable.
package features

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// Kind is the kind of items in a list. The values of Prompts, Resources and Templates are also the names of the members
// that hold the lists in the results of servers.
type Kind string

// These are the kinds of lists.
const (
	Prompts   Kind = "prompts"
	Resources Kind = "resources"
	Templates Kind = "resourceTemplates"
	// Introduction is a list with one object for each era of MCP in which the hub has opened a session with the server.
	// Each object has the members protocolVersion, serverInfo, capabilities and instructions, as the server declared
	// them at its last start.
	Introduction Kind = "introduction"
)

// List is one list of one server.
type List struct {
	Server string
	Kind   Kind
	// Definitions are the items of the list: those that the server sent, or those that the gate admitted. They must not
	// be modified. nil means that the server never sent the list, unlike an empty list.
	Definitions []json.RawMessage
}

// Store persists lists.
type Store interface {
	// Features returns all stored lists.
	Features(ctx context.Context) ([]List, error)
	// SetFeatures replaces a list. A list whose definitions are nil is deleted.
	SetFeatures(ctx context.Context, l List) error
}

// Gate decides which of the definitions that servers list are kept.
type Gate interface {
	// Admit receives a list as a server has sent it. It returns the definitions to keep, in the order of the list. A
	// kept definition may differ from the listed one.
	Admit(ctx context.Context, l List) ([]json.RawMessage, error)
	// Admitted decides again about the list that Admit received last. l is the list that is kept at present.
	Admitted(ctx context.Context, l List) ([]json.RawMessage, error)
}

// Changed is published after a list has changed.
type Changed struct {
	Server string
	Kind   Kind
}

type key struct {
	server string
	kind   Kind
}

// Keeper holds the lists of all servers. It is safe for concurrent use.
type Keeper struct {
	store Store
	bus   *events.Bus
	gate  Gate // nil if all definitions are kept

	writing sync.Mutex // serializes changes, including writes to the store
	all     atomic.Pointer[map[key][]json.RawMessage]
}

// Open returns the lists in store. Changes are published on bus.
func Open(ctx context.Context, store Store, bus *events.Bus) (*Keeper, error) {
	stored, err := store.Features(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[key][]json.RawMessage, len(stored))
	for _, l := range stored {
		all[key{l.Server, l.Kind}] = l.Definitions
	}
	k := &Keeper{store: store, bus: bus}
	k.all.Store(&all)
	return k, nil
}

// Guard makes a gate decide about the lists that servers send from now on. Call it before
// the first Replace.
func (k *Keeper) Guard(g Gate) { k.gate = g }

// Of returns a list of a server in the server's order. It is nil if the server
// never sent such a list, and may be empty otherwise.
func (k *Keeper) Of(server string, kind Kind) []json.RawMessage {
	return (*k.all.Load())[key{server, kind}]
}

// Replace stores a list that a server has sent, without the definitions that the gate holds back, and reports whether
// it differs from the stored one. An empty list does not differ from one that the server never sent.
func (k *Keeper) Replace(ctx context.Context, server string, kind Kind, definitions []json.RawMessage) (changed bool, err error) {
	if definitions == nil {
		definitions = []json.RawMessage{}
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.gate != nil {
		if definitions, err = k.gate.Admit(ctx, List{server, kind, definitions}); err != nil {
			return false, err
		}
	}
	return k.set(ctx, List{server, kind, definitions})
}

// Reapply asks the gate again about a list of a server, and stores the list that the gate admits. It does nothing for a
// list that the server never sent. Call it only after Guard.
func (k *Keeper) Reapply(ctx context.Context, server string, kind Kind) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	kept := List{server, kind, k.Of(server, kind)}
	if kept.Definitions == nil {
		return nil
	}
	definitions, err := k.gate.Admitted(ctx, kept)
	if err == nil {
		_, err = k.set(ctx, List{server, kind, definitions})
	}
	return err
}

// Forget deletes the lists of a removed server.
func (k *Keeper) Forget(ctx context.Context, server string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	for _, kind := range []Kind{Prompts, Resources, Templates, Introduction} {
		if _, err := k.set(ctx, List{server, kind, nil}); err != nil {
			return err
		}
	}
	return nil
}

// Rename gives the lists of a server the new name of the server. The caller has changed the store.
func (k *Keeper) Rename(server, to string) {
	k.writing.Lock()
	defer k.writing.Unlock()
	all := maps.Clone(*k.all.Load())
	var moved []Kind
	for _, kind := range []Kind{Prompts, Resources, Templates, Introduction} {
		if list, has := all[key{server, kind}]; has {
			all[key{to, kind}] = list
			delete(all, key{server, kind})
			moved = append(moved, kind)
		}
	}
	k.all.Store(&all)
	for _, kind := range moved {
		events.Publish(k.bus, Changed{Server: to, Kind: kind})
	}
}

// set stores a list. The caller holds writing.
func (k *Keeper) set(ctx context.Context, list List) (changed bool, err error) {
	old := k.Of(list.Server, list.Kind)
	same := slices.EqualFunc(old, list.Definitions, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	if same && (old == nil) == (list.Definitions == nil) {
		return false, nil
	}
	if err := k.store.SetFeatures(ctx, list); err != nil {
		return false, err
	}
	all := maps.Clone(*k.all.Load())
	if all[key{list.Server, list.Kind}] = list.Definitions; list.Definitions == nil {
		delete(all, key{list.Server, list.Kind})
	}
	k.all.Store(&all)
	if !same {
		events.Publish(k.bus, Changed{Server: list.Server, Kind: list.Kind})
	}
	return !same, nil
}
