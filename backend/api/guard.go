package api

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/instance"
)

const (
	maxBody     = 131072 // bytes
	maxRequests = 256    // at once, without companions' sockets
)

// guard is the one place that decides who may come in. It lets nobody through
// who names another host (DNS rebinding), nobody from a foreign page (origin),
// and nobody without the token except where none is needed to learn anything.
func guard(info instance.Info, next http.Handler) http.Handler {
	port := strconv.Itoa(info.Port)
	hosts := []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port), net.JoinHostPort("::1", port)}
	origins := []string{"wails://wails", "http://wails.localhost"}
	for _, host := range hosts {
		origins = append(origins, "http://"+host)
	}
	slots := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) {
			writeError(w, http.StatusForbidden, "this host name is not served here; use http://"+hosts[0])
			return
		}
		origin := r.Header.Get("Origin")
		if origin != "" {
			if !slices.Contains(origins, origin) {
				writeError(w, http.StatusForbidden, "requests from this origin are not allowed")
				return
			}
			header.Set("Access-Control-Allow-Origin", origin)
			header.Set("Vary", "Origin")
			header.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
		}
		if origin != "" && r.Method == http.MethodOptions { // a preflight, which carries no token
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if !open(r) && !authorized(r, info.Token) {
			header.Set("WWW-Authenticate", "Bearer")
			writeError(w, http.StatusUnauthorized, "a token is needed: Authorization: Bearer $(agent-discover token)")
			return
		}
		if r.URL.Path == "/companion" {
			next.ServeHTTP(w, r) // lives as long as an editor's session
			return
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			writeError(w, http.StatusServiceUnavailable, "too many requests at once; try again")
			return
		}
		if r.ContentLength > maxBody {
			writeError(w, http.StatusRequestEntityTooLarge, "the body is over "+strconv.Itoa(maxBody)+" bytes")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// open reports whether a request needs no token: it learns nothing by it, or
// proves itself in another way.
func open(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/health" || r.URL.Path == "/hello" || r.URL.Path == "/companion")
}

func authorized(r *http.Request, token string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}
