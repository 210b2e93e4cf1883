// Package guard decides which HTTP requests the hub accepts, before they are routed. It checks the host name, the
// origin and the path of a request, asks for a token, and limits how many requests run at once and how long each may
// take. It also keeps the sessions of browsers. A browser exchanges a ticket for the token of its session, so that it
// does not need the hub's own token.
package guard

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
)

const (
	maxRequests        = 256 // concurrent requests, not counting WebSockets
	maxSessionRequests = 64  // concurrent requests with the token of one session
)

// Guard is the handler in front of all others. It refuses requests that name another host (DNS rebinding), that come
// from a page of another origin, or that lack a token where one is needed.
type Guard struct {
	hosts, origins []string
	token          string
	open           bool // no token is required
	public         func(*http.Request) bool
	endpoint       func(*http.Request) bool
	clients        *credentials.Keeper
	sessions       *Sessions
	timeouts       Timeouts
	slots          chan struct{}
	next           http.Handler
	stopping       atomic.Bool
}

// Options are the dependencies of a Guard.
type Options struct {
	Info     instance.Info // the address and token of the hub
	Timeouts Timeouts
	Sessions *Sessions
	Public   func(*http.Request) bool // reports whether a request needs no token
	// Endpoint reports whether a request is for the MCP endpoint, which reads bodies and limits concurrent requests
	// itself. A token of Clients gives access to these requests only. Endpoint may be nil.
	Endpoint func(*http.Request) bool
	Clients  *credentials.Keeper
	Next     http.Handler // handles the accepted requests
}

// New returns a guard that accepts requests to the loopback names with the port in o.Info.
func New(o Options) *Guard {
	g := &Guard{
		token: o.Info.Token, open: o.Info.AuthOff, public: o.Public, endpoint: o.Endpoint, clients: o.Clients, sessions: o.Sessions,
		timeouts: o.Timeouts.OrDefault(), slots: make(chan struct{}, maxRequests), next: o.Next,
	}
	if g.endpoint == nil {
		g.endpoint = func(*http.Request) bool { return false }
	}
	port := strconv.Itoa(o.Info.Port)
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		g.hosts = append(g.hosts, name+":"+port)
		if port == "80" { // clients leave out the default port
			g.hosts = append(g.hosts, name)
		}
	}
	for _, host := range g.hosts {
		g.origins = append(g.origins, "http://"+host)
	}
	g.origins = append(g.origins, "wails://wails", "http://wails.localhost")
	return g
}

// ServeHTTP implements http.Handler.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = g.limitDuration(w, r)
	origin := r.Header.Get("Origin")
	setHeaders(w.Header())
	switch {
	case !slices.Contains(g.hosts, strings.ToLower(r.Host)):
		g.refuseHost(w, r.Host)
		return
	case len(r.Header.Values("Origin")) > 1, origin != "" && !slices.Contains(g.origins, origin):
		route.WriteError(w, http.StatusForbidden, "Origin rejected (DNS rebinding protection)")
		return
	}
	if origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Content-Disposition, Mcp-Session-Id") // Content-Disposition names a download
	}
	if refusePath(w, r) {
		return
	}
	if r.Method == http.MethodOptions { // a preflight carries no token
		answerPreflight(w, r, g.endpoint(r))
		return
	}
	session, ok := g.authenticate(r)
	var client *credentials.Grant
	if !ok && g.endpoint(r) {
		client, ok = g.clients.Find(bearer(r))
	}
	if ok {
		if conn, known := r.Context().Value(connectionKey{}).(net.Conn); known {
			Admit(conn)
		}
	} else if WantsSocket(r) || !g.public(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		route.WriteError(w, http.StatusUnauthorized,
			"a token is needed: send the header that this command prints: agent-discover token --header")
		return
	}
	ctx := context.WithValue(r.Context(), sessionKey{}, session)
	program := words.REST
	if origin != "" { // browsers send Origin with every request by which a page changes something
		program = words.Dashboard
	}
	ctx = context.WithValue(ctx, clientKey{}, program)
	ctx = context.WithValue(ctx, grantKey{}, client)
	ctx = context.WithValue(ctx, personKey{}, session != nil || g.open && origin != "")
	if g.stopping.Load() && changes(r) && !g.endpoint(r) {
		route.WriteFault(w, errStopping)
		return
	}
	g.admit(w, r.WithContext(ctx), session)
}

// errStopping is the error of requests that Retire refuses.
var errStopping = &fault.Error{
	Kind: fault.Unavailable, Code: fault.CodeStopping, Message: "the hub is stopping and has done nothing; try again in a moment",
}

// Retire makes the guard refuse requests that may change something, because the hub is stopping. Requests that it has passed
// on go on, and requests that only read are answered as long as the hub can.
func (g *Guard) Retire() { g.stopping.Store(true) }

// stopPath is the path of the request that stops the hub, which may be repeated.
const stopPath = "/api/stop"

// changes reports whether a request may change something.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.URL.Path != stopPath
}

// answerPreflight answers a CORS preflight request, with which a browser asks which requests a page may send.
func answerPreflight(w http.ResponseWriter, r *http.Request, endpoint bool) {
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS")
	headers := "Authorization, Content-Type"
	if endpoint {
		headers += ", Last-Event-ID" + mcpHeaders(r.Header.Get("Access-Control-Request-Headers"))
	}
	w.Header().Set("Access-Control-Allow-Headers", headers)
	w.Header().Set("Access-Control-Max-Age", "600")
	// Browsers treat the page of the desktop window as a public site, so they ask for permission to send requests to
	// the loopback address.
	if r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		w.Header().Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}

// mcpHeaders returns those headers in a comma-separated list that begin with mcp-, each preceded by a comma. The hub
// cannot know their names in advance, because servers define such headers for the arguments of their tools.
func mcpHeaders(list string) string {
	out := ""
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); strings.HasPrefix(name, "mcp-") {
			out += ", " + name
		}
	}
	return out
}

// admit passes a request on once its body is read and the limits on concurrent requests allow it. Requests that open a
// socket or are for the MCP endpoint do not count, because they may stay open for hours.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request, session *Session) {
	if r.URL.Path == "/companion" || WantsSocket(r) || g.endpoint(r) {
		g.next.ServeHTTP(w, r)
		return
	}
	// Read the body before taking a slot, so that slow clients do not use up the slots.
	if !g.readBody(w, r) {
		return
	}
	if session != nil {
		if !take(session.slots) {
			route.WriteError(w, http.StatusTooManyRequests, "too many concurrent requests in this session; try again when one has ended")
			return
		}
		defer func() { <-session.slots }()
	}
	if !take(g.slots) {
		route.WriteError(w, http.StatusServiceUnavailable, "too many concurrent requests; try again in a moment")
		return
	}
	defer func() { <-g.slots }()
	g.next.ServeHTTP(w, r)
}

func take(slots chan<- struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
		return false
	}
}

// setHeaders sets the security headers of every response. HTML pages replace the Content-Security-Policy.
func setHeaders(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Origin")
}

func (g *Guard) refuseHost(w http.ResponseWriter, host string) {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host || u.Hostname() == "" {
		route.WriteError(w, http.StatusBadRequest, "the Host header is malformed")
		return
	}
	route.WriteError(w, http.StatusForbidden, "this host name is not served here; use http://"+g.hosts[0])
}

// refusePath answers a request whose path is malformed, and reports whether it did. The router would answer some of
// these paths with a redirect.
func refusePath(w http.ResponseWriter, r *http.Request) bool {
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		route.WriteText(w, http.StatusBadRequest, "Bad request")
		return true
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")[1:]
	for i, escaped := range segments {
		segment, err := url.PathUnescape(escaped)
		parts := strings.Split(segment, "/") // a segment may contain escaped slashes, but no "." or "..", which could leave a folder
		switch {
		case err != nil, len(parts) > 1 && slices.ContainsFunc(parts, func(s string) bool { return s == "." || s == ".." }):
			route.WriteText(w, http.StatusBadRequest, "Bad request")
			return true
		case segment == ".", segment == "..", segment == "" && i < len(segments)-1:
			route.NotFound(w, r)
			return true
		}
	}
	return false
}

type sessionKey struct{}

// SessionOf returns the session whose token or ticket authenticated a request, and nil for all other requests.
func SessionOf(ctx context.Context) *Session {
	session, _ := ctx.Value(sessionKey{}).(*Session)
	return session
}

type grantKey struct{}

// GrantOf returns the grant of the client whose token authenticated a request, nil for other requests.
func GrantOf(ctx context.Context) *credentials.Grant {
	grant, _ := ctx.Value(grantKey{}).(*credentials.Grant)
	return grant
}

type clientKey struct{}

// ClientOf returns the sender of a request as the log names it: words.Dashboard or words.REST.
func ClientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return cmp.Or(client, words.REST)
}

type personKey struct{}

// ByPerson reports whether a request comes from the dashboard, the tray, or the command line in a terminal, where a
// person decides. All three open a session. A program that sends the hub's own token has no session and cannot decide
// in place of a person. If the hub requires no token, the dashboard has no session either, so a request with an Origin
// header counts as one by a person.
func ByPerson(ctx context.Context) bool {
	person, _ := ctx.Value(personKey{}).(bool)
	return person
}

// RequirePerson returns nil if a request comes from a person; see ByPerson. Otherwise it returns a fault.Denied with a
// message that says who may do what, and how.
func RequirePerson(ctx context.Context, format string, args ...any) error {
	if ByPerson(ctx) {
		return nil
	}
	return &fault.Error{Kind: fault.Denied, Code: fault.CodePerson, Message: fmt.Sprintf(format, args...)}
}

// authenticate returns the session of a request, if any, and whether the request may use operations that need a token.
// A ticket authenticates only the opening of one WebSocket.
func (g *Guard) authenticate(r *http.Request) (*Session, bool) {
	token := bearer(r)
	switch {
	case token == "":
	case subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1:
		return nil, true
	default:
		if s, ok := g.sessions.visit(token); ok {
			return s, true
		}
	}
	if ticket := r.URL.Query().Get("ticket"); ticket != "" && WantsSocket(r) {
		if s, ok := g.sessions.Redeem(ticket, ForSocket); ok {
			return s, true
		}
	}
	return nil, g.open && !crossSite(r)
}

// bearer returns the bearer token of a request, empty if it has none.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// crossSite reports whether a request without an Origin header comes from a page of another site. Browsers send such
// requests for images and links. When no token is required, such requests could start servers.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return r.Header.Get("Origin") == "" && (site == "cross-site" || site == "same-site")
}

// WantsSocket reports whether a request asks for the WebSocket of events.
func WantsSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == "/ws") &&
		strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
