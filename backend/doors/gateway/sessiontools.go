package gateway

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// saveAgain is the interval between attempts to store session tools that could
// not be stored.
const saveAgain = time.Second

// SessionToolStore keeps the session tools of each session, so that a client
// gets them back when it reconnects or the hub is restarted.
type SessionToolStore interface {
	SessionTools(ctx context.Context, session string) ([]catalog.Key, error)
	// SaveSessionTools replaces the tools of a session. It returns an error rather than wait for a database
	// that is in use.
	SaveSessionTools(ctx context.Context, session string, tools []catalog.Key) error
	// ForgetSessionTools removes the tools of a server from all sessions.
	ForgetSessionTools(ctx context.Context, server string) error
}

// sessionToolSaver stores session tools before the reply to a search is sent, so that they survive a killed
// hub. If the store fails, the reply does not wait, and run stores the tools later.
type sessionToolSaver struct {
	store SessionToolStore
	log   *slog.Logger

	saving sync.Mutex // held while session tools are read and stored, so that forget does not run in between
	mu     sync.Mutex
	due    map[string]*sessionTools // tools that could not be stored, by session
	failed chan struct{}            // capacity 1; wakes run
}

// load returns the tools that the session with the given id had during its previous connection.
func (v *sessionToolSaver) load(ctx context.Context, id string) []catalog.Key {
	v.mu.Lock()
	s := v.due[id]
	v.mu.Unlock()
	if s != nil {
		return s.all()
	}
	found, err := v.store.SessionTools(ctx, id)
	if err != nil {
		v.log.Warn("could not read session tools", "session", id, "error", err)
	}
	return found
}

// save stores the tools of a session, at once or later.
func (v *sessionToolSaver) save(ctx context.Context, s *sessionTools) {
	v.mu.Lock()
	waiting := len(v.due) > 0
	if waiting {
		v.due[s.session] = s
	}
	v.mu.Unlock()
	if waiting {
		return
	}
	if err := v.write(ctx, s); err != nil {
		v.log.Warn("could not store session tools; they are stored later", "session", s.session, "error", err)
		v.mu.Lock()
		v.due[s.session] = s
		v.mu.Unlock()
		select {
		case v.failed <- struct{}{}:
		default: // run was woken already
		}
	}
}

func (v *sessionToolSaver) write(ctx context.Context, s *sessionTools) error {
	v.saving.Lock()
	defer v.saving.Unlock()
	return v.store.SaveSessionTools(ctx, s.session, s.all())
}

// run stores the tools that could not be stored, until ctx ends.
func (v *sessionToolSaver) run(ctx context.Context) {
	for {
		select {
		case <-v.failed:
		case <-ctx.Done():
			v.writeDue(context.WithoutCancel(ctx))
			return
		}
		for !v.writeDue(ctx) {
			select {
			case <-time.After(saveAgain):
			case <-ctx.Done():
				v.writeDue(context.WithoutCancel(ctx))
				return
			}
		}
	}
}

// writeDue stores the tools of the sessions in due, and reports whether none are
// left.
func (v *sessionToolSaver) writeDue(ctx context.Context) bool {
	v.mu.Lock()
	due := slices.Collect(maps.Values(v.due))
	v.mu.Unlock()
	for _, s := range due {
		if v.write(ctx, s) != nil {
			return false
		}
		v.mu.Lock()
		if v.due[s.session] == s {
			delete(v.due, s.session)
		}
		v.mu.Unlock()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.due) == 0
}

// forget removes the tools of a deleted server from the store, and from the tools of disconnected sessions that
// are still to be stored.
func (v *sessionToolSaver) forget(ctx context.Context, server string) {
	v.mu.Lock()
	for _, s := range v.due {
		s.forget(server)
	}
	v.mu.Unlock()
	v.saving.Lock()
	defer v.saving.Unlock()
	if err := v.store.ForgetSessionTools(ctx, server); err != nil {
		v.log.Warn("could not delete the session tools of a removed server", "server", server, "error", err)
	}
}

// rename gives the tools of a renamed server its new name in the tools of sessions, and of disconnected sessions that are
// still to be stored. The store has the new name already, but a session may have stored its tools since.
func (v *sessionToolSaver) rename(ctx context.Context, connected []*Session, server, to string) {
	for _, s := range connected {
		if s.found.rename(server, to) {
			v.save(ctx, s.found)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.due {
		s.rename(server, to)
	}
}

// sessionTools are the tools that find_tool has added to the list of one session. It is safe
// for concurrent use.
type sessionTools struct {
	session string // id of the session
	saver   *sessionToolSaver
	adds    func(ctx context.Context) bool // reports whether the session's list gets the tools that find_tool finds
	added   func()                         // called when tools were added

	mu   sync.Mutex
	keys map[catalog.Key]bool
}

// add adds tools and reports whether any of them is new.
func (t *sessionTools) add(keys []catalog.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	added := false
	for _, key := range keys {
		if !t.keys[key] {
			t.keys[key] = true
			added = true
		}
	}
	return added
}

func (t *sessionTools) has(key catalog.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[key]
}

func (t *sessionTools) all() []catalog.Key {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.keys))
}

func (t *sessionTools) forget(server string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.keys, func(key catalog.Key, _ bool) bool { return key.Server == server })
}

// rename gives the tools of a server its new name and reports whether there are any.
func (t *sessionTools) rename(server, to string) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := range maps.Clone(t.keys) {
		if key.Server == server {
			delete(t.keys, key)
			t.keys[catalog.Key{Server: to, Tool: key.Tool}] = true
			changed = true
		}
	}
	return changed
}

// AddsFound reports whether find_tool adds tools to the session's list. It is false for a modern client, whose
// list depends only on the configuration.
func (t *sessionTools) AddsFound(ctx context.Context) bool { return t.adds(ctx) }

// AddFound adds found tools, stores the session tools, and
// notifies the client that its list has changed.
func (t *sessionTools) AddFound(ctx context.Context, tools []*catalog.Tool) {
	keys := make([]catalog.Key, len(tools))
	for i, tool := range tools {
		keys[i] = tool.Key()
	}
	if !t.add(keys) {
		return
	}
	t.saver.save(ctx, t)
	t.added()
}
