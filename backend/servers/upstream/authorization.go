package upstream

import (
	"context"
	"crypto/x509"
	"net/url"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Remote says how to reach a remote server.
type Remote struct {
	Server registry.Server // configuration with secrets filled in; must not be shown
	Proxy  func(*url.URL) (*url.URL, error)
	CAs    *x509.CertPool // nil means those of the system
}

// reach returns how to reach a server with the proxy and the certificate authorities that env names.
func reach(filled registry.Server, env process.Env) (Remote, error) {
	authorities, err := mcphttp.CAsOf(env.Get)
	return Remote{Server: filled, Proxy: mcphttp.ProxyOf(env.Get), CAs: authorities}, err
}

// Remote returns how to reach a configured remote server. The error is a fault.
func (m *Manager) Remote(ctx context.Context, server registry.Server) (Remote, error) {
	if err := startable(server); err != nil {
		return Remote{}, err
	}
	if m.gate != nil {
		if err := m.gate.RefuseStart(server); err != nil {
			return Remote{}, err
		}
	}
	configured := server
	if m.secrets != nil {
		launch, err := m.secrets.Fill(ctx, server.Name, launch.Of(server))
		if err != nil {
			return Remote{}, err
		}
		server.URL, server.Headers = launch.URL, launch.Headers
	}
	env := m.environment(ctx)
	server, err := fillVariables(configured, server, env)
	if err != nil {
		return Remote{}, err
	}
	return reach(server, env)
}

// authorization returns the source of access tokens for a session, or nil if the server's configuration has an
// Authorization header or the server is in no registry. A private copy of a server uses the sign-in of its original.
func (s *session) authorization(at Remote) mcphttp.Authorization {
	m := s.manager
	if m.authorize == nil || hasAuthorization(at.Server) {
		return nil
	}
	if slot := m.slots.of(s.target); slot != nil && slot.owner() != s.server.Name {
		owner, err := m.registry.Get(slot.owner())
		if err != nil {
			return nil
		}
		at.Server.ID, at.Server.Name = owner.ID, owner.Name
	}
	if at.Server.ID == 0 {
		return nil
	}
	return m.authorize(at)
}

func hasAuthorization(server registry.Server) bool {
	for name := range server.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}
