package api

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	maxRequests = 256 // at once, without sockets
	maxPerVisit = 64  // at once with one session's token
)

// guard is the one place that decides who may come in, before anything is
// routed. It lets nobody through who names another host (DNS rebinding), nobody
// from a foreign page (origin), and nobody without the token except where none
// is needed to learn anything.
type guard struct {
	hosts, origins []string
	token          string
	open           bool // no token is asked for
	public         func(*http.Request) bool
	passes         *passes
	times          Times
	slots          chan struct{}
	next           http.Handler
}

func newGuard(info instance.Info, times Times) *guard {
	g := &guard{token: info.Token, open: info.AuthOff, times: times, slots: make(chan struct{}, maxRequests)}
	port := strconv.Itoa(info.Port)
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		g.hosts = append(g.hosts, name+":"+port)
		if port == "80" { // which nobody writes
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
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = g.limitWaiting(w, r)
	origin := r.Header.Get("Origin")
	setHeaders(w.Header())
	switch {
	case !slices.Contains(g.hosts, strings.ToLower(r.Host)):
		g.refuseHost(w, r.Host)
		return
	case len(r.Header.Values("Origin")) > 1, origin != "" && !slices.Contains(g.origins, origin):
		writeError(w, http.StatusForbidden, "Origin rejected (DNS rebinding protection)")
		return
	}
	if origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Content-Disposition") // the name of a download
	}
	if refuseAddress(w, r) {
		return
	}
	if r.Method == http.MethodOptions { // a preflight carries no token
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
		w.Header().Set("Access-Control-Max-Age", "600")
		if origin != "" && r.Header.Get("Access-Control-Request-Private-Network") == "true" { // the window's page is from nowhere
			w.Header().Set("Access-Control-Allow-Private-Network", "true")
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	who, ok := g.identify(r)
	if !ok && (wantsSocket(r) || !g.public(r)) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeError(w, http.StatusUnauthorized, "a token is needed: Authorization: Bearer $(agent-discover token)")
		return
	}
	g.admit(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)), who)
}

// admit passes a request on when its body is here and there is a place for it.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, who caller) {
	if lasting(r) { // as long as an editor's session, or a page
		g.next.ServeHTTP(w, r)
		return
	}
	// Before a place is taken: who sends slowly keeps nobody out.
	if !g.receive(w, r) {
		return
	}
	if who.session != nil && !take(who.session.slots) {
		writeError(w, http.StatusTooManyRequests, "too many requests of this session at once; try again")
		return
	}
	defer who.release()
	if !take(g.slots) {
		writeError(w, http.StatusServiceUnavailable, "too many requests at once; try again")
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

// setHeaders sets what every answer says. A page says more than that itself.
func setHeaders(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Origin")
}

func (g *guard) refuseHost(w http.ResponseWriter, host string) {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host || u.Hostname() == "" {
		writeError(w, http.StatusBadRequest, "the Host header is malformed")
		return
	}
	writeError(w, http.StatusForbidden, "this host name is not served here; use http://"+g.hosts[0])
}

// refuseAddress answers a request for a path that cannot be one of ours. The
// router would redirect some of them.
func refuseAddress(w http.ResponseWriter, r *http.Request) bool {
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		writeText(w, http.StatusBadRequest, "Bad request")
		return true
	}
	inner := strings.Split(r.URL.EscapedPath(), "/")[1:]
	for i, escaped := range inner {
		segment, err := url.PathUnescape(escaped)
		hidden := strings.Split(segment, "/") // a name may hold a slash, but lead nowhere
		switch {
		case err != nil, len(hidden) > 1 && slices.ContainsFunc(hidden, func(s string) bool { return s == "." || s == ".." }):
			writeText(w, http.StatusBadRequest, "Bad request")
			return true
		case segment == ".", segment == "..", segment == "" && i < len(inner)-1:
			notFound(w, r)
			return true
		}
	}
	return false
}

// notFound answers for everything that is not here: to who reads with text,
// to who writes with JSON.
func notFound(w http.ResponseWriter, r *http.Request) {
	if reads(r) {
		writeText(w, http.StatusNotFound, "Not found")
		return
	}
	writeError(w, http.StatusNotFound, "Not found")
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may be gone
}

// lasting reports whether a request becomes a socket.
func lasting(r *http.Request) bool { return r.URL.Path == "/companion" || wantsSocket(r) }

// caller is who sent a request that the guard let in. Without a session it is
// somebody with the hub's own token, or with none where none is needed.
type caller struct{ session *session }

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

func (c caller) release() {
	if c.session != nil {
		<-c.session.slots
	}
}

// identify says who sends a request; false when it brings nothing that lets it
// in. A ticket counts for a socket only, and is used up by it.
func (g *guard) identify(r *http.Request) (caller, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
	case subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1:
		return caller{}, true
	default:
		if s, ok := g.passes.visit(token); ok {
			return caller{s}, true
		}
	}
	if ticket := r.URL.Query().Get("ticket"); ticket != "" && wantsSocket(r) {
		if s, ok := g.passes.redeem(ticket, forSocket); ok {
			return caller{s}, true
		}
	}
	return caller{}, g.open && !fromElsewhere(r)
}

// fromElsewhere reports whether a foreign page made the browser send a request
// that names no origin, as it does for an image or a link. Where no token is
// asked for, some would start servers and programs.
func fromElsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return r.Header.Get("Origin") == "" && (site == "cross-site" || site == "same-site")
}

// wantsSocket reports whether a request asks for a WebSocket at a place where
// there is one.
func wantsSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == "/ws") &&
		strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
