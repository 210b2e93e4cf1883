// Package mcphttp connects to an MCP server over HTTP. A Link is used like the pipes
// of a child process: each line written to it becomes a POST, and each message of a
// response body or an event stream becomes a line to read. A Link does not decode
// the messages that it carries, and does not start a new session: a lost session
// ends its Link.
//
//	jsonrpc.Conn ⇄ lines ⇄ Link ⇄ POST, GET (event streams), DELETE ⇄ server
//
// It is not built on an MCP library, because libraries decode messages into
// their own types and so drop members that they do not know.
package mcphttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Transport is one of MCP's transports over HTTP.
type Transport int

// The transports over HTTP.
const (
	Streamable Transport = iota // of MCP 2025-03-26 and later
	SSE                         // of MCP 2024-11-05: one event stream for all messages of the server
)

// Options configure a Link. Fields are required unless their comments allow nil.
type Options struct {
	Transport Transport
	URL       string            // absolute, may contain secrets; never part of an error
	Shown     string            // the URL for errors, without credentials; see Show
	Headers   map[string]string // sent with each request, only to the URL's origin
	Agent     string            // the User-Agent header
	Limit     int               // the largest message of the server, in bytes
	// Proxy returns the proxy for a URL, or nil for a direct connection. If Proxy
	// itself is nil, all connections are direct.
	Proxy func(*url.URL) (*url.URL, error)
	// CAs verify the server's certificate; nil means those of the system.
	CAs *x509.CertPool
	// Authorization provides tokens; nil means that only Headers may contain credentials.
	Authorization Authorization
	Log           *slog.Logger
	// Failed is called for a request that was written and gets no answer. The
	// error is a fault. It is called from goroutines of the link.
	Failed func(id json.RawMessage, why error)
	// Asked is called for a request of the server that arrives in the response to
	// a call, before Read returns the request. It may be nil.
	Asked func(request, call json.RawMessage)
	// Skipped is called with a fault when a message on the event stream of the
	// transport SSE was skipped, because it or all unfinished messages together were
	// too large. It may be nil.
	Skipped func(why error)
	// Lost is called once, when the server no longer knows the session. Requests
	// that the server accepted before continue; Read and Write work until Close.
	// Lost may be nil.
	Lost func()
	// Schema returns the schema of a tool's arguments, nil if it is not known. The schema
	// says which arguments are repeated in headers in MCP 2026-07-28. Schema may be nil.
	Schema func(tool string) json.RawMessage
	// Budget limits the memory of unfinished messages, together for all links
	// that share it. It may be nil.
	Budget *jsonrpc.Budget
}

// ErrLost is in the chain of the error with which a link ends after its server
// has lost the session. Servers may end sessions, so this does not mean
// that the server failed.
var ErrLost = errors.New("session lost")

// ErrUntouched is in the chain of the error of a request that was sent to a
// session which the server had already ended, so that the server ran nothing. It
// wraps ErrLost.
var ErrUntouched = fmt.Errorf("%w before the request", ErrLost)

// Link carries the lines of one session. One goroutine may call Read and one may
// call Write, as jsonrpc.Conn does; the other methods are safe for concurrent
// use.
type Link struct {
	options Options
	client  *http.Client
	base    *url.URL
	feed    *feed      // the lines that Read returns
	line    []byte     // a written line that is not complete yet
	written chan *post // messages on the way from Write to Run
	work    sync.WaitGroup
	named   chan struct{} // closed when target has been set
	ready   chan struct{} // closed when notifications/initialized was sent
	begin   sync.Once     // closes ready
	done    chan struct{} // closed when the link is over

	mu      sync.Mutex
	target  *url.URL         // the address to which messages are posted; set before named is closed
	session string           // Mcp-Session-Id
	version string           // MCP-Protocol-Version
	posts   map[string]*post // requests without an answer, by id
	lost    error            // why the session is lost, or nil; see Options.Lost
	over    bool
	cancel  context.CancelFunc // ends everything that Run started; nil before Run
	err     error              // the reason why the link is over
}

// New returns a link for a server. Lines are sent and received while Run runs.
// The error is a fault.Invalid that explains what is wrong with the URL.
func New(o Options) (*Link, error) {
	base, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	l := &Link{
		options: o, base: base, feed: &feed{r: r, w: w}, written: make(chan *post), posts: make(map[string]*post),
		named: make(chan struct{}), ready: make(chan struct{}), done: make(chan struct{}),
	}
	l.client = newClient(l)
	if o.Transport == Streamable {
		l.target = base
		close(l.named)
	}
	return l, nil
}

// Run sends and receives messages until ctx is done, Close is called or the
// session ends. It returns after all goroutines of the link have ended, with the
// reason: nil after Close, unless the session was lost.
func (l *Link) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.mu.Lock()
	l.cancel = cancel
	l.mu.Unlock()
	if l.options.Transport == SSE {
		l.work.Go(func() { l.end(l.subscription(ctx)) })
	}
	for ready := l.ready; ; {
		select {
		case p := <-l.written:
			postCtx, stop := context.WithCancel(ctx)
			l.mu.Lock()
			if p.stop = stop; p.stopped {
				stop()
			}
			l.mu.Unlock()
			l.work.Go(func() { l.send(postCtx, p) })
			continue
		case <-ready:
			ready = nil
			if l.options.Transport == Streamable {
				l.work.Go(func() { l.listen(ctx) })
			}
			continue
		case <-ctx.Done():
			l.end(ctx.Err())
		case <-l.done:
		}
		break
	}
	cancel()
	l.work.Wait()
	l.client.CloseIdleConnections()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Read reads the server's messages as lines.
func (l *Link) Read(p []byte) (int, error) { return l.feed.r.Read(p) }

// Write accepts lines and hands them to Run, which posts them. It does not wait
// for the server: a request that gets no answer is reported to Options.Failed.
func (l *Link) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	if !bytes.HasSuffix(p, []byte("\n")) {
		return len(p), nil
	}
	line := bytes.TrimSuffix(l.line, []byte("\n"))
	l.line = nil
	message, err := jsonrpc.Parse(line)
	if err != nil {
		return 0, err
	}
	post := newPost(line, message)
	if l.stopped(post) {
		return len(p), nil
	}
	if post.id != nil {
		l.mu.Lock()
		l.posts[string(post.id)] = post
		l.mu.Unlock()
	}
	select {
	case <-l.done: // checked first, because Run may still receive posts after the link has ended
		return 0, l.closed()
	default:
	}
	select {
	case l.written <- post:
		return len(p), nil
	case <-l.done:
		return 0, l.closed()
	}
}

// stopped handles a message that cancels a request of MCP 2026-07-28. For such a
// message, which must not be sent to the server, it closes the response to the
// cancelled request and returns true. It returns false for other messages.
func (l *Link) stopped(cancel *post) bool {
	if cancel.cancel == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.posts[string(cancel.cancel)]
	if p == nil || p.header == nil {
		return false
	}
	if p.stop != nil {
		p.stop()
	}
	p.stopped = true
	return true
}

func (l *Link) closed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(io.ErrClosedPipe, l.err)
}

// closeTimeout bounds the request that ends a session.
const closeTimeout = 2 * time.Second

// lose notes that the server no longer knows the session. Requests that the server
// still works on are not affected.
func (l *Link) lose(why error) {
	l.mu.Lock()
	first := l.lost == nil && !l.over
	if first {
		l.lost = why
	}
	l.mu.Unlock()
	if first && l.options.Lost != nil {
		l.options.Lost()
	}
}

// Close ends the session on the server and the link.
func (l *Link) Close() error {
	l.mu.Lock()
	open := !l.over && l.session != "" && l.lost == nil
	l.mu.Unlock()
	if open {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if response, err := l.do(ctx, request{method: http.MethodDelete, target: l.base}); err == nil {
			_ = response.Body.Close()
		}
	}
	l.end(nil)
	return nil
}

// end ends the link; err is the reason, nil for Close. Later calls have no
// effect.
func (l *Link) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.err = true, cmp.Or(err, l.lost)
	_ = l.feed.w.CloseWithError(err)
	close(l.done)
	if l.cancel != nil {
		l.cancel() // here and not in Run, so that failures caused by the end are not reported
	}
}

// learn stores the protocol version of the server's answer to initialize.
func (l *Link) learn(p *post, answer []byte) {
	if p.method != "initialize" {
		return
	}
	message, _ := jsonrpc.Parse(answer) // deliver has already parsed it
	version := jsonrpc.GetString(message.Result, "protocolVersion")
	if strings.ContainsFunc(version, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return // a version with these characters cannot be sent in a header
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
}
