package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// maxWaiting is how many goroutines wait for the next request.
const maxWaiting = 4

// codeBusy is the JSON-RPC code of a refusal for load; the range is the
// server's own.
const codeBusy = -32000

func (c *Conn) serve(ctx context.Context, m Message, handlers *sync.WaitGroup) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := string(m.ID)
	c.mu.Lock()
	_, twice := c.serving[id]
	full := len(c.serving) >= c.opts.MaxServing
	if !twice && !full {
		c.serving[id] = cancel
	}
	c.mu.Unlock()
	r := request{ctx, cancel, m}
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

// refuse answers on the reading goroutine: a peer that reads no answers is not
// read from either.
func (c *Conn) refuse(r request, why *Error) {
	r.cancel(nil)
	_ = c.reply(r.ID, nil, why)
}

// request is one that is being served.
type request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	Message
}

// work serves a request and then others, as long as it is among the few that
// wait for one. A goroutine that has done so before need not grow its stack
// again, which takes longer than all that is done for a short call.
func (c *Conn) work(r request) {
	for ok := true; ok; {
		c.handle(r)
		if c.waiting.Add(1) > maxWaiting {
			c.waiting.Add(-1)
			return
		}
		r = request{} // not held while waiting
		r, ok = <-c.requests
		c.waiting.Add(-1)
	}
}

func (c *Conn) handle(r request) {
	defer r.cancel(nil)
	result, err := c.handler.Request(r.ctx, r.Method, r.Params)
	c.mu.Lock()
	delete(c.serving, string(r.ID))
	c.mu.Unlock()
	var cancelled *Cancelled
	if errors.As(context.Cause(r.ctx), &cancelled) {
		return
	}
	_ = c.reply(r.ID, result, err)
}

func (c *Conn) reply(id, result json.RawMessage, err error) error {
	var rpc *Error
	if err != nil && !errors.As(err, &rpc) {
		rpc = &Error{Code: CodeInternalError, Message: err.Error()}
	}
	return c.write(context.Background(), responseParts(id, result, rpc)...)
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
