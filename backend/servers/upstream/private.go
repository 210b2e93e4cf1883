package upstream

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Root is a folder on which a server may work, as MCP defines it.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// Private describes a server that is in no registry and has a single user.
type Private struct {
	// Of is the name of the configured server whose secrets this server gets; empty for none.
	Of string
	// Secrets are values of further secrets, by their names. They are kept in memory only.
	Secrets map[string]string
	// Roots replace Options.Roots for this server, unless nil.
	Roots []Root
}

// StartPrivate starts a server that is in no registry. The manager knows the server
// from this call until Remove, and records all messages of it.
func (m *Manager) StartPrivate(ctx context.Context, server registry.Server, p Private) error {
	s := m.slots.open(Target{Server: server.Name})
	s.mu.Lock()
	if s.private == nil {
		s.messages.watch() // until the slot is removed
	}
	s.private = &p
	s.mu.Unlock()
	return m.Start(ctx, server)
}

// Roots returns the roots that the hub reports to a server.
func (m *Manager) Roots(server string) []Root {
	if s := m.slots.shared(server); s != nil {
		if p := s.privacy(); p != nil && p.Roots != nil {
			return p.Roots
		}
	}
	roots := make([]Root, len(m.roots))
	for i, uri := range m.roots {
		roots[i] = Root{uri, uri}
	}
	return roots
}

// SetRoots replaces the roots of a private server, and notifies the server if it is running. It fails with
// fault.Invalid for a server that several clients share, which always has the roots of the hub's settings.
func (m *Manager) SetRoots(server string, roots []Root) error {
	s := m.slots.shared(server)
	if s == nil || s.privacy() == nil {
		return fault.New(fault.Invalid, "the roots of server %q cannot be changed: all clients share it", server)
	}
	s.mu.Lock()
	s.private = &Private{Of: s.private.Of, Secrets: s.private.Secrets, Roots: append([]Root{}, roots...)}
	s.mu.Unlock()
	for _, s := range m.slots.ofServer(server) {
		session := s.running()
		if session == nil {
			continue
		}
		if err := session.conn.Notify("notifications/roots/list_changed", nil); err != nil && !isClosed(err) {
			return fault.Wrap(err, fault.Failed, "server %q could not be told that its roots have changed: %s",
				server, session.redactor.Text(err.Error()))
		}
	}
	return nil
}

// privacy returns the settings of a private server, or nil for a shared one.
func (s *slot) privacy() *Private {
	s = s.shared // two sessions with a private server have the same user
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.private
}

// owner returns the name of the configured server whose secrets the server of the slot gets.
func (s *slot) owner() string {
	if p := s.privacy(); p != nil && p.Of != "" {
		return p.Of
	}
	return s.target.Server
}

// fill returns a server with its secrets filled in, and makes these known to the redactors.
func (s *slot) fill(ctx context.Context, server registry.Server) (filled registry.Server, err error) {
	if s.manager.secrets == nil {
		return server, nil
	}
	launch := launch.Of(server)
	if p := s.privacy(); p != nil && len(p.Secrets) > 0 {
		for _, value := range p.Secrets {
			s.manager.known.AddToken(s.owner(), value)
		}
		launch = launch.With(p.Secrets)
	}
	launch, err = s.manager.secrets.Fill(ctx, s.owner(), launch)
	if err != nil {
		return server, unfilled{err}
	}
	server.Args, server.Env, server.URL, server.Headers = launch.Args, launch.Env, launch.URL, launch.Headers
	return server, nil
}
