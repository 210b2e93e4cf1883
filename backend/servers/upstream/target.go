package upstream

import (
	"sync"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Target identifies a session with a server. All clients share the session of a server,
// unless its isolation is registry.PerSession.
type Target struct {
	Server string
	// Client is the id of the client's session with the hub if that client has this session with the server for itself,
	// and empty for the session that all clients share. For an isolated server, the hub uses the shared session to list
	// the tools, and for requests of people.
	Client string
	// Second marks the second session with a server that speaks both eras of MCP, legacy and modern. It exists while
	// some clients need a legacy session and others a modern one; see eraFor.
	Second bool
}

// TargetOf returns the target of requests to a server. client is the id of the client's session with the hub. It is
// empty for requests of the hub itself and of people.
func TargetOf(server registry.Server, client string) Target {
	if !server.Isolated() {
		client = ""
	}
	return Target{Server: server.Name, Client: client}
}

// EndClient ends the sessions that a client had for itself, after the client has ended its session with the hub.
func (m *Manager) EndClient(client string) {
	for _, s := range m.slots.all() {
		if session := s.running(); session != nil {
			session.use.forget(client)
		}
	}
	ended := m.slots.take(func(t Target) bool { return client != "" && t.Client == client })
	if len(ended) > 0 {
		m.work.Go(func() { inParallel(ended, func(s *slot) { s.close(errLeft) }) })
	}
}

// NotifyOwn sends a notification to each server with which a client has a running legacy session for itself.
func (m *Manager) NotifyOwn(client, method string) {
	for _, s := range m.slots.all() {
		if client == "" || s.target.Client != client {
			continue
		}
		if session := s.running(); session != nil && !session.profile.modern() {
			m.work.Go(func() { _ = session.conn.Notify(method, nil) }) // an error ends the session
		}
	}
}

// wantOf describes the session that a caller wants, or that the hub itself wants if caller is nil.
func wantOf(server registry.Server, client string, caller Caller) want {
	w := want{server: server, target: TargetOf(server, client), caller: caller, client: client}
	w.era, w.only = eraFor(caller)
	return w
}

// inParallel calls do for each slot in a goroutine of its own, and returns when all calls have returned.
func inParallel(slots []*slot, do func(*slot)) {
	var doing sync.WaitGroup
	for _, s := range slots {
		doing.Go(func() { do(s) })
	}
	doing.Wait()
}
