package upstream

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Lease keeps a session with a server running although no call is in flight, for example for a subscription. It does
// not outlive the session.
type Lease struct {
	session *session
	once    sync.Once
}

// Lease starts a server if necessary and returns a lease of the session that serves the calls of who, or of the hub if
// who is nil. The caller must call Release. client is the id of the client's session; see TargetOf.
func (m *Manager) Lease(ctx context.Context, server registry.Server, client string, who Caller) (*Lease, error) {
	w := wantOf(server, client, who)
	session, err := m.router.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	defer session.use.leave()
	session.use.lease(1)
	return &Lease{session: session}, nil
}

// Done returns a channel that is closed when the session has ended.
func (l *Lease) Done() <-chan struct{} { return l.session.conn.Done() }

// Capabilities returns the capabilities that the server has declared in this session.
func (l *Lease) Capabilities() json.RawMessage {
	return l.session.profile.get().Capabilities
}

// FollowTask subscribes to a task of the session. It fails if the server does not announce the states of its tasks. The
// subscription ends when the session ends or stop is called.
func (l *Lease) FollowTask(ctx context.Context, id string) (stop func(), err error) {
	s := l.session
	if !s.profile.modern() {
		return nil, fault.New(fault.Invalid, "server %q does not announce the states of tasks", s.server.Name)
	}
	if err := s.feed.subscribe(ctx, topic{task: true, name: id}); err != nil {
		return nil, err
	}
	return func() { s.feed.unsubscribe(topic{task: true, name: id}) }, nil
}

// Release ends the lease. Releasing it again does nothing.
func (l *Lease) Release() {
	l.once.Do(func() { l.session.use.lease(-1) })
}
