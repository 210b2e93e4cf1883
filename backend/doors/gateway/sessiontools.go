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
	// SaveSessionTools replaces the tools of a session. It returns an error
	// rather than to wait for a database that is in use.
	SaveSessionTools(ctx context.Context, session string, tools []catalog.Key) error
	// ForgetSessionTools removes the tools of a server from all sessions.
	ForgetSessionTools(ctx context.Context, server string) error
}

// sessionToolSaver stores session tools before a search answers, so that they
// survive a hub that is killed. If the store does not accept them, the search
// does not wait and run stores them later.
type sessionToolSaver struct {
	store SessionToolStore
	log   *slog.Logger

	saving sync.Mutex // held while the tools of sessions are read and stored, so that no removed server comes back
	mu     sync.Mutex
	due    map[string]*Session // sessions whose tools could not be stored, by id
	failed chan struct{}       // capacity 1; wakes run
}

func newSessionToolSaver(store SessionToolStore, log *slog.Logger) *sessionToolSaver {
	return &sessionToolSaver{store: store, log: log, due: make(map[string]*Session), failed: make(chan struct{}, 1)}
}

// load returns the tools of the session with an id that was connected before.
func (v *sessionToolSaver) load(ctx context.Context, id string) []catalog.Key {
	v.mu.Lock()
	s := v.due[id]
	v.mu.Unlock()
	if s != nil {
		return s.allSessionTools()
	}
	found, err := v.store.SessionTools(ctx, id)
	if err != nil {
		v.log.Warn("could not read session tools", "session", id, "error", err)
	}
	return found
}

// save stores the tools of a session, at once or later.
func (v *sessionToolSaver) save(ctx context.Context, s *Session) {
	v.mu.Lock()
	waiting := len(v.due) > 0
	if waiting {
		v.due[s.id] = s
	}
	v.mu.Unlock()
	if waiting {
		return
	}
	if err := v.write(ctx, s); err != nil {
		v.log.Warn("could not store session tools; they are stored later", "session", s.id, "error", err)
		v.mu.Lock()
		v.due[s.id] = s
		v.mu.Unlock()
		select {
		case v.failed <- struct{}{}:
		default: // run is awake
		}
	}
}

func (v *sessionToolSaver) write(ctx context.Context, s *Session) error {
	v.saving.Lock()
	defer v.saving.Unlock()
	return v.store.SaveSessionTools(ctx, s.id, s.allSessionTools())
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
	due := make([]*Session, 0, len(v.due))
	for _, s := range v.due {
		due = append(due, s)
	}
	v.mu.Unlock()
	for _, s := range due {
		if v.write(ctx, s) != nil {
			return false
		}
		v.mu.Lock()
		if v.due[s.id] == s {
			delete(v.due, s.id)
		}
		v.mu.Unlock()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.due) == 0
}

// forget removes the tools of a removed server from the store, and from the
// sessions that are not connected any more.
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

// addSessionTools adds session tools and reports whether any of them is new.
func (s *Session) addSessionTools(keys []catalog.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := false
	for _, key := range keys {
		if !s.sessionTools[key] {
			s.sessionTools[key] = true
			added = true
		}
	}
	return added
}

func (s *Session) allSessionTools() []catalog.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.sessionTools))
}

// forget removes a server's tools from the session tools.
func (s *Session) forget(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.sessionTools {
		if key.Server == server {
			delete(s.sessionTools, key)
		}
	}
}

// addFound adds found tools to the session tools, stores the session tools, and
// notifies the client that its list has changed.
func (s *Session) addFound(ctx context.Context, tools []*catalog.Tool) {
	keys := make([]catalog.Key, len(tools))
	for i, t := range tools {
		keys[i] = t.Key()
	}
	if !s.addSessionTools(keys) {
		return
	}
	s.gateway.sessionTools.save(ctx, s)
	s.announceTools()
}
