package gateway

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// exchange says how one request of a client is carried out. The zero value is for a legacy request:
// exchanges.of then sets the caller to the session's client and sends progress as notifications.
type exchange struct {
	modern   bool
	caller   upstream.Caller
	progress func(json.RawMessage)
	level    string // lowest severity of log messages that the request asks for; empty for none
	// server is set to true if a modern server has answered. It may be nil.
	server *atomic.Bool
}

// note records whether the server that has answered is modern.
func (e exchange) note(modern bool) {
	if e.server != nil {
		e.server.Store(modern)
	}
}

type exchangeKey struct{}

func (e exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// isModern reports whether ctx belongs to a modern request.
func isModern(ctx context.Context) bool {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	return e.modern
}

// exchanges finds the exchange of each request of one session.
type exchanges struct {
	session  string // its id
	caller   *clientCaller
	peer     Peer
	pipeline *call.Pipeline
}

// of returns the exchange of a request. For a legacy request, it sets the caller and the receiver of progress.
func (x *exchanges) of(ctx context.Context) exchange {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	if e.caller == nil {
		e.caller = x.caller
		e.progress = func(progress json.RawMessage) { _ = x.peer.Notify(ctx, "notifications/progress", progress) }
	}
	return e
}

// lease keeps a server running for the request of ctx until the lease is released. If the server is stopped, lease
// starts it in the same way as a call of the client does.
func (x *exchanges) lease(ctx context.Context, server string) (*upstream.Lease, error) {
	return x.pipeline.Lease(ctx, server, x.session, x.of(ctx).caller)
}
