// Package listings holds the prompts, resources and resource templates that
// servers list, so that clients see those of stopped servers too. Tools are in
// package catalog, which also makes them searchable.
package listings

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

// Kind is what a list contains. Its text is the member of the result that holds
// the list.
type Kind string

// These are the kinds of lists.
const (
	Prompts   Kind = "prompts"
	Resources Kind = "resources"
	Templates Kind = "resourceTemplates"
)

// Listing is one list of one server.
type Listing struct {
	Server string
	Kind   Kind
	// Definitions are the members of the list as the server sent them. They are
	// read-only.
	Definitions []json.RawMessage
}

// Store persists listings.
type Store interface {
	// Listings returns all stored listings.
	Listings(ctx context.Context) ([]Listing, error)
	// SetListing replaces a listing. A listing without definitions is deleted.
	SetListing(ctx context.Context, l Listing) error
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

// Of returns a list of a server in the server's order. It is empty if the server
// never sent such a list.
func (l *Listings) Of(server string, kind Kind) []json.RawMessage {
	return (*l.all.Load())[key{server, kind}]
}

// Replace stores a list that a server has sent, and reports whether it differs
// from the stored one.
func (l *Listings) Replace(ctx context.Context, server string, kind Kind, definitions []json.RawMessage) (changed bool, err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	if slices.EqualFunc(l.Of(server, kind), definitions, same) {
		return false, nil
	}
	if err := l.store.SetListing(ctx, Listing{Server: server, Kind: kind, Definitions: definitions}); err != nil {
		return false, err
	}
	all := maps.Clone(*l.all.Load())
	if all[key{server, kind}] = definitions; len(definitions) == 0 {
		delete(all, key{server, kind})
	}
	l.all.Store(&all)
	events.Publish(l.bus, Changed{Server: server, Kind: kind})
	return true, nil
}

// Forget deletes the lists of a removed server.
func (l *Listings) Forget(ctx context.Context, server string) error {
	for _, kind := range []Kind{Prompts, Resources, Templates} {
		if _, err := l.Replace(ctx, server, kind, nil); err != nil {
			return err
		}
	}
	return nil
}
