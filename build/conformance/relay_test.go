package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestTheRelayKeepsHostAndOrigin(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s host=%s origin=%s %s", r.URL.Path, r.Host, r.Header.Get("Origin"), r.Header.Get("Authorization"))
	}))
	defer target.Close()
	to, err := url.Parse(target.URL + "/mcp/name")
	if err != nil {
		t.Fatal(err)
	}
	relay := httptest.NewServer(newRelay(to, "Bearer secret"))
	defer relay.Close()
	own := strings.TrimPrefix(relay.URL, "http://")
	port := own[strings.LastIndex(own, ":"):]
	for _, row := range []struct{ host, origin, wantHost, wantOrigin string }{
		{own, "", to.Host, ""},
		{own, "http://" + own, to.Host, "http://" + to.Host},
		{"localhost" + port, "http://localhost" + port, "localhost:" + to.Port(), "http://localhost:" + to.Port()},
		{"[::1]" + port, "null", "[::1]:" + to.Port(), "null"},
		{"evil.example.com", "http://evil.example.com", "evil.example.com", "http://evil.example.com"},
		{"evil.example.com" + port, "https://evil.example.com", "evil.example.com:" + to.Port(), "https://evil.example.com"},
		{own, "http://localhost:1", to.Host, "http://localhost:1"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, relay.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = row.host
		if row.origin != "" {
			req.Header.Set("Origin", row.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("/mcp/name host=%s origin=%s Bearer secret", row.wantHost, row.wantOrigin); string(body) != want {
			t.Errorf("Host %s, Origin %s: the target saw %s, want %s", row.host, row.origin, body, want)
		}
	}
}
