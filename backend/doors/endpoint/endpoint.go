// Package endpoint serves MCP clients over HTTP. /mcp is the streamable HTTP transport, both for MCP 2026-07-28 (the
// modern era) and for the versions before it (the legacy era). /sse is the older transport HTTP+SSE, with one stream
// for each session.
//
//	POST /mcp    sends messages to a gateway session: the one of the credential    (modern)
//	             or the one that Mcp-Session-Id names                              (legacy)
//	GET /mcp     receives messages that belong to no request, or missed events     (legacy)
//	DELETE /mcp  ends a session                                                    (legacy)
//
// The package writes a result as the gateway returns it, byte for byte. Its caller must authenticate the requests and
// check their Host and Origin headers.
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

// The URL path patterns of the transports. ServerPath serves the same transport as Path, limited to the tools of one
// server.
const (
	Path       = "/mcp"
	ServerPath = "/mcp/{server}"
	SSEPath    = "/sse"
)

// ToolsetHeader is the request header that limits a client to one toolset. It cannot give access to tools that the
// credential does not give access to.
const ToolsetHeader = "Agent-Discover-Toolset"

const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id"
)

const (
	// idleLife is how long a session lives after its last request or stream has ended.
	idleLife = 30 * time.Minute
	// maxSessions is the maximum number of legacy sessions. When a client begins a session beyond this number, the
	// session that has been idle for longest ends.
	maxSessions = 4096
	// maxStreams limits the open requests and streams of all sessions together.
	maxStreams = 2048
)

// Session serves the messages of one client. *gateway.Session implements it.
type Session interface {
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	Notification(method string, params json.RawMessage)
	// InputSchema returns the input schema of the tool that is listed under a name, or nil if there is none.
	InputSchema(tool string) json.RawMessage
	Close(ctx context.Context)
}

// Principal describes the credential of a request and the access that it gives.
type Principal struct {
	ID       string          // the same for all requests with the credential; not secret
	Name     string          // name that a person gave the credential; may be empty
	Server   string          // the only server that the credential gives access to; empty for all
	Surface  string          // the tools that the client sees; see package surfaces
	Anything bool            // the credential gives access to every path
	Client   string          // id of the editor in the table of editors; empty if unknown
	Ended    <-chan struct{} // closed when the credential is revoked; may be nil
}

// Options are the dependencies of an Endpoint.
type Options struct {
	Open      func(context.Context, gateway.Opening) Session
	Principal func(*http.Request) Principal
	Knows     func(server string) bool // reports whether a server is configured
	// Usable returns an error that says why a toolset cannot be used, or nil if it can be used.
	Usable func(toolset string) error
	Log    *slog.Logger
}

// Endpoint is the HTTP handler of Path, ServerPath and SSEPath. It is safe for concurrent use.
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
	watched  map[string]bool // ids of principals for which awaitEnd runs
	closed   bool
	closing  chan struct{} // closed by Close
	left     chan struct{} // closed and replaced when a session ends
	sessions sync.WaitGroup
}

// scope is the key of a modern session: requests with the same scope share a gateway session.
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

// Serves reports whether the path of a request belongs to an Endpoint.
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
	toolset   string // the toolset that ToolsetHeader names; empty for none
}

// allowed sets c.server and reports whether the credential gives access to the path. server is the name of the server
// in the path, or empty. If the credential gives no access, or the server does not exist, allowed answers the request
// with an error.
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

// limited sets c.toolset to toolset, the value of ToolsetHeader. If the credential does not allow the toolset, or the
// toolset cannot be used, limited answers the request with an error and returns false.
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
		refuse(c.w, fault.KindOf(err).Status(), nil, invalid(fault.MessageOf(err)))
		return false
	}
	c.toolset = toolset
	return true
}

// version returns the value of the header MCP-Protocol-Version.
func (c *conversation) version() string { return c.r.Header.Get(mcpheader.Version) }

// enter takes a slot for a request or a stream. If all slots are taken, it answers the request and returns false.
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

// Close ends all streams and sessions, waits until they have ended, and refuses new ones. Open subscriptions of modern
// clients end with a result.
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

// AwaitNone waits until no client has a session, or until ctx ends. waited is false if no client had a session when
// AwaitNone was called.
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

// all returns the legacy and modern sessions for which match returns true.
func (e *Endpoint) all(match func(*session) bool) []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := slices.AppendSeq(slices.Collect(maps.Values(e.legacy)), maps.Values(e.modern))
	return slices.DeleteFunc(all, func(s *session) bool { return !match(s) })
}
