package gateway

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// SlugStore persists the slug of each server, by the server's id.
type SlugStore interface {
	// Slugs returns all slugs, including those of removed servers.
	Slugs(ctx context.Context) (map[int64]string, error)
	SaveSlug(ctx context.Context, server int64, slug string) error
}

// slugs assigns each server a slug, its short name in URIs, when the slug is first needed. Slugs of removed
// servers are kept, because a client may still know their URIs. It is safe for concurrent use.
type slugs struct {
	store SlugStore
	log   *slog.Logger

	unsaved chan struct{} // capacity 1; receives a value when there are slugs to store

	mu     sync.Mutex
	byID   map[int64]string // nil before the first use
	taken  map[string]bool
	toSave map[int64]string
}

// of returns the slug of a server.
func (b *slugs) of(server registry.Server) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	if slug := b.byID[server.ID]; slug != "" {
		return slug
	}
	slug := names.Slug(server.Name, func(slug string) bool { return b.taken[slug] })
	b.byID[server.ID], b.taken[slug], b.toSave[server.ID] = slug, true, slug
	select {
	case b.unsaved <- struct{}{}:
	default:
	}
	return slug
}

// saveRetry is the time between attempts to store slugs.
const saveRetry = 10 * time.Second

// run stores new slugs until ctx ends, so that calls need not wait for the store.
func (b *slugs) run(ctx context.Context) {
	var again <-chan time.Time
	for {
		select {
		case <-b.unsaved:
		case <-again:
		case <-ctx.Done():
			b.save(context.WithoutCancel(ctx))
			return
		}
		again = nil
		if !b.save(ctx) {
			again = time.After(saveRetry)
		}
	}
}

// save stores new slugs and reports whether it stored all.
func (b *slugs) save(ctx context.Context) bool {
	b.mu.Lock()
	waiting := maps.Clone(b.toSave)
	b.mu.Unlock()
	for server, slug := range waiting {
		if err := b.store.SaveSlug(ctx, server, slug); err != nil {
			b.log.Warn("could not store the slug of a server; it is stored later", "slug", slug, "error", err)
			return false
		}
		b.mu.Lock()
		delete(b.toSave, server)
		b.mu.Unlock()
	}
	return true
}

func (b *slugs) load() {
	if b.byID != nil {
		return
	}
	b.taken = make(map[string]bool)
	stored, err := b.store.Slugs(context.Background())
	if err != nil {
		b.log.Warn("could not read the slugs of servers", "error", err)
	}
	if b.byID = stored; stored == nil {
		b.byID = make(map[int64]string)
	}
	for _, slug := range b.byID {
		b.taken[slug] = true
	}
}
