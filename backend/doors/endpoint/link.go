package endpoint

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	// replayLife is how long a session keeps the stream of a POST after all its requests are answered, so that a client
	// that has lost the connection can get the events. maxReplays is the maximum number of such streams.
	replayLife = 5 * time.Minute
	maxReplays = 16
)

// link holds the streams of a legacy session, and the requests to its client that wait for an answer.
type link struct {
	id      string  // Mcp-Session-Id
	version string  // negotiated in initialize
	outside *stream // stream of messages that belong to no request: the GET stream, or the only stream of HTTP+SSE
	single  bool    // HTTP+SSE: all messages are on outside

	begun atomic.Bool // initialize has succeeded

	mu       sync.Mutex
	lastName int
	lastCall int
	posts    []*stream // streams with open requests, the oldest first
	old      []*stream // streams whose requests are answered, kept for replay
	calls    map[string]chan jsonrpc.Message
}

func newLink(id string) *link {
	return &link{id: id, outside: newStream("0", -1), calls: make(map[string]chan jsonrpc.Message)}
}

// stream returns a new stream for the requests of a POST.
func (l *link) stream(requests int) *stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastName++
	s := newStream(strconv.Itoa(l.lastName), requests)
	l.posts = append(l.posts, s)
	return s
}

// retire removes from l.posts a stream whose requests are all answered. If keep is true, the client can ask for the
// stream's events again for the time replayLife.
func (l *link) retire(s *stream, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posts = without(l.posts, s)
	if !keep {
		return
	}
	if len(l.old) >= maxReplays {
		l.old = l.old[1:]
	}
	l.old = append(l.old, s)
	time.AfterFunc(replayLife, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.old = without(l.old, s)
	})
}

func without(list []*stream, s *stream) []*stream {
	return slices.DeleteFunc(list, func(other *stream) bool { return other == s })
}

// find returns the stream and the number of the event that eventID identifies.
func (l *link) find(eventID string) (s *stream, number int, ok bool) {
	name, text, _ := strings.Cut(eventID, "_")
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		return nil, 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range append(append([]*stream{l.outside}, l.posts...), l.old...) {
		if s.name == name {
			return s, number, true
		}
	}
	return nil, 0, false
}

// choose returns the stream for a message that was not sent with the context of a client's request. aboutRequest
// reports whether the message concerns one of the open requests. If it does and only one POST has open requests, choose
// returns the stream of that POST. Otherwise it returns the GET stream or, if the client has not opened that, the
// newest stream of a POST with open requests. If no such stream exists either, it returns the GET stream. A session
// over HTTP+SSE has one stream for all messages.
func (l *link) choose(aboutRequest bool) *stream {
	if l.single {
		return l.outside
	}
	attached := l.outside.attached()
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []*stream
	for _, s := range l.posts {
		if !s.settled() {
			open = append(open, s)
		}
	}
	switch {
	case attached && !aboutRequest:
		return l.outside
	case len(open) == 1:
		return open[0]
	case attached || len(open) == 0:
		return l.outside
	}
	return open[len(open)-1]
}

// streamOf returns the stream for a message. While the request that ctx belongs to has no answer, this is the stream of
// the request. Otherwise, in a legacy session, it is the stream that link.choose returns. In a modern session, streamOf
// returns nil if ctx belongs to no request.
func (s *session) streamOf(ctx context.Context, method string) *stream {
	own, ok := ctx.Value(streamKey{}).(*stream)
	if ok && !own.settled() || s.link == nil {
		return own
	}
	// These messages do not result from a request of the client.
	unasked := strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
	return s.link.choose(!unasked)
}

// Notify implements gateway.Peer. It does not block. If the client is modern and the notification belongs to none of
// its requests, Notify drops the notification, because there is no stream for it.
func (s *session) Notify(ctx context.Context, method string, params json.RawMessage) error {
	to := s.streamOf(ctx, method)
	if to == nil {
		return nil
	}
	e := newEvent(jsonrpc.AppendRequest(nil, nil, method, params))
	e.minor = method == "notifications/progress" || method == "notifications/message"
	to.put(e)
	return nil
}

// Call implements gateway.Peer. It ignores the fields Idle and Progress of call.
func (s *session) Call(ctx context.Context, call jsonrpc.Call) (json.RawMessage, error) {
	if s.link == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "%s cannot be sent: the client takes no requests", call.Method)
	}
	id, answer := s.link.expect()
	defer s.link.forgetCall(id)
	to := s.streamOf(ctx, call.Method)
	to.put(newEvent(jsonrpc.AppendRequest(nil, id, call.Method, call.Params)))
	select {
	case m := <-answer:
		return m.Answer()
	case <-ctx.Done():
		params := jsonrpc.Set(nil, "requestId", id)
		to.put(newEvent(jsonrpc.AppendRequest(nil, nil, "notifications/cancelled", params)))
		return nil, context.Cause(ctx)
	case <-s.done:
		return nil, jsonrpc.ErrClosed
	}
}

// Done implements gateway.Peer.
func (s *session) Done() <-chan struct{} { return s.done }

// expect returns the id of a new request to the client, and a channel for its answer.
func (l *link) expect() (id json.RawMessage, answer chan jsonrpc.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastCall++
	id, answer = jsonrpc.Quote(gateway.IDPrefix+strconv.Itoa(l.lastCall)), make(chan jsonrpc.Message, 1)
	l.calls[string(id)] = answer
	return id, answer
}

func (l *link) forgetCall(id json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, string(id))
}

// settle delivers an answer of the client to the Call that waits for it. It drops answers to unknown requests.
func (l *link) settle(m jsonrpc.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer, ok := l.calls[string(m.ID)]; ok {
		answer <- m
		delete(l.calls, string(m.ID))
	}
}
