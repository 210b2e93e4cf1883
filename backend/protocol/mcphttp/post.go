package mcphttp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// linger is how long a stream may go on after it has brought the answer it was
// opened for. Its end lets the connection be used again.
const linger = 2 * time.Second

// post is one message on its way to the server.
type post struct {
	line   []byte
	method string          // empty: the answer to a request of the server
	id     json.RawMessage // of a request; else nil
	cancel json.RawMessage // the id of the request that this one cancels

	ctx  context.Context // ends with the link, or when the request is cancelled
	stop context.CancelFunc
	sent chan struct{} // closed when the server has it, or never will
	once sync.Once     // closes sent
}

func newPost(life context.Context, line []byte, m jsonrpc.Message) *post {
	p := &post{line: line, method: m.Method, sent: make(chan struct{})}
	if m.IsRequest() {
		p.id = m.ID
	}
	if m.Method == "notifications/cancelled" {
		p.cancel = jsonrpc.Get(m.Params, "requestId")
	}
	p.ctx, p.stop = context.WithCancel(life)
	return p
}

func (p *post) markSent() { p.once.Do(func() { close(p.sent) }) }

// answeredBy reports whether a message is the answer to this request.
func (p *post) answeredBy(message []byte) bool {
	m, err := jsonrpc.Parse(message)
	return err == nil && p.id != nil && m.IsResponse() && bytes.Equal(m.ID, p.id)
}

// send brings a message to the server and takes what it says to it.
func (l *Link) send(p *post) {
	defer l.forget(p)
	cancelled := l.await(p)
	if p.ctx.Err() != nil {
		return
	}
	response, err := l.do(p.ctx, request{method: http.MethodPost, target: l.target, body: p.line, sent: p.markSent})
	if err != nil {
		l.fail(p, err)
	} else {
		l.receive(p, response)
	}
	switch {
	case p.method == "notifications/initialized":
		l.initialized()
	case cancelled != nil:
		cancelled.stop()
	}
}

// await waits until it is a message's turn. No order is kept between posts but
// where it matters: all comes after the server was told that we are
// initialized, and a cancellation after the request, which is returned.
func (l *Link) await(p *post) (cancels *post) {
	turn := []<-chan struct{}{l.named}
	if p.method != "" && p.method != "initialize" && p.method != "notifications/initialized" {
		turn = append(turn, l.ready)
	}
	if p.cancel != nil {
		l.mu.Lock()
		cancels = l.posts[string(p.cancel)]
		l.mu.Unlock()
	}
	if cancels != nil {
		turn = append(turn, cancels.sent)
	}
	for _, happened := range turn {
		select {
		case <-happened:
		case <-p.ctx.Done():
		}
	}
	return cancels
}

// initialized lets all other messages go, and opens the stream for what the
// server says of its own accord.
func (l *Link) initialized() {
	l.begin.Do(func() {
		close(l.ready)
		if l.Transport == Streamable {
			l.work.Go(l.listen)
		}
	})
}

func (l *Link) forget(p *post) {
	p.markSent()
	p.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.posts, string(p.id))
}

// fail tells whoever waits for an answer that there is none.
func (l *Link) fail(p *post, err error) {
	switch {
	case p.ctx.Err() != nil: // nobody waits any more
	case p.id != nil:
		l.Failed(p.id, err)
	default:
		l.Log.Warn("server did not take a message", "method", p.method, "error", fault.MessageOf(err))
	}
}

// receive takes the response to a POST.
func (l *Link) receive(p *post, response *http.Response) {
	defer func() { _ = response.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode/100 != 2:
		l.refuse(p, readRefusal(response))
	case p.id == nil, l.Transport == SSE, response.StatusCode == http.StatusAccepted, response.StatusCode == http.StatusNoContent:
		// What comes is nothing, but its end lets the connection be used again.
		defer time.AfterFunc(linger, p.stop).Stop()
		_, _ = io.CopyN(io.Discard, response.Body, refusalSize)
	case kind == "text/event-stream":
		l.enter(p, response)
		l.stream(p, response)
	case strings.HasSuffix(kind, "json"), kind == "":
		l.enter(p, response)
		l.body(p, response.Body)
	default:
		l.fail(p, fault.New(fault.Failed, "%s answered with %s, which is not MCP; is the URL right?", l.Shown, oneLine(kind)))
	}
}

// enter takes note of the session that the answer to initialize begins.
func (l *Link) enter(p *post, response *http.Response) {
	if p.method == "initialize" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.session = response.Header.Get("Mcp-Session-Id")
	}
}

// body takes an answer that comes as one piece of JSON.
func (l *Link) body(p *post, body io.Reader) {
	data, err := io.ReadAll(io.LimitReader(body, int64(l.Limit)+1))
	switch {
	case err != nil:
		l.fail(p, l.broken())
	case len(data) > l.Limit:
		l.fail(p, l.tooLong())
	case !l.deliver(data, p):
		l.fail(p, l.strange(data))
	}
}

// refuse takes a status that is no success. The server's own error answer is
// passed on as it is; that it wants credentials, or has forgotten the session,
// is said in words of ours.
func (l *Link) refuse(p *post, r *refusal) {
	denied := r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
	switch {
	case l.inSession(p) && r.lost():
		l.fail(p, fault.Wrap(ErrUntouched, fault.Unavailable, "its session was over before, so nothing was run (%s %s); call again: that starts a new one", l.Shown, l.answered(r)))
		l.end(l.gone(r))
	case !denied && r.rpc != nil && p.id != nil && bytes.Equal(r.id, p.id):
		l.deliver(r.body, p)
	default:
		l.fail(p, l.refused(r, p.method == "initialize"))
	}
}

// inSession reports whether a message is one of a session that a server may
// have forgotten.
func (l *Link) inSession(p *post) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session != "" || l.Transport == SSE && p.method != "initialize"
}
