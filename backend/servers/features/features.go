// Package features holds the prompts, resources and resource templates that
// servers list, and how servers introduce themselves, so that clients see those of
// stopped servers too. Tools are in package catalog, which also makes them
// searchable.
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

// Kind is the kind of items in a list. Except for Introduction, its text is the name of the member that holds the list
// in the server's result.
type Kind string

// These are the kinds of lists.
const (
	Prompts   Kind = "prompts"
	Resources Kind = "resources"
	Templates Kind = "resourceTemplates"
	// Introduction is a list with one object for each era of MCP in which the hub has opened a session with the server.
	// The object has the members protocolVersion, serverInfo, capabilities and instructions, as the server declared
	// them at its last start.
	Introduction Kind = "introduction"
)

// Listing is one list of one server.
type Listing struct {
	Server string
	Kind   Kind
	// Definitions are the members of the list: as the server sent them, or as the gate kept them. They are read-only.
	// nil means that the server never sent the list, which differs from an empty list.
	Definitions []json.RawMessage
}

// Store persists listings.
type Store interface {
	// Listings returns all stored listings.
	Listings(ctx context.Context) ([]Listing, error)
	// SetListing replaces a listing. A listing whose definitions are nil is deleted.
	SetListing(ctx context.Context, l Listing) error
}

// Gate decides which of the definitions that servers list are kept.
type Gate interface {
	// Admit receives a list as a server has sent it. It returns the definitions to keep, in the order of the list. A
	// kept definition may differ from the listed one.
	Admit(ctx context.Context, l Listing) ([]json.RawMessage, error)
	// Admitted decides again about the list that Admit received last. l is the listing that was kept then.
	Admitted(ctx context.Context, l Listing) ([]json.RawMessage, error)
}

// Changed is published after a listing has changed.
type Changed struct {
	Server string
	Kind   Kind
}

type key struct {
	server string
	kind   Kind
}

// Listings holds the listings of all servers. It is safe for concurrent use.
type Listings struct {
	store Store
	bus   *events.Bus
	gate  Gate // nil lets everything through

	writing sync.Mutex // serializes changes, including writes to the store
	all     atomic.Pointer[map[key][]json.RawMessage]
}

// Open returns the listings in store. Changes are published on bus.
func Open(ctx context.Context, store Store, bus *events.Bus) (*Listings, error) {
	stored, err := store.Listings(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[key][]json.RawMessage, len(stored))
	for _, l := range stored {
		all[key{l.Server, l.Kind}] = l.Definitions
	}
	l := &Listings{store: store, bus: bus}
	l.all.Store(&all)
	return l, nil
}

// Guard makes a gate decide about the lists that servers send from now on. Call it before
// the first Replace.
func (l *Listings) Guard(g Gate) { l.gate = g }

// Of returns a list of a server in the server's order. It is nil if the server
// never sent such a list, and may be empty otherwise.
func (l *Listings) Of(server string, kind Kind) []json.RawMessage {
	return (*l.all.Load())[key{server, kind}]
}

// Replace stores a list that a server has sent, without the definitions that the gate holds back, and reports whether
// it differs from the stored one. An empty list does not differ from one that the server never sent.
func (l *Listings) Replace(ctx context.Context, server string, kind Kind, definitions []json.RawMessage) (changed bool, err error) {
	if definitions == nil {
		definitions = []json.RawMessage{}
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.gate != nil {
		if definitions, err = l.gate.Admit(ctx, Listing{server, kind, definitions}); err != nil {
			return false, err
		}
	}
	return l.set(ctx, Listing{server, kind, definitions})
}

// Reapply asks the gate again about a list of a server, and stores the list that the gate admits. It does nothing for a
// list that the server never sent. Call it only after Guard.
func (l *Listings) Reapply(ctx context.Context, server string, kind Kind) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	kept := Listing{server, kind, l.Of(server, kind)}
	if kept.Definitions == nil {
		return nil
	}
	definitions, err := l.gate.Admitted(ctx, kept)
	if err == nil {
		_, err = l.set(ctx, Listing{server, kind, definitions})
	}
	return err
}

// Forget deletes the lists of a removed server.
func (l *Listings) Forget(ctx context.Context, server string) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	for _, kind := range []Kind{Prompts, Resources, Templates, Introduction} {
		if _, err := l.set(ctx, Listing{server, kind, nil}); err != nil {
			return err
		}
	}
	return nil
}

// set stores a listing. The caller holds writing.
func (l *Listings) set(ctx context.Context, listing Listing) (changed bool, err error) {
	old := l.Of(listing.Server, listing.Kind)
	same := slices.EqualFunc(old, listing.Definitions, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	if same && (old == nil) == (listing.Definitions == nil) {
		return false, nil
	}
	if err := l.store.SetListing(ctx, listing); err != nil {
		return false, err
	}
	all := maps.Clone(*l.all.Load())
	if all[key{listing.Server, listing.Kind}] = listing.Definitions; listing.Definitions == nil {
		delete(all, key{listing.Server, listing.Kind})
	}
	l.all.Store(&all)
	if !same {
		events.Publish(l.bus, Changed{Server: listing.Server, Kind: listing.Kind})
	}
	return !same, nil
}
