package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"
)

// maxProgress bounds the progress notifications that wait for a slow caller;
// further ones are dropped.
const maxProgress = 16384

// event is what a call receives: progress, or its result or error.
type event struct {
	progress json.RawMessage
	result   json.RawMessage
	err      error
}

// mailbox is the queue of events for one call. The goroutine that reads the
// connection adds events and never waits.
type mailbox struct {
	mu     sync.Mutex
	events []event
	wake   chan struct{} // has a token after events were added
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (m *mailbox) put(e event) {
	m.mu.Lock()
	if e.progress == nil || len(m.events) < maxProgress {
		m.events = append(m.events, e)
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take removes and returns all events, in the order of arrival.
func (m *mailbox) take() []event {
	m.mu.Lock()
	defer m.mu.Unlock()
	events := m.events
	m.events = nil
	return events
}

// settle delivers an answer to the call that waits for it.
func (c *Conn) settle(m Message) {
	c.mu.Lock()
	answer, ok := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if !ok {
		return // the call is over, or the id is unknown
	}
	if m.Error != nil {
		answer.put(event{err: ParseError(m.Error)})
		return
	}
	answer.put(event{result: m.Result})
}

// routeProgress delivers a progress notification to its call. It returns false if no
// call waits for it.
func (c *Conn) routeProgress(params json.RawMessage) bool {
	token := Get(params, "progressToken")
	c.mu.Lock()
	answer, ok := c.progress[string(token)]
	c.mu.Unlock()
	if ok {
		answer.put(event{progress: params})
	}
	return ok
}

// Call describes one request to the peer.
type Call struct {
	Method string
	Params json.RawMessage
	// Idle is the time without an answer or progress after which the call
	// fails with context.DeadlineExceeded; zero means none. Hold suspends it.
	Idle time.Duration
	// Progress, if not nil, is called with the params of each progress
	// notification, which contain the progress token of the call's params.
	Progress func(params json.RawMessage)
}

// Call sends a request and waits for its answer. An error answer is an *Error.
// If ctx is done first, Call sends notifications/cancelled and returns the cause
// of ctx. If that cause is a *Cancelled, its params are sent on.
func (c *Conn) Call(ctx context.Context, call Call) (json.RawMessage, error) {
	id := c.newID()
	params, token := call.Params, json.RawMessage(nil)
	if call.Progress != nil {
		params, token = swapToken(params, id)
	}
	answer, err := c.register(id, token != nil)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	if err := c.write(ctx, requestParts(id, call.Method, params)...); err != nil {
		return nil, err
	}
	return c.wait(ctx, call, id, token, answer)
}

func (c *Conn) wait(ctx context.Context, call Call, id, token json.RawMessage, answer *mailbox) (json.RawMessage, error) {
	var idle <-chan time.Time
	var timer *time.Timer
	if call.Idle > 0 {
		timer = time.NewTimer(call.Idle)
		defer timer.Stop()
		idle = timer.C
	}
	for {
		closed := false
		select {
		case <-answer.wake:
		case <-c.done:
			closed = true // the answer may have arrived before the connection ended
		case <-idle:
			if left := c.idleLeft(call.Idle); left > 0 {
				timer.Reset(left)
				continue
			}
			c.cancelCall(id, nil, "timed out")
			return nil, context.DeadlineExceeded
		case <-ctx.Done():
			c.cancelCall(id, context.Cause(ctx), "")
			return nil, context.Cause(ctx)
		}
		for _, e := range answer.take() {
			if e.progress == nil {
				return e.result, e.err
			}
			call.Progress(Set(e.progress, "progressToken", token))
		}
		if closed {
			return nil, c.closedError()
		}
		if timer != nil {
			timer.Reset(call.Idle)
		}
	}
}

// swapToken replaces the caller's progress token by the request's id, because
// tokens of different callers may be equal. It returns the caller's token, nil if
// the params have none.
func swapToken(params, id json.RawMessage) (_, token json.RawMessage) {
	meta := Get(params, "_meta")
	if token = Get(meta, "progressToken"); token == nil {
		return params, nil
	}
	return Set(params, "_meta", Set(meta, "progressToken", id)), token
}

func (c *Conn) cancelCall(id json.RawMessage, cause error, reason string) {
	params := json.RawMessage(nil)
	var cancelled *Cancelled
	if errors.As(cause, &cancelled) {
		params = cancelled.Params
	} else if reason != "" {
		params = Set(nil, "reason", Quote(reason))
	}
	_ = c.Notify("notifications/cancelled", Set(params, "requestId", id))
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params json.RawMessage) error {
	return c.write(context.Background(), AppendRequest(nil, nil, method, params))
}

// InFlight returns the number of calls without an answer.
func (c *Conn) InFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

func (c *Conn) newID() json.RawMessage {
	n := strconv.FormatInt(c.nextID.Add(1), 10)
	if c.opts.IDPrefix == "" {
		return json.RawMessage(n)
	}
	return Quote(c.opts.IDPrefix + n)
}

func (c *Conn) register(id json.RawMessage, progress bool) (*mailbox, error) {
	answer := newMailbox()
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		return nil, c.closedErrorLocked()
	default:
	}
	c.pending[string(id)] = answer
	if progress {
		c.progress[string(id)] = answer
	}
	return answer, nil
}

func (c *Conn) forget(id json.RawMessage) {
	c.mu.Lock()
	delete(c.pending, string(id))
	delete(c.progress, string(id))
	c.mu.Unlock()
}
