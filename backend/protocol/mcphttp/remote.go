// Package remote answers how a server that is spoken to over HTTP reads and
// writes the lines that a child process would. A Link looks like a child's
// pipes: each line written becomes a POST, each message that comes back, as a
// body or as an event of a stream, becomes a line. It decodes nothing of what
// it carries, and it starts no session anew: one that is lost ends its link.
//
//	wire.Conn ⇄ lines ⇄ Link ⇄ POST, GET (event streams), DELETE ⇄ server
package mcphttp

import (
	"bytes"
	"context"
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

// Transport is how a server is spoken to.
type Transport int

// The transports that MCP has over HTTP.
const (
	Streamable Transport = iota // since 2025-03-26
	SSE                         // that of 2024-11-05: one stream of events, and posts
)

// TransportOf reads the name of a transport; false when it is none over HTTP.
func TransportOf(name string) (Transport, bool) {
	switch name {
	case "streamable-http", "streamable", "http":
		return Streamable, true
	case "sse":
		return SSE, true
	}
	return 0, false
}

// Options say which server is spoken to, and how. All are needed.
type Options struct {
	Transport Transport
	URL       string            // absolute, with its secrets; never in an error
	Shown     string            // the URL as errors show it, see Show
	Headers   map[string]string // sent with each request, to this origin only
	Agent     string            // name and version of this program
	Limit     int               // bytes of one message
	// Proxy tells through which proxy a URL is reached; nil for none.
	Proxy func(*url.URL) (*url.URL, error)
	Log   *slog.Logger
	// Failed is told of a request that was written and gets no answer. The
	// error is a fault.
	Failed func(id json.RawMessage, why error)
}

// ErrLost is what a link ends with, wrapped, when its server does not know the
// session any more. That is no failure of the server: it may end sessions.
var ErrLost = errors.New("session lost")

// ErrUntouched is what a request fails with, wrapped, that came to a session
// which was over before: nothing of it was run. It is an ErrLost too.
var ErrUntouched = fmt.Errorf("%w before the request", ErrLost)

// Link carries the lines of one session. Read and Write are for one goroutine
// each, as wire.Conn does it; the other methods are safe for concurrent use.
type Link struct {
	Options
	client *http.Client
	base   *url.URL
	feed   *feed           // what Read gives
	line   []byte          // what was written of one that is not whole yet
	life   context.Context // of everything under way
	finish context.CancelFunc
	work   sync.WaitGroup
	named  chan struct{} // closed when target is known
	ready  chan struct{} // closed when the server was told that we are initialized
	begin  sync.Once     // closes ready

	mu      sync.Mutex
	target  *url.URL // where messages are posted; set before named is closed
	session string   // Mcp-Session-Id
	version string   // MCP-Protocol-Version
	posts   map[string]*post
	over    bool
	err     error // why it is over
}

// New returns a link; Run makes it work. The error is a fault.Invalid that
// says what is wrong with the URL.
func New(o Options) (*Link, error) {
	base, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	l := &Link{
		Options: o, base: base, feed: newFeed(),
		named: make(chan struct{}), ready: make(chan struct{}), posts: make(map[string]*post),
	}
	l.client = newClient(l)
	l.life, l.finish = context.WithCancel(context.Background())
	if o.Transport == Streamable {
		l.target = base
		close(l.named)
	}
	return l, nil
}

// Run works until the link is over and nothing of it is left, and returns why
// it is: nil after Close.
func (l *Link) Run() error {
	if l.Transport == SSE {
		l.subscribe()
	}
	<-l.life.Done()
	l.work.Wait()
	l.client.CloseIdleConnections()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Read gives what the server sends, in lines.
func (l *Link) Read(p []byte) (int, error) { return l.feed.r.Read(p) }

// Write takes lines. It waits for nothing: who is to get an answer that never
// comes is told by Failed.
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
	post := newPost(l.life, line, message)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, errors.Join(io.ErrClosedPipe, l.err)
	}
	if post.id != nil {
		l.posts[string(post.id)] = post
	}
	l.work.Go(func() { l.send(post) })
	return len(p), nil
}

// closeTimeout is how long a server has to take note of a session's end.
const closeTimeout = 2 * time.Second

// Close ends the session and the link.
func (l *Link) Close() error {
	l.mu.Lock()
	told := l.over || l.session == ""
	l.mu.Unlock()
	if !told {
		ctx, cancel := context.WithTimeout(l.life, closeTimeout)
		defer cancel()
		if response, err := l.do(ctx, request{method: http.MethodDelete, target: l.base}); err == nil {
			_ = response.Body.Close()
		}
	}
	l.end(nil)
	return nil
}

// end is the end of everything that is under way; err says why, nil when it
// was wished for.
func (l *Link) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.err = true, err
	_ = l.feed.w.CloseWithError(err)
	l.finish()
}

// learn takes note of the version that the server's answer to initialize names.
func (l *Link) learn(p *post, answer []byte) {
	if p.method != "initialize" {
		return
	}
	message, _ := jsonrpc.Parse(answer) // it has been parsed before
	version := jsonrpc.GetString(message.Result, "protocolVersion")
	if strings.ContainsFunc(version, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return // it fits in no header
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
}
