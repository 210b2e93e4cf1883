package oidctest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Resource is an MCP server at /mcp that requires tokens of a provider. Requests below /mcp/write and calls of the
// tool write require the scope write.
type Resource struct {
	*httptest.Server
	// Next handles requests with a valid token, whose account is in the header X-Account. If
	// Next is nil, the answer to such a request is the account.
	Next http.Handler

	mu       sync.Mutex
	provider *Provider
	sent     []string
}

// NewResource starts a resource.
func NewResource(t testing.TB, p *Provider) *Resource {
	s := &Resource{provider: p}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve)) // set s.Server before the start, because serve reads it
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// Trust makes the resource accept the tokens of another provider instead.
func (s *Resource) Trust(p *Provider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.provider = p
}

// Tokens returns the token of each request so far, or "" for a request without one.
func (s *Resource) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sent...)
}

func (s *Resource) serve(w http.ResponseWriter, r *http.Request) {
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	address := s.URL + "/mcp"
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	p := s.provider
	s.sent = append(s.sent, token)
	s.mu.Unlock()
	switch {
	case r.URL.Path == metadata:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"resource": address, "authorization_servers": []string{p.Issuer}, "scopes_supported": []string{"read"},
		})
		return
	case !strings.HasPrefix(r.URL.Path, "/mcp"):
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body) // Next refuses a body that cannot be read
	r.Body = io.NopCloser(bytes.NewReader(body))
	var is Token
	if token != "" {
		is = p.Token(token)
	}
	switch {
	case !is.Active || is.Aud != address:
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+metadata+`"`)
		w.WriteHeader(http.StatusUnauthorized)
	case (strings.HasPrefix(r.URL.Path, "/mcp/write") || bytes.Contains(body, []byte(`"name":"write"`))) && !strings.Contains(is.Scope,
		"write"):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
		w.WriteHeader(http.StatusForbidden)
	case s.Next != nil:
		r.Header.Set("X-Account", is.Account)
		s.Next.ServeHTTP(w, r)
	default:
		_, _ = io.WriteString(w, is.Account)
	}
}
