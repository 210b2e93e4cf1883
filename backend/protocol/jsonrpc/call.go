package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxProgress bounds the progress notifications that wait for a slow caller;
// further ones are dropped.
const maxProgress = 16384

// event is a message to a call: progress, a function to run, or the result or error of the call.
type event struct {
	progress json.RawMessage
	run      func()
	result   json.RawMessage
	err      error
}

// mailbox is the queue of events for one call. The goroutine that reads the
// connection adds events and never waits.
type mailbox struct {
	owner    any
	token    string                // as JSON; empty if the call asks for no progress
	answered func(json.RawMessage) // Call.Answered; may be nil
	holds    []*Hold               // guarded by the connection's mu
	freed    time.Time             // when the last hold ended; guarded by the connection's mu

	mu     sync.Mutex
	events []event
	wake   chan struct{} // has a token after events were added
}

func (m *mailbox) put(e event) {
	m.mu.Lock()
	if e.progress == nil && e.run == nil || len(m.events) < maxProgress {
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
	answer, ok := c.take(string(m.ID))
	if !ok {
		answer, ok = c.take(string(otherForm(m.ID)))
	}
	c.mu.Unlock()
	if !ok {
		return // the call is over, or the id is unknown
	}
	result, err := m.Answer()
	if err == nil && answer.answered != nil {
		answer.answered(result)
	}
	answer.put(event{result: result, err: err})
}

// Answer returns the result of a response, or its error: an *Error, or a *Malformed if
// the response is not what JSON-RPC and MCP allow.
func (m *Message) Answer() (json.RawMessage, error) {
	if m.Error != nil {
		_, text := String(Get(m.Error, "message"))
		if _, err := strconv.ParseInt(string(Get(m.Error, "code")), 10, 64); !text || err != nil {
			return nil, &Malformed{"its error is not an object with a code and a message: " + head(m.Error)}
		}
		return nil, ParseError(m.Error)
	}
	if !IsObject(m.Result) {
		return nil, &Malformed{"its result is not an object: " + head(m.Result)}
	}
	return m.Result, nil
}

// Malformed is the error of a call whose answer is not what JSON-RPC and MCP
// allow. Such an answer must not be passed on, because clients would ignore it
// and wait forever.
type Malformed struct{ Why string }

func (e *Malformed) Error() string { return "malformed answer: " + e.Why }

// IsObject reports whether a JSON value is an object. raw must not begin with white space.
func IsObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// head returns the beginning of raw, a part of a message, for an error message.
func head(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "it is missing"
	}
	return strings.ToValidUTF8(string(raw[:min(len(raw), 100)]), "")
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

// Within makes each call in flight whose owner is owner run f before the call returns,
// in the goroutine that waits for the answer. If Within is called from
// Handler.Notification, f runs after the progress that arrived before the notification,
// and before later progress and the answer.
func (c *Conn) Within(owner any, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, answer := range c.pending {
		if answer.owner == owner {
			answer.put(event{run: f})
		}
	}
}

// Call describes one request to the peer.
type Call struct {
	Method string
	Params json.RawMessage
	// Idle is the time without an answer or progress after which the call fails with
	// context.DeadlineExceeded; zero means no limit. A Hold suspends the timeout. If
	// Idle is set, Call asks the peer for progress even if the params do not, so that a
	// call that is slow but alive does not fail.
	Idle time.Duration
	// Owner identifies for whom the call is made; see Hold and OwnerOf. It must
	// be comparable, and may be nil.
	Owner any
	// Quiet means that Call does not send notifications/cancelled when ctx is done.
	Quiet bool
	// Answered, if not nil, is called with the result, before the next message is handled.
	// It is called by the goroutine that reads the connection, and must not block.
	Answered func(result json.RawMessage)
	// Progress, if not nil, is called with the params of each progress
	// notification, which contain the progress token of the call's params.
	Progress func(params json.RawMessage)
}

// Call sends a request and waits for its answer. An error answer is returned as an
// *Error. If ctx is done first, Call sends notifications/cancelled, unless the call is
// Quiet, and returns the cause of ctx. If the cause is a *Cancelled, the notification
// has its params.
func (c *Conn) Call(ctx context.Context, call Call) (json.RawMessage, error) {
	n := strconv.FormatInt(c.nextID.Add(1), 10)
	id := json.RawMessage(n)
	if c.opts.IDPrefix != "" {
		id = Quote(c.opts.IDPrefix + n)
	}
	params, tail, token, own := call.Params, []byte(nil), json.RawMessage(nil), json.RawMessage(nil)
	if call.Progress != nil || call.Idle > 0 {
		own = c.tokenOf(id)
		if params, tail, token = swapToken(params, own, call.Idle > 0); token == nil && call.Idle == 0 {
			own = nil // the peer does not get the token
		}
	}
	answer, err := c.register(id, own, call)
	if err != nil {
		return nil, err
	}
	defer c.forget(id, answer)
	if err := c.write(ctx, Message{ID: id, Method: call.Method}, requestParts(id, call.Method, params, tail)...); err != nil {
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
			if left := c.idleLeft(answer, call.Idle); left > 0 {
				timer.Reset(left)
				continue
			}
			c.cancelCall(id, nil, "timed out")
			return nil, context.DeadlineExceeded
		case <-ctx.Done():
			if !call.Quiet {
				c.cancelCall(id, context.Cause(ctx), "")
			}
			return nil, context.Cause(ctx)
		}
		for _, e := range answer.take() {
			if e.run != nil {
				e.run()
				continue
			}
			if e.progress == nil {
				return e.result, e.err
			}
			if call.Progress != nil && token != nil {
				call.Progress(Set(e.progress, "progressToken", token))
			}
		}
		if closed {
			return nil, c.closedError()
		}
		if timer != nil {
			timer.Reset(call.Idle)
		}
	}
}

// swapToken replaces the caller's progress token in params with the token own, because
// the tokens of different callers may be equal. It returns the caller's token as
// token. If params has no token, token is nil, and own is added only if always is
// true. The new params are the first result followed by tail; they are two parts
// because copying long params takes time.
func swapToken(params, own json.RawMessage, always bool) (_ json.RawMessage, tail []byte, token json.RawMessage) {
	meta := Get(params, "_meta")
	if token = Get(meta, "progressToken"); token == nil && !always {
		return params, nil, nil
	}
	marked := Set(meta, "progressToken", own)
	if meta != nil || len(params) < long || params[len(params)-1] != '}' {
		return Set(params, "_meta", marked), nil, token
	}
	tail = append(append([]byte(`,"_meta":`), marked...), '}')
	return params[:len(params)-1], tail, token
}

func (c *Conn) cancelCall(id json.RawMessage, cause error, reason string) {
	params := json.RawMessage(nil)
	if cancelled, ok := errors.AsType[*Cancelled](cause); ok {
		params = cancelled.Params
	} else if reason != "" {
		params = Set(nil, "reason", Quote(reason))
	}
	_ = c.Notify("notifications/cancelled", Set(params, "requestId", id))
}

// Notify sends a notification to the peer. It returns once the message is written.
func (c *Conn) Notify(method string, params json.RawMessage) error {
	return c.write(context.Background(), Message{Method: method}, AppendRequest(nil, nil, method, params))
}

// InFlight returns the number of calls without an answer.
func (c *Conn) InFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// tokenOf returns the progress token of the call with the given id. If Options.IDPrefix is set,
// the token is the id itself, and otherwise the id after a random prefix. The peer would not
// choose a token with that prefix by chance, so a request of the peer that names the token
// belongs to the call.
func (c *Conn) tokenOf(id json.RawMessage) json.RawMessage {
	if c.opts.IDPrefix != "" {
		return id
	}
	return Quote(c.tokens + string(id))
}

// CallOfToken returns the id of the call to which tokenOf gave the progress token, even if the
// call has ended. ok is false for other tokens, and for all tokens if Options.IDPrefix is set.
func (c *Conn) CallOfToken(token json.RawMessage) (id string, ok bool) {
	text, _ := String(token)
	return strings.CutPrefix(text, c.tokens)
}

func (c *Conn) register(id, token json.RawMessage, call Call) (*mailbox, error) {
	answer := &mailbox{owner: call.Owner, token: string(token), answered: call.Answered, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		return nil, c.closedErrorLocked()
	default:
	}
	c.pending[string(id)] = answer
	if token != nil {
		c.progress[answer.token] = answer
	}
	return answer, nil
}

func (c *Conn) forget(id json.RawMessage, answer *mailbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(string(id))
	delete(c.progress, answer.token)
	for _, h := range answer.holds {
		h.calls = slices.DeleteFunc(h.calls, func(other *mailbox) bool { return other == answer })
		if len(h.calls) == 0 {
			close(h.ended)
		}
	}
}

// take removes a call from those in flight. It remembers the owner of the call at once, because the next message of the
// peer may refer to the call before Call returns. The caller holds mu.
func (c *Conn) take(id string) (answer *mailbox, ok bool) {
	answer, ok = c.pending[id]
	delete(c.pending, id)
	if ok && answer.owner != nil && c.opts.RememberOwners > 0 {
		if len(c.owners) >= c.opts.RememberOwners {
			c.owners = slices.Delete(c.owners, 0, 1)
		}
		c.owners = append(c.owners, owned{id, answer.owner})
	}
	return answer, ok
}
