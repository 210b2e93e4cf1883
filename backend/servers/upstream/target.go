package upstream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
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
	// Second is the session beside the first one, in the other era, if clients of both eras
	// use a server that speaks both; see eraFor.
	Second bool
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
	for _, s := range m.allSlots() {
		if session := s.running(); session != nil {
			session.use.forget(client)
		}
	}
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
		if session := s.running(); session != nil && !session.profile.modern() {
			m.work.Go(func() { _ = session.conn.Notify(method, nil) }) // an error ends the session
		}
	}
}

// wantOf returns what a caller wants, nil for the hub itself.
func wantOf(server registry.Server, client string, caller Caller) want {
	w := want{server: server, target: TargetOf(server, client), caller: caller, client: client}
	w.era, w.only = eraFor(caller)
	return w
}

// acquire returns the session that a caller wants, which it starts if necessary, and
// adds a call to it. The caller must end the call with usage.leave.
func (m *Manager) acquire(ctx context.Context, w want) (*session, error) {
	if w.over != nil && w.over.session.use.enter(w) {
		return w.over.session, nil
	}
	w.target.Second = m.fitsSecond(w)
	session, err := m.acquireAt(ctx, w)
	if !errors.Is(err, errOtherEra) {
		return session, err
	}
	w.target.Second = !w.target.Second
	if session, err = m.acquireAt(ctx, w); err == nil || ctx.Err() != nil {
		return session, err
	}
	if s := m.slotOf(w.target); s != nil && s.erasOf(w.server).of(w.era) != never && !errors.Is(err, errEnded) {
		m.log.Warn("could not start a second session with a server, so a client uses that of the other era", "server", w.server.Name, "error", fault.MessageOf(err))
	}
	w.only, w.target.Second = false, false
	return m.acquireAt(ctx, w)
}

// fitsSecond reports whether the second session with a server serves a want: it runs in the
// era that is wanted, or the first one does not run and any will do.
func (m *Manager) fitsSecond(w want) bool {
	w.target.Second = true
	second, first := m.eraAt(w), mcpversion.Unknown
	if second == mcpversion.Unknown {
		return false
	}
	w.target.Second = false
	if first = m.eraAt(w); first == mcpversion.Unknown {
		return second == w.era || !w.only
	}
	return second == w.era && first != w.era
}

// eraAt returns the era of the session at a target, if it can be used for a want, and that
// in which it is being started; Unknown if it does not run.
func (m *Manager) eraAt(w want) mcpversion.Era {
	s := m.slotOf(w.target)
	if s == nil {
		return mcpversion.Unknown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.start != nil:
		return s.start.era
	case s.session != nil && !s.session.use.ending() && sameLaunch(s.session.server, w.server):
		return s.session.profile.era()
	}
	return mcpversion.Unknown
}

// tell sends a request to the running sessions of a target. It reports whether one runs.
func (m *Manager) tell(ctx context.Context, t Target, call jsonrpc.Call) (told bool, err error) {
	for _, second := range []bool{true, false} {
		t.Second = second
		s := m.slotOf(t)
		if s == nil {
			continue
		}
		if session := s.running(); session != nil {
			_, err = session.requests.request(ctx, nil, call)
			told = true
		}
	}
	return told, err
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
		if a.target.Client == b.target.Client && a.target.Second != b.target.Second {
			return map[bool]int{false: -1, true: 1}[a.target.Second]
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
