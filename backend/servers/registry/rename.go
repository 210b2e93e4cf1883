package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Renaming is what else happens when a server is renamed. While its functions run, no server has the former name or the
// new one.
type Renaming struct {
	// Stop ends everything that uses the server.
	Stop func()
	// Store changes the name in the store. If it fails, the server keeps its name.
	Store func(ctx context.Context) error
	// Load makes the parts of the program that hold data about the server use the new name.
	Load func(ctx context.Context) error
}

// Rename gives a server another name. An unknown name is a fault.NotFound, an invalid new name a fault.Invalid, and a
// taken one a fault.Conflict. The server has the new name even if Load fails; the error is then that of Load.
func (r *Registry) Rename(ctx context.Context, name, to string, with Renaming) (Server, error) {
	s, err := r.hide(name, to)
	if err != nil {
		return Server{}, err
	}
	with.Stop()
	r.writing.Lock()
	err = with.Store(ctx)
	if err != nil {
		r.show(s, name, to)
	}
	r.writing.Unlock()
	if err != nil {
		return Server{}, err
	}
	failed := with.Load(ctx)

	r.writing.Lock()
	defer r.writing.Unlock()
	s.Name = to
	before := r.List()
	r.show(s, name, to)
	if stored, err := r.store.Servers(ctx); err == nil { // configurations of other servers may name the server, too
		slices.SortFunc(stored, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
		r.publish(stored)
	}
	events.Publish(r.bus, Changed{Name: name, Removed: true, Renamed: to})
	events.Publish(r.bus, Changed{Name: to})
	for _, other := range before {
		if now, err := r.Get(other.Name); err == nil && !now.sameTexts(other) {
			events.Publish(r.bus, Changed{Name: other.Name})
		}
	}
	s, err = r.Get(to)
	if failed != nil {
		err = failed
	}
	return s, err
}

// hide removes a server from the snapshot, and reserves its name and the new one until show.
func (r *Registry) hide(name, to string) (Server, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	s, err := r.Get(name)
	if err != nil {
		return Server{}, err
	}
	if err := CheckName(to); err != nil {
		return Server{}, err
	}
	if name == to {
		return Server{}, fault.New(fault.Invalid, "server %q has this name already", name)
	}
	servers := r.List()
	if _, taken := find(servers, to); taken || r.reserved[to] {
		return Server{}, Taken(to)
	}
	r.reserved[name], r.reserved[to] = true, true
	i, _ := find(servers, name)
	r.publish(slices.Delete(slices.Clone(servers), i, i+1))
	return s, nil
}

// show ends hide: it adds the server to the snapshot again, with its present name. The caller holds writing.
func (r *Registry) show(s Server, name, to string) {
	delete(r.reserved, name)
	delete(r.reserved, to)
	servers := r.List()
	i, _ := find(servers, s.Name)
	r.publish(slices.Insert(slices.Clone(servers), i, s))
}
