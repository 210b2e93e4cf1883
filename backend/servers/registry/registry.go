package registry

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Store keeps servers. A call that returned nil survives the end of the process.
type Store interface {
	Servers(ctx context.Context) ([]Server, error)
	InsertServer(ctx context.Context, s Server) (id int64, err error)
	UpdateServer(ctx context.Context, s Server) error
	DeleteServer(ctx context.Context, id int64) error
	// Scrub sees that nothing is left of what was overwritten or deleted.
	Scrub(ctx context.Context) error
	// Compact is Scrub for what older versions of this program left.
	Compact(ctx context.Context) error
	// MatchServers returns the ids of servers that match a query, best first.
	MatchServers(ctx context.Context, query string) ([]int64, error)
}

// Changed is published after a server was added, changed or removed.
type Changed struct {
	Name    string
	Removed bool
}

// Registry holds the configured servers. Writes reach the store before they
// are seen; all methods are safe for concurrent use.
type Registry struct {
	store Store
	bus   *events.Bus

	writing sync.Mutex // one writer at a time, held over the store
	mu      sync.RWMutex
	servers []Server // sorted by name
}

// Open loads the registry.
func Open(ctx context.Context, store Store, bus *events.Bus) (*Registry, error) {
	servers, err := store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(servers, byName)
	return &Registry{store: store, bus: bus, servers: servers}, nil
}

func byName(a, b Server) int { return strings.Compare(a.Name, b.Name) }

// List returns all servers, sorted by name.
func (r *Registry) List() []Server {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Server, len(r.servers))
	for i, s := range r.servers {
		out[i] = s.clone()
	}
	return out
}

// Get returns the server with a name, or a fault.NotFound.
func (r *Registry) Get(name string) (Server, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i, ok := r.find(name); ok {
		return r.servers[i].clone(), nil
	}
	return Server{}, fault.New(fault.NotFound, "Server %q not found in registry", name)
}

// ByID returns the server with an id, or a fault.NotFound.
func (r *Registry) ByID(id int64) (Server, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, s := range r.servers {
		if s.ID == id {
			return s.clone(), nil
		}
	}
	return Server{}, fault.New(fault.NotFound, "Not found")
}

// Search returns the servers that match a query, best first; all of them, by
// name, when the query is empty.
func (r *Registry) Search(ctx context.Context, query string) ([]Server, error) {
	if strings.TrimSpace(query) == "" {
		return r.List(), nil
	}
	ids, err := r.store.MatchServers(ctx, query)
	if err != nil {
		return nil, err
	}
	var out []Server
	for _, id := range ids {
		if s, err := r.ByID(id); err == nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// Splits returns the ways to read a proxied tool's name server__tool, those
// with the longest server name first. A tool's name may hold "__" too, or begin
// with an underscore.
func (r *Registry) Splits(proxied string) (ways [][2]string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := len(proxied) - 2; i > 0; i-- {
		if proxied[i:i+2] != "__" {
			continue
		}
		if _, found := r.find(proxied[:i]); found {
			ways = append(ways, [2]string{proxied[:i], proxied[i+2:]})
		}
	}
	return ways
}

// Add configures a server. Id and times are set here.
func (r *Registry) Add(ctx context.Context, s Server) (Server, error) {
	if err := CheckName(s.Name); err != nil {
		return Server{}, err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.Get(s.Name); err == nil {
		return Server{}, fault.New(fault.Conflict, "Server %q already exists", s.Name)
	}
	s = s.clone()
	if s.Transport == "" {
		s.Transport = "stdio"
	}
	if s.Health.Status == "" {
		s.Health.Status = "unknown"
	}
	s.CreatedAt = time.Now().UTC()
	s.UpdatedAt = s.CreatedAt
	id, err := r.store.InsertServer(ctx, s)
	if err != nil {
		return Server{}, err
	}
	s.ID = id
	r.swap(func(servers []Server) []Server {
		i, _ := r.find(s.Name)
		return slices.Insert(servers, i, s)
	})
	events.Publish(r.bus, Changed{Name: s.Name})
	return s.clone(), nil
}

// Update changes the server with a name by edit. Name and id stay.
func (r *Registry) Update(ctx context.Context, name string, edit func(*Server)) (Server, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	s, err := r.Get(name)
	if err != nil {
		return Server{}, err
	}
	id, created := s.ID, s.CreatedAt
	edit(&s)
	s.ID, s.Name, s.CreatedAt, s.UpdatedAt = id, name, created, time.Now().UTC()
	before, _ := r.Get(name)
	if err := r.replace(ctx, s); err != nil {
		return Server{}, err
	}
	if !before.sameTexts(s) { // there may have been a credential in it
		if err := r.store.Scrub(ctx); err != nil {
			return Server{}, err
		}
	}
	return s.clone(), nil
}

// replace stores a server and then shows it; the caller holds writing.
func (r *Registry) replace(ctx context.Context, s Server) error {
	if err := r.store.UpdateServer(ctx, s); err != nil {
		return err
	}
	s = s.clone()
	r.swap(func(servers []Server) []Server {
		i, _ := r.find(s.Name)
		servers[i] = s
		return servers
	})
	events.Publish(r.bus, Changed{Name: s.Name})
	return nil
}

// Remove forgets a server.
func (r *Registry) Remove(ctx context.Context, name string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	s, err := r.Get(name)
	if err != nil {
		return err
	}
	if err := r.store.DeleteServer(ctx, s.ID); err != nil {
		return err
	}
	r.swap(func(servers []Server) []Server {
		i, _ := r.find(name)
		return slices.Delete(servers, i, i+1)
	})
	events.Publish(r.bus, Changed{Name: name, Removed: true})
	return r.store.Scrub(ctx)
}

// Compact sees that nothing is left of what servers were once configured with.
func (r *Registry) Compact(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.store.Compact(ctx)
}

func (r *Registry) swap(edit func([]Server) []Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.servers = edit(slices.Clone(r.servers))
}

func (r *Registry) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.servers, name, func(s Server, name string) int {
		return strings.Compare(s.Name, name)
	})
}
