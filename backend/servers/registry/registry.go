package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/spelling"
)

// Store persists servers. Once a write has returned nil, its data survives the
// end of the process.
type Store interface {
	Servers(ctx context.Context) ([]Server, error)
	InsertServer(ctx context.Context, s Server) (id int64, err error)
	UpdateServer(ctx context.Context, s Server) error
	DeleteServer(ctx context.Context, id int64) error
	// Scrub removes overwritten and deleted data from the files of the database.
	Scrub(ctx context.Context) error
	// Compact is like Scrub, but also removes data that older versions of this program deleted and did not overwrite.
	Compact(ctx context.Context) error
	// MatchServers returns the ids of the servers that match a query, best first.
	MatchServers(ctx context.Context, query string) ([]int64, error)
}

// Changed is published after a server was added, changed or removed.
type Changed struct {
	Name    string
	Removed bool
	// Renamed is the new name of a server that has lost the name Name because it was renamed; Removed is then set, too.
	Renamed string
}

// Registry holds the configured servers. A change is written to the store
// before it becomes visible. All methods are safe for concurrent use.
//
// Readers share one immutable snapshot: callers must not modify the slices and
// maps of a Server that List, Get, ByID or Search returned. Update gives its
// callback a copy of its own.
type Registry struct {
	store Store
	bus   *events.Bus

	writing sync.Mutex // held during a whole change, the write to the store included
	servers atomic.Pointer[[]Server]

	reserved map[string]bool // the former and the new names of servers that are being renamed; guarded by writing
}

// Open reads all servers from the store.
func Open(ctx context.Context, store Store, bus *events.Bus) (*Registry, error) {
	servers, err := store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	r := &Registry{store: store, bus: bus, reserved: make(map[string]bool)}
	r.publish(servers)
	return r, nil
}

// publish makes servers the current snapshot. It clips the slice: otherwise
// append on a list that List returned could write into the snapshot.
func (r *Registry) publish(servers []Server) {
	servers = slices.Clip(servers)
	r.servers.Store(&servers)
}

// List returns all servers, sorted by name. The list is shared: callers must
// not modify it.
func (r *Registry) List() []Server { return *r.servers.Load() }

// Get returns the server with a name, or a fault.NotFound that suggests servers with similar names.
func (r *Registry) Get(name string) (Server, error) {
	servers := r.List()
	if i, ok := find(servers, name); ok {
		return servers[i], nil
	}
	return Server{}, r.unknown(name, "Server %q not found in registry")
}

// Unknown is the error of Get in the words for models.
func (r *Registry) Unknown(name string) *fault.Error { return r.unknown(name, "unknown server %q") }

// unknown returns the error for a name that no server has. It suggests servers that may be meant.
func (r *Registry) unknown(name, format string) *fault.Error {
	servers, text := r.List(), fmt.Sprintf(format, name)
	names := make([]string, len(servers))
	for i, v := range servers {
		names[i] = v.Name
	}
	near := spelling.Near(name, names)
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return &fault.Error{Kind: fault.NotFound, Message: text, DidYouMean: near}
}

// ByID returns the server with an id, or a fault.NotFound.
func (r *Registry) ByID(id int64) (Server, error) {
	servers := r.List()
	if i := slices.IndexFunc(servers, func(s Server) bool { return s.ID == id }); i >= 0 {
		return servers[i], nil
	}
	return Server{}, fault.New(fault.NotFound, "Not found")
}

// Search returns the servers that match a query, best first. An empty query
// matches all servers, which are then sorted by name.
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
		if s, err := r.ByID(id); err == nil { // otherwise the server was removed meanwhile
			out = append(out, s)
		}
	}
	return out, nil
}

// Taken returns the fault.Conflict for a name that another server has.
func Taken(name string) error {
	return fault.New(fault.Conflict, "Server %q already exists", name)
}

// Add configures a new server and returns it with the id and the times that Add assigns. An invalid name is a
// fault.Invalid, and a taken one a fault.Conflict.
func (r *Registry) Add(ctx context.Context, s Server) (Server, error) {
	if err := CheckName(s.Name); err != nil {
		return Server{}, err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	servers := r.List()
	i, taken := find(servers, s.Name)
	if taken || r.reserved[s.Name] {
		return Server{}, Taken(s.Name)
	}
	s = s.clone()
	s.Transport, s.Health.Status = cmp.Or(s.Transport, "stdio"), cmp.Or(s.Health.Status, "unknown")
	s.Isolation, s.Sandbox = cmp.Or(s.Isolation, Shared), cmp.Or(s.Sandbox, Unconfined)
	s.CreatedAt = time.Now().UTC()
	s.UpdatedAt = s.CreatedAt
	id, err := r.store.InsertServer(ctx, s)
	if err != nil {
		return Server{}, err
	}
	s.ID = id
	r.publish(slices.Insert(slices.Clone(servers), i, s))
	events.Publish(r.bus, Changed{Name: s.Name})
	return s, nil
}

// Update calls edit with a copy of a server's configuration, stores the result
// and returns it. Name, id and creation time cannot be changed.
func (r *Registry) Update(ctx context.Context, name string, edit func(*Server)) (Server, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	before, err := r.Get(name)
	if err != nil {
		return Server{}, err
	}
	s := before.clone()
	edit(&s)
	s.ID, s.Name, s.CreatedAt, s.UpdatedAt = before.ID, name, before.CreatedAt, time.Now().UTC()
	s.Isolation, s.Sandbox = cmp.Or(s.Isolation, Shared), cmp.Or(s.Sandbox, Unconfined)
	if s.Env[s.Health.MissingVariable] != "" {
		s.Health.MissingVariable = ""
	}
	s = s.clone() // edit may have stored slices and maps that are still used elsewhere
	if err := r.replace(ctx, s); err != nil {
		return Server{}, err
	}
	if !before.sameTexts(s) { // the old configuration may have contained a credential
		if err := r.store.Scrub(ctx); err != nil {
			return Server{}, err
		}
	}
	return s, nil
}

// replace stores a changed server and then makes it visible. The caller holds
// writing.
func (r *Registry) replace(ctx context.Context, s Server) error {
	if err := r.store.UpdateServer(ctx, s); err != nil {
		return err
	}
	servers := slices.Clone(r.List())
	i, _ := find(servers, s.Name)
	servers[i] = s
	r.publish(servers)
	events.Publish(r.bus, Changed{Name: s.Name})
	return nil
}

// Remove deletes the server with a name.
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
	servers := r.List()
	i, _ := find(servers, name)
	r.publish(slices.Delete(slices.Clone(servers), i, i+1))
	events.Publish(r.bus, Changed{Name: name, Removed: true})
	return r.store.Scrub(ctx)
}

// Compact removes former configurations of servers from the files of the
// database, including those that older versions of this program left there.
func (r *Registry) Compact(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.store.Compact(ctx)
}

// find returns the index of a name in servers sorted by name, or where it would
// be inserted.
func find(servers []Server, name string) (int, bool) {
	return slices.BinarySearchFunc(servers, name, func(s Server, name string) int {
		return strings.Compare(s.Name, name)
	})
}
