package probe_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/probe"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/store"
)

// open returns a prober with an empty store, which may probe any address.
func open(t *testing.T, change func(*probe.Options)) *probe.Prober {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	o := probe.Options{Store: s.Probes, Allow: func(netip.Addr) bool { return true }, Timeout: 5 * time.Second}
	if change != nil {
		change(&o)
	}
	return probe.New(o)
}

// serve starts a server and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func remotes(urls ...string) []listing.Listing {
	var out []listing.Listing
	for _, u := range urls {
		out = append(out, listing.Listing{Remotes: []listing.Remote{{Type: "streamable-http", URL: u}}})
	}
	return out
}

// answer probes one address and returns the answer with its detail.
func answer(t *testing.T, p *probe.Prober, kind, address string) string {
	t.Helper()
	l := remotes(address)
	l[0].Remotes[0].Type = kind
	if err := p.Probe(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := l[0].Remotes[0].Probe
	if got == nil {
		return "none"
	}
	if got.At.IsZero() {
		t.Error("the answer has no time")
	}
	return strings.TrimSpace(got.Answer + " " + got.Detail)
}

// text returns a handler that answers every request with a status, a content type and a body.
func text(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

const initialized = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`

func TestAnswersOfAddresses(t *testing.T) {
	modern := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if jsonrpc.GetString(body, "method") != "server/discover" || r.Header.Get("MCP-Protocol-Version") != "2026-07-28" ||
			r.Header.Get("Mcp-Method") != "server/discover" {
			text(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)(w, r)
			return
		}
		text(200, "application/json",
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`)(w, r)
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		kind    string
		want    string
	}{
		"JSON": {text(200, "application/json", initialized), "streamable-http", "ok"},
		"an event stream": {
			text(200, "text/event-stream",
				": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\ndata: "+initialized+
					"\r\n\r\n"), "streamable-http", "ok",
		},
		"a modern server": {modern, "streamable-http", "ok"},
		"401":             {text(401, "application/json", `{"error":"invalid_token"}`), "streamable-http", "sign_in"},
		"403":             {text(403, "text/html", "no"), "streamable-http", "failed it answers with status 403 Forbidden"},
		"403 with a challenge": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			text(403, "text/plain", "")(w, r)
		}, "streamable-http", "sign_in"},
		"404":        {text(404, "text/html", "<html>"), "streamable-http", "failed it answers with status 404 Not Found"},
		"500":        {text(500, "text/plain", "oops"), "streamable-http", "failed it answers with status 500 Internal Server Error"},
		"a web page": {text(200, "text/html", "<html>"), "streamable-http", "failed it does not answer like an MCP server"},
		"other JSON": {
			text(200, "application/json", `{"hello":"world"}`), "streamable-http", "failed it does not answer like an MCP server",
		},
		"an error": {
			text(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\u202e seats\"}}"),
			"streamable-http", "failed it answers: no seats",
		},
		"too much": {
			text(200, "text/event-stream", strings.Repeat("data: x\n", 1<<17)),
			"streamable-http", "failed it does not answer like an MCP server",
		},
		"SSE":              {text(200, "text/event-stream", "event: endpoint\ndata: /messages\n\n"), "sse", "ok"},
		"SSE that is none": {text(200, "application/json", "{}"), "sse", "failed it answers with something else than an event stream"},
		"SSE with 401":     {text(401, "text/plain", ""), "sse", "sign_in"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := answer(t, open(t, nil), test.kind, serve(t, test.handler)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheFirstRequestHasNoCredentialsAndItsSessionEnds(t *testing.T) {
	var requests []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			if r.Header.Get(name) != "" {
				t.Errorf("the request has the header %s", name)
			}
		}
		requests = append(requests, r.Method+" "+jsonrpc.GetString(body, "method")+r.Header.Get("Mcp-Session-Id"))
		if r.Method == http.MethodPost {
			if v := jsonrpc.GetString(jsonrpc.Get(body, "params"), "protocolVersion"); v != "2025-11-25" {
				t.Errorf("version %q", v)
			}
			w.Header().Set("Mcp-Session-Id", "s1")
		}
		text(200, "application/json", initialized)(w, r)
	})
	if got := answer(t, open(t, nil), "streamable-http", address); got != "ok" {
		t.Fatal(got)
	}
	if got := strings.Join(requests, ", "); got != "POST initialize, DELETE s1" {
		t.Errorf("got %s", got)
	}
}

func TestOnlyPublicAddressesAreTried(t *testing.T) {
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was tried") })
	public := open(t, func(o *probe.Options) { o.Allow = nil })
	port := address[strings.LastIndex(address, ":"):]
	for _, target := range []string{
		address, "http://localhost" + port, "http://[::1]" + port, "http://0.0.0.0" + port, "http://169.254.169.254/latest",
	} {
		if got := answer(t, public, "streamable-http", target); got != "failed it is not a public address" {
			t.Errorf("%s: %s", target, got)
		}
	}
	// A proxy may have a local address, but the address behind the proxy may not.
	proxy, _ := url.Parse(serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	proxied := open(t, func(o *probe.Options) {
		o.Allow, o.Proxy = nil, func(*url.URL) (*url.URL, error) { return proxy, nil }
	})
	if got := answer(t, proxied, "streamable-http", "http://10.0.0.1/mcp"); got != "failed it is not a public address" {
		t.Errorf("through a proxy: %s", got)
	}
	requests := 0
	proxy, _ = url.Parse(serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "http://10.0.0.1/mcp", http.StatusTemporaryRedirect)
	}))
	if got := answer(t, proxied, "streamable-http", "http://mcp.example.com/mcp"); got != "failed it is not a public address" ||
		requests != 1 {
		t.Errorf("a redirect: %s after %d requests", got, requests)
	}
}

func TestAProxyMayHaveAPrivateAddress(t *testing.T) {
	proxy, _ := url.Parse(serve(t, text(200, "application/json", initialized)))
	p := open(t, func(o *probe.Options) {
		o.Allow, o.Proxy = nil, func(*url.URL) (*url.URL, error) { return proxy, nil }
	})
	if got := answer(t, p, "streamable-http", "http://mcp.example.com/mcp"); got != "ok" {
		t.Errorf("got %s", got)
	}
}

func TestRedirects(t *testing.T) {
	good := serve(t, text(200, "application/json", initialized))
	to := func(status int, target string) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, good, http.StatusTemporaryRedirect)
	}))
	defer secure.Close()
	pool := x509.NewCertPool()
	pool.AddCert(secure.Certificate())
	p := open(t, func(o *probe.Options) { o.CAs = pool })
	for address, want := range map[string]string{
		to(307, good):              "ok",
		to(302, good):              "failed it answers with status 302 Found",
		to(307, secure.URL):        "failed it answers with status 307 Temporary Redirect", // to an address without encryption
		to(307, "ftp://x.example"): "failed it answers with status 307 Temporary Redirect",
	} {
		if got := answer(t, p, "streamable-http", address); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := answer(t, open(t, nil), "streamable-http", secure.URL); got != "failed its certificate is not trusted" {
		t.Errorf("got %q", got)
	}
}

func TestAnswersAreRememberedForSomeTime(t *testing.T) {
	var status atomic.Int32
	status.Store(200)
	var requests atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		text(int(status.Load()), "application/json", initialized)(w, r)
	})
	now := time.Now()
	p := open(t, func(o *probe.Options) { o.Now = func() time.Time { return now } })
	for _, step := range []struct {
		after    time.Duration
		status   int
		want     string
		requests int32
	}{
		{0, 200, "ok", 1},
		{23 * time.Hour, 404, "ok", 0}, // the answer is still fresh
		{2 * time.Hour, 500, "failed it answers with status 500 Internal Server Error", 1},
		{30 * time.Minute, 200, "failed it answers with status 500 Internal Server Error", 0},
		{time.Hour, 200, "ok", 1},
	} {
		now = now.Add(step.after)
		status.Store(int32(step.status))
		requests.Store(0)
		if got := answer(t, p, "streamable-http", address); got != step.want || requests.Load() != step.requests {
			t.Errorf("%+v: got %q after %d requests", step, got, requests.Load())
		}
	}
	requests.Store(0)
	known := remotes(address, "https://{tenant}.example.com/mcp", "https://other.example.com/mcp")
	if err := p.Known(t.Context(), known); err != nil || known[0].Remotes[0].Probe == nil || known[1].Remotes[0].Probe != nil ||
		known[2].Remotes[0].Probe != nil {
		t.Errorf("got %+v, %v", known, err)
	}
	if requests.Load() != 0 {
		t.Error("Known has sent a request")
	}
}

func TestFewAddressesAreTriedAtOnceAndNotAllOfMany(t *testing.T) {
	var running, total atomic.Int32
	tooMany := make(chan struct{}) // closed when more than four requests run at once
	var once sync.Once
	handler := func(w http.ResponseWriter, r *http.Request) {
		if running.Add(1) > 4 {
			once.Do(func() { close(tooMany) })
		}
		if total.Add(1) <= 4 {
			select { // give further requests time to arrive
			case <-tooMany:
			case <-time.After(100 * time.Millisecond):
			}
		}
		text(200, "application/json", initialized)(w, r)
		running.Add(-1)
	}
	base := serve(t, handler)
	var urls []string
	for i := range 80 {
		urls = append(urls, fmt.Sprintf("%s/%d", base, i), fmt.Sprintf("%s/%d", base, i))
	}
	p := open(t, nil)
	listings := remotes(urls...)
	if err := p.Probe(t.Context(), listings); err != nil {
		t.Fatal(err)
	}
	select {
	case <-tooMany:
		t.Error("more than four at once")
	default:
	}
	if total.Load() != probe.MaxAddresses {
		t.Errorf("%d in all", total.Load())
	}
	for i, l := range listings {
		if answered := l.Remotes[0].Probe != nil; answered != (i < 2*probe.MaxAddresses) {
			t.Errorf("listing %d: answered is %t", i, answered)
		}
	}
}

func TestASlowAddressAndOneThatDoesNotExist(t *testing.T) {
	release := make(chan struct{})
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	defer close(release)
	p := open(t, func(o *probe.Options) { o.Timeout = 50 * time.Millisecond })
	if got := answer(t, p, "streamable-http", slow); got != "failed it does not answer" {
		t.Errorf("got %q", got)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	if got := answer(t, p, "streamable-http", closed.URL); !strings.Contains(got, "refused") || strings.Contains(got, "http://") {
		t.Errorf("got %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	given := serve(t, func(http.ResponseWriter, *http.Request) { cancel() })
	patient := open(t, nil)
	l := remotes(given)
	if err := patient.Probe(ctx, l); err != nil || l[0].Remotes[0].Probe != nil {
		t.Errorf("an attempt that was given up has the answer %+v, %v", l[0].Remotes[0].Probe, err)
	}
	if err := patient.Known(t.Context(), l); err != nil || l[0].Remotes[0].Probe != nil {
		t.Errorf("an attempt that was given up is remembered as %+v, %v", l[0].Remotes[0].Probe, err)
	}
	l = remotes(closed.URL + "/other")
	if err := p.Probe(ctx, l); err == nil && l[0].Remotes[0].Probe != nil {
		t.Errorf("an attempt that was given up has the answer %+v", l[0].Remotes[0].Probe)
	}
}
