package api

import (
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// facts are what is worked out from a server's configuration. That takes longer
// than all else that a view of it needs.
type facts struct {
	updated   time.Time // of the configuration
	hash      string
	plaintext []string
}

// factBook remembers facts by the id of their server.
type factBook struct {
	mu  sync.Mutex
	all map[int64]facts
}

func (b *factBook) of(v registry.Server) facts {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.all[v.ID]
	if !ok || !known.updated.Equal(v.UpdatedAt) {
		known = facts{v.UpdatedAt, lifecycle.LaunchHash(v), secrets.Plaintext(v.Env, v.Args, v.Headers, v.Endpoint())}
		if b.all == nil {
			b.all = make(map[int64]facts)
		}
		b.all[v.ID] = known
	}
	return known
}

func (b *factBook) forget(id int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, id)
}
