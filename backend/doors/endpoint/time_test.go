package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
)

// recorder is an http.ResponseWriter that a test may read while the endpoint writes.
type recorder struct {
	mu     sync.Mutex
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.Write(p)
}

// Flush implements http.Flusher.
func (r *recorder) Flush() {}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.String()
}

// serve passes a request to the endpoint without a network, because waiting for a network would stop the virtual
// clock. done is closed when the response is complete.
func serve(ctx context.Context, e *endpoint.Endpoint, method, path, body string, headers ...string) (r *recorder, done <-chan struct{}) {
	r = &recorder{header: http.Header{}, status: http.StatusOK}
	req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	for _, h := range append([]string{asJSON}, headers...) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.ServeHTTP(r, req)
	}()
	return r, ended
}

func begun(t *testing.T, e *endpoint.Endpoint) string {
	t.Helper()
	r, done := serve(t.Context(), e, "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	<-done
	return "Mcp-Session-Id: " + r.header.Get("Mcp-Session-Id")
}

func TestAResponseBecomesAStreamAfterASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := newEndpoint()
		defer e.Close()
		quick, done := serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "wait", "{}"), begun(t, e))
		c := <-s.running
		time.Sleep(5*time.Second - 1)
		c.finish <- "{}"
		if <-done; quick.header.Get("Content-Type") != "application/json" {
			t.Errorf("after 5 s: %v", quick.header)
		}
		slow, done := serve(t.Context(), e, "POST", "/mcp", modernCall("1", "wait", "{}"), modernHeaders("tools/call", "wait")...)
		c = <-s.running
		time.Sleep(5*time.Second + 1)
		synctest.Wait()
		if slow.header.Get("Content-Type") != "text/event-stream" || slow.String() != "" {
			t.Errorf("later: %v %s", slow.header, slow)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if slow.String() != ":\n\n" {
			t.Errorf("after 15 s more: %q", slow)
		}
		_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{}`))
		time.Sleep(15*time.Second - 1)
		synctest.Wait()
		if strings.Count(slow.String(), ":\n\n") != 1 {
			t.Errorf("a comment too many: %q", slow)
		}
		c.finish <- "{}"
		if <-done; !strings.HasSuffix(slow.String(), `"result":{}}`+"\n\n") {
			t.Errorf("in the end: %q", slow)
		}
	})
}

func TestSessionsEndHalfAnHourAfterTheirLastStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := newEndpoint()
		defer e.Close()
		session := begun(t, e)
		ctx, leave := context.WithCancel(t.Context())
		_, done := serve(ctx, e, "GET", "/mcp", "", session)
		time.Sleep(3 * time.Hour)
		leave()
		<-done
		time.Sleep(30*time.Minute - 1)
		if r, done := serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "echo", "{}"), session); true {
			if <-done; r.status != http.StatusOK {
				t.Fatalf("after half an hour: %d", r.status)
			}
		}
		_, done = serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "wait", "{}"), session)
		c := <-s.running
		time.Sleep(time.Hour)
		c.finish <- "{}"
		<-done
		time.Sleep(30*time.Minute + 1)
		synctest.Wait()
		if r, done := serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "echo", "{}"), session); true {
			if <-done; r.status != http.StatusNotFound {
				t.Errorf("later: %d", r.status)
			}
		}
		if len(s.closed) != 1 {
			t.Errorf("%d sessions were closed", len(s.closed))
		}
		// A modern session ends too, and the next request begins a new session with the same id.
		for range 2 {
			r, done := serve(t.Context(), e, "POST", "/mcp", modernCall("1", "echo", "{}"), modernHeaders("tools/call", "echo")...)
			if <-done; r.status != http.StatusOK {
				t.Errorf("a modern request: %d", r.status)
			}
			time.Sleep(30*time.Minute + 1)
			synctest.Wait()
		}
		if len(s.opened) != 3 || s.opened[1].ID != s.opened[2].ID || len(s.closed) != 3 {
			t.Errorf("opened %+v, closed %d", s.opened, len(s.closed))
		}
		if e.AwaitNone(t.Context()) {
			t.Error("a session is left")
		}
	})
}

func TestOldStreamsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEndpoint()
		defer e.Close()
		session := begun(t, e)
		r, done := serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "progress", "{}"), session)
		if <-done; !strings.Contains(r.String(), "id: 2_3\n") {
			t.Fatal(r)
		}
		ask := func(id string) int {
			t.Helper()
			r, done := serve(t.Context(), e, "GET", "/mcp", "", session, "Last-Event-ID: "+id)
			<-done
			return r.status
		}
		time.Sleep(5*time.Minute - 1)
		if status := ask("2_3"); status != http.StatusOK {
			t.Errorf("within 5 minutes: %d", status)
		}
		time.Sleep(2 * time.Nanosecond)
		if status := ask("2_3"); status != http.StatusBadRequest {
			t.Errorf("later: %d", status)
		}
	})
}
