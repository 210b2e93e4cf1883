// Package catalogtest provides catalogs that are kept in memory, for tests of
// packages that search, list or call tools.
package catalogtest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Open returns a catalog over an empty Store, with tool definitions by server. servers may be nil. Changes to the
// catalog are published on bus.
func Open(t testing.TB, bus *events.Bus, servers map[string][]json.RawMessage) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), &Store{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for server, definitions := range servers {
		if _, err := c.Replace(t.Context(), server, definitions); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Definitions converts tool definitions, each a JSON object, to raw messages as a server lists them.
func Definitions(tools ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		out[i] = json.RawMessage(tool)
	}
	return out
}

// Store is a catalog.Store in memory. The zero value is empty and ready for
// use. It is safe for concurrent use.
type Store struct {
	mu    sync.Mutex
	tools map[string][]*catalog.Tool
	err   error
}

var _ catalog.Store = (*Store)(nil)

// Fail makes every further operation return err and change nothing, until it
// is called with nil.
func (s *Store) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// Tools returns the stored tools, sorted by server.
func (s *Store) Tools(context.Context) ([]*catalog.Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	var out []*catalog.Tool
	for _, server := range slices.Sorted(maps.Keys(s.tools)) {
		out = append(out, s.tools[server]...)
	}
	return out, nil
}

// ReplaceTools replaces the stored tools of a server with tools.
func (s *Store) ReplaceTools(_ context.Context, server string, tools []*catalog.Tool, _ []catalog.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.tools == nil {
		s.tools = make(map[string][]*catalog.Tool)
	}
	s.tools[server] = slices.Clone(tools)
	return nil
}

// SetTokens stores the token counts of tools.
func (s *Store) SetTokens(_ context.Context, counts map[catalog.Key]int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	for _, tools := range s.tools {
		for i, t := range tools {
			if n, ok := counts[t.Key()]; ok {
				counted := *t
				counted.Tokens = n
				tools[i] = &counted
			}
		}
	}
	return nil
}
