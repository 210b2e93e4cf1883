package gateway

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/calls/call"
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

// isModern reports whether a context is that of a request of the modern era.
func isModern(ctx context.Context) bool {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	return e.modern
}

// exchanges are those of one session.
type exchanges struct {
	session  string // its id
	caller   *clientCaller
	peer     Peer
	pipeline *call.Pipeline
}

// of returns the exchange of a request's context.
func (x *exchanges) of(ctx context.Context) exchange {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	if e.caller == nil {
		e.caller = x.caller
		e.progress = func(progress json.RawMessage) { _ = x.peer.Notify(ctx, "notifications/progress", progress) }
	}
	return e
}

// lease keeps a server running for the request of a client. The server is started as a call
// of the client would start it.
func (x *exchanges) lease(ctx context.Context, server string) (*upstream.Lease, error) {
	return x.pipeline.Lease(ctx, server, x.session, x.of(ctx).caller)
}
