package api

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

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	maxMessage = 4096 // bytes that a client may send at once
	// What may wait for a client before it counts as too slow. The bytes are
	// shared with other clients.
	maxWaiting      = 4096 // messages
	maxWaitingBytes = 8 << 20
)

// client is one WebSocket.
type client struct {
	conn    *websocket.Conn
	session *session // nil: opened with the hub's own token
	state   kind     // what it gets when something has changed
	bare    bool     // it gets no tools
	asksHub bool     // it gets how the hub does
	cancel  context.CancelFunc
	woken   chan struct{}

	mu      sync.Mutex
	greeted bool
	wants   kind
	has     int              // revision of the board
	hasHub  []byte           // how the hub does
	follows map[string]int64 // servers, with the number of the line read last
	queue   [][]byte
	waiting int // bytes in the queue
	end     *websocket.CloseError
}

// ServeHTTP implements http.Handler. The guard has let the request in.
func (p *pusher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the guard knows origins
	if err != nil {
		return // answered
	}
	conn.SetReadLimit(-1) // read does it, with the close that clients expect
	// Not the request's context: that ends with the HTTP server's patience.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &client{conn: conn, session: callerOf(r.Context()).session, state: delta, cancel: cancel, woken: make(chan struct{}, 1)}
	query := r.URL.Query()
	if query.Get("deltas") == "changed" {
		c.state = changes
	}
	c.bare, c.asksHub = query.Get("tools") == "none", query.Get("hub") == "1"
	if code, reason := p.join(c); code != 0 {
		_ = conn.Close(code, reason) // a client that says no goodbye is gone as well
		return
	}
	defer p.leave(c)
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { defer cancel(); c.write(ctx, p) })
	loops.Go(func() { defer cancel(); c.watch(ctx, p) })
	defer cancel()
	c.read(ctx, p)
}

// read answers what the client sends, until the socket closes.
func (c *client) read(ctx context.Context, p *pusher) {
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
			_ = c.conn.Close(websocket.StatusMessageTooBig, "") // it is gone either way
			return
		}
		if problem := c.take(data, p); problem != "" {
			c.send(encode(errorMessage(problem)))
		}
	}
}

// take reads one message and returns what is wrong with it.
func (c *client) take(data []byte, p *pusher) (problem string) {
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
		c.forget()
		p.wake()
		return ""
	case "follow", "unfollow":
		server, _ := jsonrpc.String(message["server"])
		return p.attend(c, kind, server)
	}
	return "Unknown message type: " + harmless(kind)
}

// harmless shortens a text of a client's and takes out what means something in
// HTML: pages have been seen to show it.
func harmless(text string) string {
	if runes := []rune(text); len(runes) > 64 {
		text = string(runes[:64])
	}
	return strings.NewReplacer("<", "", ">", "", "&", "", `"`, "", "'", "").Replace(text)
}

// watch pings, and ends the socket with its session.
func (c *client) watch(ctx context.Context, p *pusher) {
	var ended chan struct{}
	if c.session != nil {
		ended = c.session.ended
	}
	tick := time.NewTicker(p.times.Ping)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			c.finish(websocket.StatusPolicyViolation, "the session has ended")
			ended = nil
		case <-tick.C:
			answer, stop := context.WithTimeout(ctx, p.times.Pong)
			err := c.conn.Ping(answer)
			stop()
			if err != nil {
				return
			}
			if c.session != nil {
				p.passes.keep(c.session)
			}
		}
	}
}

// write sends what is due, the state before all else, until the socket closes.
func (c *client) write(ctx context.Context, p *pusher) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		}
		for {
			data, end := c.next(&p.board)
			if end != nil {
				_ = c.conn.Close(end.Code, end.Reason) // it is gone either way
				return
			}
			if data == nil {
				break
			}
			sending, stop := context.WithTimeout(ctx, p.times.Send)
			err := c.conn.Write(sending, websocket.MessageText, data)
			stop()
			if err != nil {
				return
			}
		}
	}
}

// next returns what to send now: a message, after all of them the end, or nothing.
func (c *client) next(b *board) (data []byte, end *websocket.CloseError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, c.has = b.message(view{c.wants, c.bare, c.has})
	if c.wants = nothing; data != nil {
		return data, nil
	}
	if len(c.queue) == 0 || !c.greeted {
		return nil, c.end
	}
	data, c.queue = c.queue[0], c.queue[1:]
	if c.waiting -= len(data); len(c.queue) == 0 {
		c.queue = nil // and the memory with it
	}
	return data, nil
}

// offer says that the board may have changed.
func (c *client) offer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return
	}
	c.wants = max(c.wants, c.state)
	if !c.greeted {
		c.greeted, c.wants = true, whole
	}
	c.wake()
}

// forget makes the next state that is offered a whole one.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.wants, c.hasHub = whole, nil
	}
}

// tell sends what happens to a client that has the state.
func (c *client) tell(data []byte) {
	c.mu.Lock()
	greeted := c.greeted
	c.mu.Unlock()
	if greeted {
		c.send(data)
	}
}

// send queues a message. A client that leaves too many unread is sent away.
func (c *client) send(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return
	}
	c.queue, c.waiting = append(c.queue, data), c.waiting+len(data)
	if len(c.queue) > maxWaiting || c.waiting > maxWaitingBytes {
		c.wants, c.queue = nothing, nil
		c.end = &websocket.CloseError{Code: websocket.StatusTryAgainLater, Reason: "too slow: connect again and fetch the state anew"}
	}
	c.wake()
}

// finish closes the socket with a reason.
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
