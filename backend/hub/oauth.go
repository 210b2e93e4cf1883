package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// openOAuth returns the manager of the sign-ins to remote servers. document is the URL of a client ID metadata
// document, or empty.
func (h *Hub) openOAuth(document string) *oauth.Manager {
	return oauth.New(oauth.Options{
		Vault: h.servers.vault, File: h.options.Folder.Sealed("sign-ins"), Bus: h.bus, Log: h.log,
		Find: h.servers.findRemote, Learn: h.redactor.AddToken, Ports: oauth.DefaultPorts, Document: document, Now: h.options.Now,
	})
}

// findRemote returns a remote server with its secrets filled in.
func (s *servers) findRemote(ctx context.Context, name string) (oauth.Server, error) {
	server, err := s.registry.Get(name)
	if err != nil {
		return oauth.Server{}, err
	}
	if server.Transport == "stdio" {
		return oauth.Server{}, fault.New(fault.Invalid,
			"server %q is a program on this computer, to which nobody signs in; set its secrets instead", name)
	}
	remote, err := s.upstream.Remote(ctx, server)
	return signInServer(remote), err
}

func signInServer(r upstream.Remote) oauth.Server {
	return oauth.Server{ID: r.Server.ID, Name: r.Server.Name, URL: r.Server.URL, Proxy: r.Proxy, CAs: r.CAs}
}

// authorize returns the source of access tokens for requests to a remote server.
func (s *servers) authorize(r upstream.Remote) mcphttp.Authorization {
	return s.oauth.Access(signInServer(r))
}

// signIns lets clients begin sign-ins. It implements gateway.SignIns.
type signIns struct{ manager *oauth.Manager }

// SignIn implements gateway.SignIns.
func (s signIns) SignIn(ctx context.Context, server string) (page string, wait func(context.Context) error, err error) {
	login, err := s.manager.Login(ctx, server)
	if err != nil {
		return "", nil, err
	}
	return login.Address, login.Wait, nil
}

// listSignedIn returns a function that lists the tools of an approved server each time a person has signed in to it,
// until ctx ends. The tools could not be listed before, because the sign-in was missing.
func (c *chores) listSignedIn() func(ctx context.Context) error {
	wanted := make(map[string]bool) // servers with a sign-in that waits for a person
	return each(c.bus, func(ctx context.Context, change oauth.Changed) {
		server, err := c.servers.registry.Get(change.Server)
		if err != nil {
			return
		}
		st, _ := c.servers.oauth.Status(server.ID)
		if wanted[server.Name] && st.State == oauth.SignedIn && server.Usable() == nil {
			_, _ = c.servers.lifecycle.Refresh(ctx, server.Name) // on error, the health of the server says why
		}
		wanted[server.Name] = st.State == oauth.Waiting
	})
}
