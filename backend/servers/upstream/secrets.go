package upstream

import (
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// LaunchOf returns how a server is started or reached, as secrets know it.
func LaunchOf(v registry.Server) secrets.Launch {
	return secrets.Launch{
		Transport: v.Transport, Command: v.Command, Args: v.Args, Env: v.Env,
		URL: v.URL, Headers: v.Headers, Source: v.Source,
	}
}

// Redactor covers the credentials in a server's configuration and every secret
// that the server was given since the hub started, by sessions that have ended
// too.
func (m *Manager) Redactor(v registry.Server) *secrets.Redactor {
	return m.Given.Redactor(v.Name, LaunchOf(v))
}

// unfilled is why a server was not started at all: a secret of it is missing,
// or cannot be read just now. That is no failure of the server.
type unfilled struct{ error }

func (u unfilled) Unwrap() error { return u.error }

func isUnfilled(err error) bool {
	_, is := errors.AsType[unfilled](err)
	return is
}

// Renew makes the next call of a server start it anew, because what it is
// given has changed. Calls in flight get grace; Renew does not wait for them.
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

// renew lets no new call in, and ends the session when those in flight have
// had their time.
func (s *session) renew() {
	s.mu.Lock()
	s.retired = true
	s.mu.Unlock()
	s.manager.sessions.Go(func() { s.shutdown("its secrets have changed") })
}
