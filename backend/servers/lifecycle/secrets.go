package lifecycle

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Filler gives servers their secrets: an upstream.Secrets that asks the vault.
type Filler struct{ Vault *secrets.Vault }

var _ upstream.Secrets = Filler{}

// Fill implements upstream.Secrets.
func (f Filler) Fill(ctx context.Context, server registry.Server) (registry.Server, error) {
	filled, err := f.Vault.Fill(ctx, server.Name, upstream.LaunchOf(server))
	if err != nil {
		return server, err
	}
	server.Args, server.Env, server.URL, server.Headers = filled.Args, filled.Env, filled.URL, filled.Headers
	return server, nil
}
