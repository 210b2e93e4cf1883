package upstream

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Lease keeps a server running although no call is in flight, such as for a
// subscription. It does not outlive the server's session.
type Lease struct {
	session *session
	legacy  *session // the legacy session beside it; may be nil
	once    sync.Once
}

// Lease starts a server if necessary and returns a lease of its session. The
// caller must release it. client is as for TargetOf.
func (m *Manager) Lease(ctx context.Context, server registry.Server, client string) (*Lease, error) {
	w := want{server: server, target: TargetOf(server, client)}
	session, err := m.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	defer session.leave(w)
	session.lease(1)
	lease := &Lease{session: session}
	w.target.Legacy = true
	if s := m.slotOf(w.target); s != nil {
		lease.legacy = s.running()
		lease.legacy.lease(1)
	}
	return lease, nil
}

// Done is closed when the session has ended.
func (l *Lease) Done() <-chan struct{} { return l.session.conn.Done() }

// Release ends the lease. Releasing it again does nothing.
func (l *Lease) Release() {
	l.once.Do(func() {
		l.session.lease(-1)
		l.legacy.lease(-1)
	})
}

// lease changes the number of leases.
func (s *session) lease(by int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases += by
}
