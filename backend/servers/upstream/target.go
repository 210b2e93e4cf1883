package upstream

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/era"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Target identifies a session with a server. All clients share the session of a server,
// unless its isolation is registry.PerSession.
type Target struct {
	Server string
	// Client is the id of the client's session that has the server for itself; empty for
	// the session that all clients share. The hub uses the latter to list the tools of an
	// isolated server, and for requests of people.
	Client string
	// Legacy sessions speak the legacy era with a remote server that speaks both. Calls of
	// legacy clients go there, because the tools of such a server may ask in this era only.
	Legacy bool
}

// TargetOf returns where requests to a server go. client is the id of the client's
// session, and empty for requests of the hub and of people.
func TargetOf(server registry.Server, client string) Target {
	if !server.Isolated() {
		client = ""
	}
	return Target{Server: server.Name, Client: client}
}

// EndClient ends the sessions that a client has had for itself, because it has left.
func (m *Manager) EndClient(client string) {
	ended := m.take(func(t Target) bool { return client != "" && t.Client == client })
	if len(ended) > 0 {
		m.work.Go(func() { inParallel(ended, func(s *slot) { s.close(errLeft) }) })
	}
}

// NotifyOwn sends a notification to the running servers that a client has for itself.
func (m *Manager) NotifyOwn(client, method string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for target, s := range m.slots {
		if client == "" || target.Client != client {
			continue
		}
		if session := s.running(); session != nil && !session.modern() {
			m.work.Go(func() { _ = session.conn.Notify(method, nil) }) // an error ends the session
		}
	}
}

// acquire returns the session that a caller wants, which it starts if necessary, and
// adds a call to it. The caller must end the call with session.leave.
func (m *Manager) acquire(ctx context.Context, w want) (*session, error) {
	session, err := m.acquireAt(ctx, w)
	if err != nil || !w.call || w.caller == nil || declaredBy(w.caller).Modern || !session.speaksBoth() {
		return session, err
	}
	legacy := w
	legacy.target.Legacy = true
	if other, err := m.acquireAt(ctx, legacy); err == nil {
		session.leave(w)
		return other, nil
	}
	return session, nil // the server does not speak the legacy era after all
}

// speaksBoth reports whether a remote server speaks the legacy era besides the modern one
// of the session.
func (s *session) speaksBoth() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link.pid() == 0 && era.Of(s.description.ProtocolVersion) == era.Modern &&
		slices.ContainsFunc(s.description.Versions, func(v string) bool { return era.Of(v) == era.Legacy })
}

// alsoTell sends a request to the legacy session beside that of a target, if it runs.
func (m *Manager) alsoTell(ctx context.Context, t Target, call jsonrpc.Call) {
	t.Legacy = true
	if s := m.slotOf(t); s != nil {
		if session := s.running(); session != nil {
			_, _ = session.conn.Call(ctx, call) // an error is that of the other session, too
		}
	}
}

// acquireAt is acquire for the session of exactly w.target.
func (m *Manager) acquireAt(ctx context.Context, w want) (*session, error) {
	s := m.slotOf(w.target)
	if s == nil {
		// The server may have been removed since the caller looked it up.
		if _, err := m.registry.ByID(w.server.ID); err != nil {
			return nil, errRemoved
		}
		s = m.openSlot(w.target)
	}
	return s.acquire(ctx, w)
}

// slotOf returns the slot of a target, or nil.
func (m *Manager) slotOf(t Target) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots[t]
}

// slot returns the slot that clients of a server share, or nil.
func (m *Manager) slot(name string) *slot { return m.slotOf(Target{Server: name}) }

// slotsOf returns all slots of a server. The shared one is first.
func (m *Manager) slotsOf(name string) []*slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []*slot
	for t, s := range m.slots {
		if t.Server == name {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *slot) int {
		if a.target.Client == b.target.Client && a.target.Legacy != b.target.Legacy {
			return map[bool]int{false: -1, true: 1}[a.target.Legacy]
		}
		return cmp.Compare(a.target.Client, b.target.Client)
	})
	return found
}

// take removes the slots whose targets match, and returns them.
func (m *Manager) take(match func(Target) bool) (taken []*slot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t, s := range m.slots {
		if match(t) {
			taken = append(taken, s)
			delete(m.slots, t)
		}
	}
	return taken
}

// openSlot returns the slot of a target and creates it if necessary.
func (m *Manager) openSlot(t Target) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	shared := m.slots[Target{Server: t.Server}]
	if shared == nil {
		shared = &slot{manager: m, target: Target{Server: t.Server}, output: newOutput(), messages: newMessageLog(m.bus, t.Server), closed: m.closed}
		shared.shared = shared
		m.slots[shared.target] = shared
	}
	s := m.slots[t]
	if s == nil {
		s = &slot{manager: m, target: t, shared: shared, output: shared.output, messages: shared.messages, closed: m.closed}
		m.slots[t] = s
	}
	return s
}

// running returns a session with a server, preferably the shared one, or nil.
func (m *Manager) running(name string) *session {
	for _, s := range m.slotsOf(name) {
		if session := s.running(); session != nil {
			return session
		}
	}
	return nil
}

// inParallel calls do for each slot at the same time, and returns when all calls have.
func inParallel(slots []*slot, do func(*slot)) {
	var doing sync.WaitGroup
	for _, s := range slots {
		doing.Go(func() { do(s) })
	}
	doing.Wait()
}
