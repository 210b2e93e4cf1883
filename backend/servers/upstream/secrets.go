package upstream

import (
	"context"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Redactor returns a redactor for the texts of a server; see redact.KnownSecrets.Redactor.
func (m *Manager) Redactor(v registry.Server) *redact.Redactor {
	return m.known.Redactor(v.Name, launch.Of(v))
}

// unfilled is the error of a start that failed because a secret is missing or
// cannot be read. It does not count as a failure of the server.
type unfilled struct{ error }

func (u unfilled) Unwrap() error { return u.error }

func isUnfilled(err error) bool {
	_, is := errors.AsType[unfilled](err)
	return is
}

// Renew ends the sessions of a server and of its private copies, because its secrets have changed. The next call
// starts a new session. Renew returns at once, while calls in flight get a grace period.
func (m *Manager) Renew(name string) {
	for _, s := range m.slots.all() {
		if s.owner() == name {
			s.renew()
		}
	}
	if server, err := m.registry.Get(name); err == nil && server.Health.MissingVariable != "" {
		m.work.Go(func() {
			m.health.note(server, nil, func(ctx context.Context, name string, _ error) error {
				return m.registry.ForgetMissingVariable(ctx, name)
			})
		})
	}
}

func (s *slot) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.notBefore = 0, time.Time{}
	if s.start != nil {
		s.start.outdated = true
	}
	if s.session != nil {
		s.session.renew()
	}
}

// renew refuses new calls, gives calls in flight a grace period, and then ends
// the session.
func (s *session) renew() {
	s.use.refuse()
	s.manager.work.Go(func() { s.shutdown("its secrets have changed") })
}
