package gateway

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// exchange is how one request of a client is carried out. The zero value is that of a
// legacy request: the session is asked what servers ask, and gets progress as
// notifications.
type exchange struct {
	modern   bool
	caller   upstream.Caller
	progress func(json.RawMessage)
	level    string // from which severity on log messages of the call are wanted; empty for none
	// server is set to true if the result is one of the modern era. It may be nil.
	server *atomic.Bool
}

// note notes the era of the server that has answered.
func (e exchange) note(modern bool) {
	if e.server != nil {
		e.server.Store(modern)
	}
}

type exchangeKey struct{}

func (e exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// exchangeOf returns the exchange of a request's context.
func (s *Session) exchangeOf(ctx context.Context) exchange {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	if e.caller == nil {
		e.caller = s
		e.progress = func(progress json.RawMessage) { _ = s.peer.Notify(ctx, "notifications/progress", progress) }
	}
	return e
}

// lease keeps a server running for the request of a client. The server is started as a call
// of the client would start it.
func (s *Session) lease(ctx context.Context, server string) (*upstream.Lease, error) {
	return s.gateway.calls.Lease(ctx, server, s.id, s.exchangeOf(ctx).caller)
}
