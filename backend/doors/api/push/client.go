package push

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	maxMessage = 4096 // bytes in a message from a client
	// The hub disconnects a client whose queue exceeds one of these limits. Queues share the memory of their
	// messages.
	maxQueue      = 4096 // messages
	maxQueueBytes = 8 << 20
)

// client is one WebSocket with its queue of messages.
type client struct {
	conn         *websocket.Conn
	session      *guard.Session // nil when the WebSocket was opened with the hub's own token
	onChange     scope          // scope of the message after a change of the state
	withoutTools bool           // messages do not contain tools
	wantsStatus  bool           // the client gets the status of the hub
	// withoutQuestions is set for a client that does not show questions of servers.
	withoutQuestions bool
	cancel           context.CancelFunc
	woken            chan struct{}

	mu          sync.Mutex
	greeted     bool             // the client has the whole state, or receives it before any other message
	wants       scope            // scope of the next message with the state
	before      int              // number of queued messages to send before the next message with the state
	has         int              // stateCache.revision that the client has received
	hasStatus   []byte           // last message with the status of the hub
	follows     map[string]int64 // number of the last line sent, by server
	watches     map[string]watch // position in the messages that the client follows, by server
	queue       [][]byte
	queuedBytes int
	end         *websocket.CloseError
}

// ServeHTTP implements http.Handler. It expects that a guard has accepted the request.
func (p *Pusher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the guard has checked the origin
	if err != nil {
		return // Accept has answered the request
	}
	conn.SetReadLimit(-1) // the method read limits the size, with the close code that clients expect
	// Do not use the context of the request: it ends when the HTTP server shuts down, before the last messages are sent.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &client{conn: conn, session: guard.SessionOf(r.Context()), onChange: delta, cancel: cancel, woken: make(chan struct{}, 1)}
	query := r.URL.Query()
	if query.Get("deltas") == "changed" {
		c.onChange = changes
	}
	c.withoutTools, c.wantsStatus = query.Get("tools") == "none", query.Get("hub") == "1"
	c.withoutQuestions = query.Get("questions") == "none"
	if !c.withoutQuestions {
		defer p.attend()() // before join, so that a client that has the state counts as attending
	}
	if code, reason := p.join(c); code != 0 {
		_ = conn.Close(code, reason) // fails when the client is gone
		return
	}
	defer func() {
		for server := range c.watched() {
			c.unwatch(server)
		}
	}()
	defer p.leave(c)
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { defer cancel(); c.write(ctx, p) })
	loops.Go(func() { defer cancel(); c.watch(ctx, p) })
	defer cancel()
	c.read(ctx, p)
}

// read handles messages from the client until the WebSocket closes.
func (c *client) read(ctx context.Context, p *Pusher) {
	for {
		_, r, err := c.conn.Reader(ctx)
		if err != nil {
			return
		}
		data, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
		switch {
		case err != nil:
			return
		case len(data) > maxMessage:
			_ = c.conn.Close(websocket.StatusMessageTooBig, "") // fails when the client is gone
			return
		}
		if problem := c.handle(data, p); problem != "" {
			c.send(encodeMessage(errorMessage{"error", problem}))
		}
	}
}

// handle carries out one message from the client. It returns a description of the problem with the message, or "" if
// there is none.
func (c *client) handle(data []byte, p *Pusher) (problem string) {
	var message map[string]json.RawMessage
	err := json.Unmarshal(data, &message)
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &shape) || err == nil && message == nil:
		return "Message must be a JSON object"
	case err != nil:
		return "Invalid JSON"
	}
	kind := "undefined"
	if raw, ok := message["type"]; ok && json.Unmarshal(raw, &kind) != nil {
		kind = string(raw)
	}
	switch kind {
	case "refresh":
		c.reset()
		p.wake()
		return ""
	case "follow", "unfollow":
		server, _ := jsonrpc.String(message["server"])
		what, _ := jsonrpc.String(message["what"])
		return p.setFollowing(c, kind, what, server)
	}
	return "Unknown message type: " + sanitize(kind)
}

// sanitize shortens a text from a client and removes the special characters of HTML, because pages may show the text.
func sanitize(text string) string {
	if runes := []rune(text); len(runes) > 64 {
		text = string(runes[:64])
	}
	return strings.NewReplacer("<", "", ">", "", "&", "", `"`, "", "'", "").Replace(text)
}

// watch pings the client, and closes the WebSocket when its session ends.
func (c *client) watch(ctx context.Context, p *Pusher) {
	var ended <-chan struct{}
	if c.session != nil {
		ended = c.session.Ended()
	}
	tick := time.NewTicker(p.timeouts.Ping)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			c.finish(websocket.StatusPolicyViolation, "the session has ended")
			ended = nil
		case <-tick.C:
			answer, stop := context.WithTimeout(ctx, p.timeouts.Pong)
			err := c.conn.Ping(answer)
			stop()
			if err != nil {
				return
			}
			if c.session != nil {
				p.sessions.Touch(c.session)
			}
		}
	}
}

// write sends the state and queued messages until the WebSocket closes.
func (c *client) write(ctx context.Context, p *Pusher) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		}
		for {
			data, end := c.next(&p.cache)
			if end != nil {
				_ = c.conn.Close(end.Code, end.Reason) // fails when the client is gone
				return
			}
			if data == nil {
				break
			}
			sending, stop := context.WithTimeout(ctx, p.timeouts.Send)
			err := c.conn.Write(sending, websocket.MessageText, data)
			stop()
			if err != nil {
				return
			}
		}
	}
}

// next returns the next message: the state if c.wants is set and no queued message must precede it, otherwise the first message
// in the queue. When the queue is empty, it returns the reason to close the WebSocket, if any.
func (c *client) next(cache *stateCache) (data []byte, end *websocket.CloseError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.before == 0 || len(c.queue) == 0 {
		data, c.has = cache.message(view{c.wants, c.withoutTools, c.has})
		if c.wants = nothing; data != nil {
			return data, nil
		}
	}
	if len(c.queue) == 0 || !c.greeted {
		return nil, c.end
	}
	data, c.queue, c.before = c.queue[0], c.queue[1:], max(c.before-1, 0)
	if c.queuedBytes -= len(data); len(c.queue) == 0 {
		c.queue = nil // frees the array
	}
	return data, nil
}

// offer schedules a message about the state to the client: with the changes since the last such message or, if the
// client has received none, with the whole state.
func (c *client) offer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return
	}
	c.wants = max(c.wants, c.onChange)
	if !c.greeted {
		c.greeted, c.wants, c.before = true, whole, 0
	}
	c.wake()
}

// reset schedules a message with the whole state, after the messages that are queued already.
func (c *client) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.wants, c.hasStatus, c.before = whole, nil, len(c.queue)
	}
}

// sendEvent sends a message about an event to a client that has received the state. Other clients will receive a
// later state, which includes the event.
func (c *client) sendEvent(data []byte) {
	c.mu.Lock()
	greeted := c.greeted
	c.mu.Unlock()
	if greeted {
		c.send(data)
	}
}

// send queues a message. A client whose queue becomes too long is disconnected.
func (c *client) send(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return
	}
	c.queue, c.queuedBytes = append(c.queue, data), c.queuedBytes+len(data)
	if len(c.queue) > maxQueue || c.queuedBytes > maxQueueBytes {
		c.wants, c.queue = nothing, nil
		c.end = &websocket.CloseError{Code: websocket.StatusTryAgainLater, Reason: "too slow: connect again and fetch the state anew"}
	}
	c.wake()
}

// finish closes the WebSocket with a reason, after the messages in the queue.
func (c *client) finish(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end = &websocket.CloseError{Code: code, Reason: reason}
	}
	c.wake()
}

func (c *client) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}
