// Package endpoint serves MCP clients over HTTP. /mcp is the streamable transport in both
// eras of MCP on one URL, and /sse the older transport with one stream for each session.
//
//	POST /mcp    endpoint → one gateway session for each credential    (modern)
//	             endpoint → the gateway session of Mcp-Session-Id      (legacy)
//	GET /mcp     messages of the hub outside of requests, and replay   (legacy)
//	DELETE /mcp  the end of a session                                  (legacy)
//
// Messages pass as bytes: a result is written as the gateway returns it. The package
// expects that requests were authenticated, and that their Host and Origin were checked.
package endpoint

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
)

// Paths of the transports.
const (
	Path       = "/mcp"
	ServerPath = "/mcp/{server}"
	SSEPath    = "/sse"
)

// ToolsetHeader names the toolset that a client wants to be limited to. It cannot show more
// than the credential does.
const ToolsetHeader = "Agent-Discover-Toolset"

const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id"
)

const (
	// idleLife is how long a session outlives its last request or stream.
	idleLife = 30 * time.Minute
	// maxSessions is how many sessions are kept. A further one ends the session that
	// has been idle for longest.
	maxSessions = 4096
	// maxStreams is how many requests and streams may be open in all sessions.
	maxStreams = 2048
)

// Session serves the messages of one client. A gateway.Session is one.
type Session interface {
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	Notification(method string, params json.RawMessage)
	// InputSchema returns the argument schema of a tool under a name as it is listed,
	// nil if it is not listed.
	InputSchema(tool string) json.RawMessage
	Close(ctx context.Context)
}

// Principal is whose credential a request has shown.
type Principal struct {
	ID       string          // the same for all requests with the credential; no secret
	Name     string          // of the credential, as a person has called it; may be empty
	Server   string          // if not empty, the only server that the credential opens
	Surface  string          // what the credential shows; see package surfaces
	Anything bool            // the credential opens every path
	Client   string          // id in the table of editors, empty if unknown
	Ended    <-chan struct{} // closed when the credential is revoked; may be nil
}

// Options are the dependencies of an Endpoint.
type Options struct {
	Open      func(context.Context, gateway.Opening) Session
	Principal func(*http.Request) Principal
	Knows     func(server string) bool // reports whether a server is configured
	// Usable returns why a toolset cannot be used, or nil.
	Usable func(toolset string) error
	Log    *slog.Logger
}

// Endpoint is the HTTP handler of the paths above. It is safe for concurrent use.
type Endpoint struct {
	open      func(context.Context, gateway.Opening) Session
	principal func(*http.Request) Principal
	knows     func(server string) bool
	usable    func(toolset string) error
	log       *slog.Logger
	slots     chan struct{} // one element for each open stream or request
	unread    *jsonrpc.Budget

	mu       sync.Mutex
	legacy   map[string]*session // by Mcp-Session-Id
	modern   map[scope]*session
	watched  map[string]bool // ids of principals whose end is awaited
	closed   bool
	closing  chan struct{} // closed by Close
	left     chan struct{} // closed and replaced when a session ends
	sessions sync.WaitGroup
}

// scope is what requests of the modern era share a gateway session by.
type scope struct{ principal, server, toolset string }

// New returns an endpoint.
func New(o Options) *Endpoint {
	return &Endpoint{
		open: o.Open, principal: o.Principal, knows: o.Knows, usable: o.Usable, log: o.Log, slots: make(chan struct{}, maxStreams),
		unread: jsonrpc.NewBudget(maxUnread), legacy: make(map[string]*session), modern: make(map[scope]*session),
		watched: make(map[string]bool), closing: make(chan struct{}), left: make(chan struct{}),
	}
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-e.closing:
		unavailable(w, "the hub is stopping")
		return
	default:
	}
	c := &conversation{endpoint: e, w: w, r: r, principal: e.principal(r)}
	if !c.allowed(r.PathValue("server")) || !c.limited(r.Header.Get(ToolsetHeader)) {
		return
	}
	if r.URL.Path == SSEPath {
		c.serveSSE()
		return
	}
	switch r.Method {
	case http.MethodPost:
		c.post()
	case http.MethodGet:
		c.get()
	case http.MethodDelete:
		c.delete()
	default:
		notAllowed(w)
	}
}

// Serves reports whether a request is for one of the paths.
func Serves(r *http.Request) bool {
	server, ok := strings.CutPrefix(r.URL.Path, Path+"/")
	return r.URL.Path == Path || r.URL.Path == SSEPath || ok && server != "" && !strings.Contains(server, "/")
}

// conversation is an HTTP request and its response.
type conversation struct {
	endpoint  *Endpoint
	w         http.ResponseWriter
	r         *http.Request
	principal Principal
	server    string // the only server of the session; empty for all
	toolset   string // that the client asks to be limited to; empty for none
}

// allowed reports whether the credential opens the path, and sets the server. Otherwise
// it answers the request.
func (c *conversation) allowed(server string) bool {
	c.server = c.principal.Server
	if c.principal.Anything {
		c.server = server
	}
	switch {
	case server != "" && server != c.server:
	case c.server != "" && !c.endpoint.knows(c.server):
		refuse(c.w, http.StatusNotFound, nil, invalid("unknown server: it was removed, or never added to Agent Discover"))
		return false
	default:
		return true
	}
	refuse(c.w, http.StatusForbidden, nil,
		invalid("this token does not open the server; create one with: agent-discover token create NAME --surface server:NAME"))
	return false
}

// limited notes the toolset that the client wants to be limited to. If the credential does
// not allow it, or there is no such toolset, it answers the request and returns false.
func (c *conversation) limited(toolset string) bool {
	if toolset == "" {
		return true
	}
	bound := surfaces.Toolset(c.principal.Surface)
	switch {
	case c.server != "" || bound != "" && bound != toolset:
		refuse(c.w, http.StatusForbidden, nil, invalid("this token does not open the toolset"))
		return false
	case c.endpoint.usable == nil:
		refuse(c.w, http.StatusNotFound, nil, invalid("there are no toolsets here"))
		return false
	}
	if err := c.endpoint.usable(toolset); err != nil {
		refuse(c.w, http.StatusNotFound, nil, invalid(fault.MessageOf(err)))
		return false
	}
	c.toolset = toolset
	return true
}

// version returns the value of the header MCP-Protocol-Version.
func (c *conversation) version() string { return c.r.Header.Get(mcpheader.Version) }

// enter takes a slot for a request or a stream. If none is free, it answers the request
// and returns false.
func (c *conversation) enter() bool {
	select {
	case c.endpoint.slots <- struct{}{}:
		return true
	default:
		c.w.Header().Set("Retry-After", "1")
		unavailable(c.w, "too many open requests and streams; try again in a moment")
		return false
	}
}

func (c *conversation) leave() { <-c.endpoint.slots }

// Close ends all streams and sessions, waits for them, and refuses new ones. Open
// subscriptions of modern clients end with a result.
func (e *Endpoint) Close() {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.closing)
	}
	e.mu.Unlock()
	for _, s := range e.all(func(*session) bool { return true }) {
		s.end(gateway.ErrStopping)
	}
	e.sessions.Wait()
}

// AwaitNone returns when no client has a session or ctx ends. waited is false when
// there was no session at the time of the call.
func (e *Endpoint) AwaitNone(ctx context.Context) (waited bool) {
	for {
		e.mu.Lock()
		left, some := e.left, len(e.legacy)+len(e.modern) > 0
		e.mu.Unlock()
		if !some {
			return waited
		}
		waited = true
		select {
		case <-left:
		case <-ctx.Done():
			return waited
		}
	}
}

// all returns the sessions that match accepts.
func (e *Endpoint) all(match func(*session) bool) []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := slices.AppendSeq(slices.Collect(maps.Values(e.legacy)), maps.Values(e.modern))
	return slices.DeleteFunc(all, func(s *session) bool { return !match(s) })
}
