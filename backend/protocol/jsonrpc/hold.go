package jsonrpc

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Hold suspends the idle timeouts of calls while the peer waits for this side, for example for the answer of a person.
type Hold struct {
	conn  *Conn
	calls []*mailbox
	ended chan struct{}
}

// Hold suspends the idle timeouts of those calls in flight that match accepts,
// until Release is called. Later calls are not affected. match gets the id and
// the owner of a call.
func (c *Conn) Hold(match func(id string, owner any) bool) *Hold {
	h := &Hold{conn: c, ended: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, answer := range c.pending {
		if match(id, answer.owner) {
			h.calls = append(h.calls, answer)
			answer.holds = append(answer.holds, h)
		}
	}
	return h
}

// Ended returns a channel that is closed when all calls of the hold have ended. It
// stays open if the hold has no calls.
func (h *Hold) Ended() <-chan struct{} { return h.ended }

// Release ends the hold. The idle timeouts of its calls then start again from zero.
func (h *Hold) Release() {
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	for _, answer := range h.calls {
		answer.freed = time.Now()
		answer.holds = slices.DeleteFunc(answer.holds, func(other *Hold) bool { return other == h })
	}
	h.calls = nil
}

// idleLeft returns how much of an idle timeout is left after its timer has fired,
// since holds extend the timeout. It returns zero if the timeout has expired.
func (c *Conn) idleLeft(answer *mailbox, idle time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(answer.holds) > 0:
		return idle
	case answer.freed.IsZero():
		return 0
	}
	return max(0, idle-time.Since(answer.freed))
}

// Relate declares that a request of the peer, which the connection has not read yet, belongs to a call. A transport can
// call it if each call has its own stream.
func (c *Conn) Relate(request, call json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.related) < c.opts.MaxServing {
		c.related[string(request)] = string(call)
	}
}

type causeKey struct{}

// CauseOf returns the id of the call to which a request of the peer belongs. ctx
// is the context of the request. ok is false if the transport has not called Relate.
func CauseOf(ctx context.Context) (call string, ok bool) {
	call, ok = ctx.Value(causeKey{}).(string)
	return call, ok
}

// Pending is a call without an answer.
type Pending struct {
	ID    string // as JSON
	Owner any
}

type pendingKey struct{}

// PendingAt returns the calls that were without an answer when a request of the peer
// arrived, in no order. ctx is the context of the request.
func PendingAt(ctx context.Context) []Pending {
	calls, _ := ctx.Value(pendingKey{}).([]Pending)
	return calls
}

// Pending returns the calls without an answer, in no order. In Handler.Notification these
// are the calls in flight when the notification arrived.
func (c *Conn) Pending() []Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pendingLocked()
}

// pendingLocked is Pending for a caller that holds mu.
func (c *Conn) pendingLocked() []Pending {
	calls := make([]Pending, 0, len(c.pending))
	for id, answer := range c.pending {
		calls = append(calls, Pending{id, answer.owner})
	}
	return calls
}

// OwnerOf returns the owner of a call in flight, or of one of the last
// Options.RememberOwners calls that have ended.
func (c *Conn) OwnerOf(call string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.pending[call]; ok {
		return answer.owner
	}
	for _, old := range c.owners {
		if old.call == call {
			return old.owner
		}
	}
	return nil
}

type owned struct {
	call  string
	owner any
}

// Fail ends the call with this id; its caller gets the error why. A transport calls Fail when it learns that the answer
// will never come. Fail reports whether a call with that id was waiting.
func (c *Conn) Fail(id json.RawMessage, why error) bool {
	c.mu.Lock()
	answer, ok := c.take(string(id))
	c.mu.Unlock()
	if ok {
		answer.put(event{err: why})
	}
	return ok
}
