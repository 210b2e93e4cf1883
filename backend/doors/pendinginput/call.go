package pendinginput

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
)

// Call is one call from a client to a server. The client may have to repeat its request several times until the
// call is over. Only one goroutine at a time may call Wait; the other methods are safe for concurrent use.
type Call struct {
	lot     *Lot
	id      string
	binding Binding
	cancel  context.CancelCauseFunc
	asked   chan struct{} // capacity 1; receives a value when there are questions for the client
	done    chan struct{}

	result json.RawMessage // valid after done is closed, like err
	err    error

	mu     sync.Mutex
	open   []*question // questions without an answer, oldest first
	count  int         // number of questions so far
	round  int         // number of times that the client was asked for input
	expiry *time.Timer // runs while the call waits for a retry; nil before the first round
	notify func(method string, params json.RawMessage)
	next   func() // called first by Wait: starts the call, or delivers the answers of a retry
}

// question is a request from the server to the client.
type question struct {
	inputrequired.Request
	answer chan answer // has a buffer of one
}

type answer struct {
	result json.RawMessage
	err    error
}

// errOver is the answer to a question of a call that is over.
var errOver = errors.New("the request that caused the question is over")

// Ask passes a question of the server to the client and waits for the answer. The error says why there is no
// answer.
func (c *Call) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	c.mu.Lock()
	c.count++
	q := &question{inputrequired.Request{Key: "q" + strconv.Itoa(c.count), Method: method, Params: params}, make(chan answer, 1)}
	c.open = append(c.open, q)
	c.mu.Unlock()
	c.ring()
	select {
	case a := <-q.answer:
		return a.result, a.err
	case <-ctx.Done():
		c.mu.Lock()
		c.open = slices.DeleteFunc(c.open, func(other *question) bool { return other == q })
		c.mu.Unlock()
		return nil, context.Cause(ctx)
	case <-c.done:
		return nil, errOver
	}
}

// Notify passes a notification that belongs to the call, such as progress, to the function notify of the running Wait.
// If Wait is not running, or its notify is nil, Notify drops the notification.
func (c *Call) Notify(method string, params json.RawMessage) {
	c.mu.Lock()
	to := c.notify
	c.mu.Unlock()
	if to != nil {
		to(method, params)
	}
}

// Wait starts or continues the call that Begin or Resume has prepared, and waits until the call is over or the
// server asks something. If ctx ends first, Wait cancels the call and returns the cause of ctx. Meanwhile
// notify, which may be nil, receives the notifications of the call.
func (c *Call) Wait(ctx context.Context, notify func(method string, params json.RawMessage)) (Outcome, error) {
	c.mu.Lock()
	c.notify = notify
	next := c.next
	c.mu.Unlock()
	next() // after notify is set, so that no notification is lost
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notify = nil
	}()
	var gathered <-chan time.Time
	for {
		select {
		case <-c.done:
			c.lot.leave(c)
			return Outcome{Result: c.result}, c.err
		case <-ctx.Done():
			c.abandon(context.Cause(ctx))
			return Outcome{}, context.Cause(ctx)
		case <-c.asked:
			if gathered == nil {
				gathered = time.After(gather)
			}
		case <-gathered:
			gathered = nil
			if required := c.park(); required != nil {
				return Outcome{Required: required}, nil
			}
		}
	}
}

// park ends a round and returns the open questions for the client. It returns nil if no question is open any
// more, or if too many calls are parked; in the second case, it answers the questions with an error.
func (c *Call) park() *inputrequired.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return nil
	}
	if !c.lot.admit(c) {
		c.settle(func(*question) answer { return answer{err: errFull} })
		return nil
	}
	c.round++
	c.expiry = time.AfterFunc(lifetime, func() { c.abandon(errExpired) })
	out := &inputrequired.Result{State: c.lot.sealer.seal(state{
		Binding: c.binding, Lot: c.lot.id, Call: c.id, Round: c.round, Expires: time.Now().Add(lifetime).Unix(),
	})}
	for _, q := range c.open {
		out.Requests = append(out.Requests, q.Request)
	}
	return out
}

// resume accepts the answers of a retry, which Wait delivers. It returns false if the state of the retry does
// not belong to the last round, or if that state was used before.
func (c *Call) resume(round int, responses []inputrequired.Response) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.round != round || !c.expiry.Stop() {
		return false
	}
	c.next = func() { c.deliver(responses) }
	return true
}

// deliver passes the answers of a retry to the server.
func (c *Call) deliver(responses []inputrequired.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(q *question) bool {
		i := slices.IndexFunc(responses, func(r inputrequired.Response) bool { return r.Key == q.Key })
		if i >= 0 {
			q.answer <- answer{result: responses[i].Result}
		}
		return i >= 0
	})
	if len(c.open) > 0 {
		c.ring() // ask for the missing answers again
	}
}

// abandon cancels the call. It answers the server's open elicitations as cancelled, and its other open questions with
// the error cause.
func (c *Call) abandon(cause error) {
	c.mu.Lock()
	if c.expiry != nil {
		c.expiry.Stop()
	}
	c.settle(func(q *question) answer {
		if q.Method == "elicitation/create" {
			return answer{result: json.RawMessage(`{"action":"cancel"}`)}
		}
		return answer{err: cause}
	})
	c.mu.Unlock()
	c.cancel(cause)
	c.lot.leave(c)
}

// settle answers each open question q with the result of with(q). The caller holds mu.
func (c *Call) settle(with func(*question) answer) {
	for _, q := range c.open {
		q.answer <- with(q)
	}
	c.open = nil
}

// ring wakes Wait.
func (c *Call) ring() {
	select {
	case c.asked <- struct{}{}:
	default:
	}
}
