package mcphttp

import (
	"bytes"
	"cmp"
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
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// linger is how long the client continues to read a response after it has
// received the answer. If the response ends within that time, its connection
// can be used for other requests.
const linger = 2 * time.Second

// post is a message that is sent to the server by POST.
type post struct {
	line   []byte
	method string          // empty for the answer to a request of the server
	id     json.RawMessage // the id of a request; nil for other messages
	cancel json.RawMessage // the id of the request that this message cancels
	params json.RawMessage
	header http.Header // of a message of MCP 2026-07-28; nil for others

	stop    context.CancelFunc // ends the POST; set by Run before it sends the post; guarded by Link.mu until then
	stopped bool               // the request was cancelled; guarded by Link.mu
	sent    chan struct{}      // closed when the POST was written or has failed
	once    sync.Once          // closes sent
}

func newPost(line []byte, m jsonrpc.Message) *post {
	p := &post{line: line, method: m.Method, params: m.Params, sent: make(chan struct{})}
	if m.Method != "" && mcpversion.ReadMeta(m.Params).ProtocolVersion != "" {
		p.header = make(http.Header)
		mcpheader.Set(p.header, m.Method, m.Params)
	}
	if m.IsRequest() {
		p.id = m.ID
	}
	if m.Method == "notifications/cancelled" {
		p.cancel = jsonrpc.Get(m.Params, "requestId")
	}
	return p
}

func (p *post) markSent() { p.once.Do(func() { close(p.sent) }) }

// send posts a message and reads the response.
func (l *Link) send(ctx context.Context, p *post) {
	defer l.forget(p)
	cancelled := l.await(ctx, p)
	if ctx.Err() != nil {
		return
	}
	response, err := l.do(ctx, request{
		method: http.MethodPost, target: l.target, body: p.line, header: l.headers(p), sent: p.markSent,
		operation: strings.TrimSpace(p.method + " " + cmp.Or(jsonrpc.GetString(p.params, "name"), jsonrpc.GetString(p.params, "uri"))),
	})
	if err != nil {
		l.fail(ctx, p, err)
	} else {
		l.receive(ctx, p, response)
	}
	switch {
	case p.method == "notifications/initialized":
		l.begin.Do(func() { close(l.ready) })
	case cancelled != nil:
		cancelled.stop()
	}
}

// headers returns the headers that repeat parts of a message.
func (l *Link) headers(p *post) http.Header {
	if p.header == nil || p.method != "tools/call" || l.options.Schema == nil {
		return p.header
	}
	params, err := mcpheader.ReadParams(l.options.Schema(jsonrpc.GetString(p.params, "name")))
	if err == nil {
		params.Set(p.header, jsonrpc.Get(p.params, "arguments"))
	}
	return p.header
}

// await waits until p may be sent, or ctx is done. Every post waits for the address of the endpoint. Before MCP
// 2026-07-28, requests and notifications also wait until notifications/initialized was sent. A cancellation waits until
// the request that it cancels was sent, and await returns that request. Otherwise posts are sent in any order.
func (l *Link) await(ctx context.Context, p *post) (cancels *post) {
	events := []<-chan struct{}{l.named}
	if p.header == nil && p.method != "" && p.method != "initialize" && p.method != "notifications/initialized" {
		events = append(events, l.ready)
	}
	if p.cancel != nil {
		l.mu.Lock()
		cancels = l.posts[string(p.cancel)]
		l.mu.Unlock()
	}
	if cancels != nil {
		events = append(events, cancels.sent)
	}
	for _, happened := range events {
		select {
		case <-happened:
		case <-ctx.Done():
		}
	}
	return cancels
}

func (l *Link) forget(p *post) {
	p.markSent()
	p.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.posts, string(p.id))
}

// fail reports that a message could not be sent or gets no answer.
func (l *Link) fail(ctx context.Context, p *post, err error) {
	switch {
	case ctx.Err() != nil: // cancelled: the caller no longer waits
	case p.id != nil:
		l.options.Failed(p.id, err)
	default:
		l.options.Log.Warn("server did not accept a message", "method", p.method, "error", fault.MessageOf(err))
	}
}

// receive reads the response to a POST and closes it.
func (l *Link) receive(ctx context.Context, p *post, response *http.Response) {
	defer func() { _ = response.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode/100 != 2:
		l.refuse(ctx, p, readRefusal(response))
	case p.id == nil, l.options.Transport == SSE, response.StatusCode == http.StatusAccepted, response.StatusCode == http.StatusNoContent:
		// The body has no meaning, but a body that is read to its end leaves the
		// connection open for other requests.
		defer time.AfterFunc(linger, p.stop).Stop()
		_, _ = io.CopyN(io.Discard, response.Body, refusalSize)
	case kind == "text/event-stream":
		l.enter(p, response)
		l.stream(ctx, p, response)
	case strings.HasSuffix(kind, "json"), kind == "":
		l.enter(p, response)
		l.body(ctx, p, response.Body)
	default:
		l.fail(ctx, p, fault.New(fault.Failed, "%s answered with %s, which is not MCP; is the URL right?", l.options.Shown, oneLine(kind)))
	}
}

// enter stores the session ID of a response to initialize.
func (l *Link) enter(p *post, response *http.Response) {
	if p.method == "initialize" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.session = response.Header.Get("Mcp-Session-Id")
	}
}

// body reads a JSON response body, which contains the answer to p.
func (l *Link) body(ctx context.Context, p *post, body io.Reader) {
	charged := &chargedReader{r: io.LimitReader(body, int64(l.options.Limit)+1), charge: jsonrpc.Charge{Budget: l.options.Budget}}
	defer charged.charge.Free()
	data, err := io.ReadAll(charged)
	switch {
	case err == errFull:
		l.fail(ctx, p, l.full())
	case err != nil:
		l.fail(ctx, p, l.broken())
	case len(data) > l.options.Limit:
		l.fail(ctx, p, l.tooLong())
	case !l.deliver(data, p):
		l.fail(ctx, p, l.strange(data))
	}
}

// refuse handles a response whose status is not a success. A JSON-RPC error of
// the server is passed on as it is, except that missing credentials and lost
// sessions get an error message of this program.
func (l *Link) refuse(ctx context.Context, p *post, r *refusal) {
	denied := r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
	switch {
	case l.inSession(p) && r.lost():
		l.lose(l.gone(r)) // first, so that a retry does not use this link
		l.fail(ctx, p, fault.Wrap(ErrUntouched, fault.Unavailable,
			"the session had already ended, so the server ran nothing (%s %s); call again to start a new session",
			l.options.Shown, r.answered()))
	case !denied && r.rpc != nil && p.id != nil && bytes.Equal(r.id, p.id):
		l.deliver(r.body, p)
	default:
		l.fail(ctx, p, l.refused(r, p.method == "initialize"))
	}
}

// inSession reports whether p was sent in a session. The server may have ended that
// session.
func (l *Link) inSession(p *post) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.header == nil && l.session != "" || l.options.Transport == SSE && p.method != "initialize"
}
