package gateway

import (
	"cmp"
	"context"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
)

// roadKey is the key of the context value with the hub's own tool through which a tool is
// called.
type roadKey struct{}

// throughOwn returns the context of calls through one of the hub's own tools.
func throughOwn(ctx context.Context, tool string) context.Context {
	if tool == registrytool.Name {
		tool = "proxy_call"
	}
	return context.WithValue(ctx, roadKey{}, tool)
}

// roadOf returns how a tool is called: through one of the hub's own tools, or by a name
// that the client is listed.
func roadOf(ctx context.Context) string {
	tool, _ := ctx.Value(roadKey{}).(string)
	return cmp.Or(tool, "tools/call")
}

// origin returns what the audit log has of the session.
func (c *clientInfo) origin(road string) call.Origin {
	return call.Origin{Editor: c.entry, Token: c.token, Road: road}
}
