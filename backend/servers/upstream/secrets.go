package upstream

import (
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// LaunchOf returns the part of a configuration that may contain secrets.
func LaunchOf(v registry.Server) secrets.Launch {
	return secrets.Launch{
		Transport: v.Transport, Command: v.Command, Args: v.Args, Env: v.Env,
		URL: v.URL, Headers: v.Headers, Source: v.Source,
	}
}

// Redactor returns a redactor for the credentials in a server's configuration
// and for every secret that the server was given since the hub started.
func (m *Manager) Redactor(v registry.Server) *secrets.Redactor {
	return m.given.Redactor(v.Name, LaunchOf(v))
}

// unfilled is the error of a start that failed because a secret is missing or
// cannot be read. It does not count as a failure of the server.
type unfilled struct{ error }

func (u unfilled) Unwrap() error { return u.error }

func isUnfilled(err error) bool {
	_, is := errors.AsType[unfilled](err)
	return is
}

// Renew ends a server's session because its secrets have changed. The next call
// starts a new session. Renew returns at once, while calls in flight get a
// grace period.
func (m *Manager) Renew(name string) {
	m.mu.Lock()
	s := m.slots[name]
	m.mu.Unlock()
	if s != nil {
		s.renew()
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
	s.mu.Lock()
	s.retired = true
	s.mu.Unlock()
	s.manager.work.Go(func() { s.shutdown("its secrets have changed") })
}
