package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// maxWaiting bounds the idle goroutines that wait for the next request.
const maxWaiting = 4

// codeBusy is the error code for too many requests. It is outside the range that JSON-RPC and MCP reserve.
const codeBusy = -31001

// serve starts to handle a request. It refuses the request if its id is in use or too
// many requests are being handled.
func (c *Conn) serve(ctx context.Context, m Message, handlers *sync.WaitGroup) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := string(m.ID)
	c.mu.Lock()
	_, twice := c.serving[id]
	full := len(c.serving) >= c.opts.MaxServing
	if !twice && !full {
		c.serving[id] = cancel
	}
	if call, ok := c.related[id]; ok {
		delete(c.related, id)
		ctx = context.WithValue(ctx, causeKey{}, call)
	}
	if len(c.pending) > 0 {
		ctx = context.WithValue(ctx, pendingKey{}, c.pendingLocked())
	}
	c.mu.Unlock()
	r := request{WithRequestID(ctx, m.ID), cancel, m}
	switch {
	case twice:
		c.refuse(r, invalid("Invalid Request: id "+id+" is in use by a request in flight"))
	case full:
		c.refuse(r, NewError(codeBusy, "%d requests are in flight on this connection; wait for an answer", c.opts.MaxServing))
	case m.Method == c.opts.InOrder:
		c.handle(r)
	default:
		select {
		case c.requests <- r:
		default:
			handlers.Go(func() { c.work(r) })
		}
	}
}

type idKey struct{}

// RequestID returns the id of the peer's request to which ctx belongs, and nil for
// other contexts.
func RequestID(ctx context.Context) json.RawMessage {
	id, _ := ctx.Value(idKey{}).(json.RawMessage)
	return id
}

// WithRequestID returns a context for which RequestID returns id. Transports without a
// Conn need it.
func WithRequestID(ctx context.Context, id json.RawMessage) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// refuse answers a request with an error. It writes on the reading goroutine, so
// that the connection stops reading from a peer that does not read its answers.
func (c *Conn) refuse(r request, why *Error) {
	r.cancel(nil)
	_ = c.reply(r.ID, nil, why)
}

// request is a request of the peer while it is handled.
type request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	Message
}

// work handles a request and then waits for further requests, unless maxWaiting
// goroutines wait already. Goroutines are reused because growing the stack of a new
// one takes longer than all other work for a short call.
func (c *Conn) work(r request) {
	for ok := true; ok; {
		c.handle(r)
		if c.waiting.Add(1) > maxWaiting {
			c.waiting.Add(-1)
			return
		}
		r = request{} // frees the message while waiting
		r, ok = <-c.requests
		c.waiting.Add(-1)
	}
}

// ErrUnanswered is the error of a Handler for a request that gets no answer on this connection.
var ErrUnanswered = errors.New("the request is not answered")

func (c *Conn) handle(r request) {
	defer r.cancel(nil)
	result, err := c.handler.Request(r.ctx, r.Method, r.Params)
	c.mu.Lock()
	delete(c.serving, string(r.ID))
	c.mu.Unlock()
	if _, ok := errors.AsType[*Cancelled](context.Cause(r.ctx)); ok || errors.Is(err, ErrUnanswered) {
		return
	}
	_ = c.reply(r.ID, result, err)
}

func (c *Conn) reply(id, result json.RawMessage, err error) error {
	return c.write(context.Background(), Message{ID: id}, ResponseParts(id, result, ErrorOf(err))...)
}

func (c *Conn) cancelServing(params json.RawMessage) {
	id := Get(params, "requestId")
	c.mu.Lock()
	cancel := c.serving[string(id)]
	c.mu.Unlock()
	if cancel != nil {
		cancel(&Cancelled{Params: params})
	}
}
