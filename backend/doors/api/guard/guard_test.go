package guard

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
)

// guarded is a test server on a free port whose handler is behind a guard.
type guarded struct {
	t        *testing.T
	guard    *Guard
	sessions *Sessions
	address  string
	now      time.Time
}

func serve(t *testing.T, timeouts Timeouts, next http.HandlerFunc) *guarded {
	t.Helper()
	g := &guarded{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	g.sessions = OpenSessions(SessionOptions{Now: func() time.Time { return g.now }})
	server := httptest.NewUnstartedServer(nil)
	g.address = server.Listener.Addr().String()
	g.guard = New(Options{
		Info:     instance.Info{Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port, Token: "the-token"},
		Timeouts: timeouts, Sessions: g.sessions, Public: func(*http.Request) bool { return false }, Next: next,
	})
	server.Config.Handler = g.guard
	server.Start()
	t.Cleanup(server.Close)
	return g
}

// post sends a request and returns its status.
func (g *guarded) post(token, body string) int {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, "http://"+g.address+"/api/x", strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestTheTimeoutForBodiesDoesNotEndALongCall(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	g := serve(t, Timeouts{Body: 20 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		if err := r.Context().Err(); err != nil {
			t.Errorf("the context of the call ended: %v", err)
		}
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != "{}" {
			t.Errorf("body = %q, %v", body, err)
		}
	})
	status := make(chan int)
	go func() { status <- g.post("the-token", "{}") }()
	<-arrived
	for range 3 { // when these later requests have timed out, the timeout of the first has passed too
		if got := g.postWithoutBody(); !strings.HasPrefix(got, "HTTP/1.1 408") {
			t.Errorf("a request without the announced body got %s", got)
		}
	}
	close(release)
	if got := <-status; got != http.StatusOK {
		t.Errorf("status = %d, want 200", got)
	}
}

// postWithoutBody sends a request that announces a body and does not send it, and returns the whole response.
func (g *guarded) postWithoutBody() string {
	g.t.Helper()
	conn, err := net.Dial("tcp", g.address)
	if err != nil {
		g.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn,
		"POST /api/x HTTP/1.1\r\nHost: "+g.address+"\r\nAuthorization: Bearer the-token\r\nContent-Length: 9\r\n\r\n"); err != nil {
		g.t.Fatal(err)
	}
	response, _ := io.ReadAll(conn)
	return string(response)
}

func TestConcurrentRequestsAreLimited(t *testing.T) {
	release := make(chan struct{})
	arrived := make(chan struct{}, 2*maxRequests)
	g := serve(t, Timeouts{}, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release })
	first, _ := g.sessions.Begin(Keys{})
	second, _ := g.sessions.Begin(Keys{})
	statuses := make(chan int, 2*maxRequests)
	send := func(token string, n int) {
		for range n {
			go func() { statuses <- g.post(token, "{}") }()
		}
		for range n {
			<-arrived
		}
	}
	send(first, maxSessionRequests)
	if got := g.post(first, "{}"); got != http.StatusTooManyRequests {
		t.Errorf("a request over the limit of its session: status = %d, want 429", got)
	}
	send(second, 1)
	send("the-token", maxRequests-maxSessionRequests-1)
	if got := g.post("the-token", "{}"); got != http.StatusServiceUnavailable {
		t.Errorf("a request over the limit of all: status = %d, want 503", got)
	}
	close(release)
	for range maxRequests {
		if got := <-statuses; got != http.StatusOK {
			t.Errorf("a request within the limits: status = %d, want 200", got)
		}
	}
	if got := g.post(first, "{}"); got != http.StatusOK {
		t.Errorf("a request after the others ended: status = %d, want 200", got)
	}
}

func TestASessionLivesWhileItIsUsed(t *testing.T) {
	g := serve(t, Timeouts{}, func(http.ResponseWriter, *http.Request) {})
	token, session := g.sessions.Begin(Keys{})
	if got, want := g.sessions.Expiry(session), g.now.Add(12*time.Hour); !got.Equal(want) {
		t.Errorf("expiry = %s, want %s", got, want)
	}
	for range 3 {
		g.now = g.now.Add(sessionLife)
		if got := g.post(token, "{}"); got != http.StatusOK {
			t.Fatalf("a session used in time: status = %d, want 200", got)
		}
	}
	g.now = g.now.Add(sessionLife + time.Second)
	if got := g.post(token, "{}"); got != http.StatusUnauthorized {
		t.Errorf("a session unused for too long: status = %d, want 401", got)
	}
}

func TestCallsOfPagesAreToldFromThoseOfOtherPrograms(t *testing.T) {
	for origin, want := range map[string]string{
		"": words.REST, "http://127.0.0.1:3424": words.Dashboard, "wails://wails": words.Dashboard,
	} {
		got := ""
		g := New(Options{
			Info: instance.Info{Port: 3424, Token: "the-token"}, Sessions: OpenSessions(SessionOptions{Log: slog.New(slog.DiscardHandler)}),
			Public: func(*http.Request) bool { return false },
			Next:   http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = ClientOf(r.Context()) }),
		})
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3424/api/servers/1/call", nil)
		r.Header.Set("Authorization", "Bearer the-token")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		g.ServeHTTP(httptest.NewRecorder(), r)
		if got != want {
			t.Errorf("origin %q: got %q, want %q", origin, got, want)
		}
	}
}

func TestAStoppingHubRefusesRequestsThatChangeSomething(t *testing.T) {
	g := serve(t, Timeouts{}, func(http.ResponseWriter, *http.Request) {})
	for _, row := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/api/servers", 200},
		{"POST", "/api/servers", 503},
		{"DELETE", "/api/servers/1", 503},
		{"PUT", "/api/servers/1", 503},
		{"POST", "/api/stop", 200},
	} {
		for stopping := range 2 {
			if g.guard.stopping.Store(false); stopping == 1 {
				g.guard.Retire()
			}
			r, err := http.NewRequest(row.method, "http://"+g.address+row.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer the-token")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			want := 200
			if stopping == 1 {
				want = row.want
			}
			if resp.StatusCode != want || want == 503 && !strings.Contains(string(body), `"code":"hub_stopping"`) {
				t.Errorf("%s %s, stopping %d: %d %s", row.method, row.path, stopping, resp.StatusCode, body)
			}
		}
	}
}
