package api

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/instance"
)

// door is a guard before a handler of a test's own.
type door struct {
	*guard
	t       *testing.T
	address string
	now     time.Time
}

func open(t *testing.T, times Times, next http.HandlerFunc) *door {
	t.Helper()
	d := &door{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	server := httptest.NewUnstartedServer(nil)
	d.address = server.Listener.Addr().String()
	info := instance.Info{Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port, Token: "the-token"}
	d.guard = newGuard(info, times.orDefault())
	d.passes = newPasses(func() time.Time { return d.now })
	d.public = func(*http.Request) bool { return false }
	d.next = next
	server.Config.Handler = d.guard
	server.Start()
	t.Cleanup(server.Close)
	return d
}

// post sends a request and returns its status.
func (d *door) post(token, body string) int {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, "http://"+d.address+"/api/x", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestALongCallOutlivesTheTimeForABody(t *testing.T) {
	passed := make(chan struct{})
	d := open(t, Times{Body: 20 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			t.Error("the call was cut off")
		case <-passed:
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "{}" {
			t.Errorf("the body is %q, %v", body, err)
		}
	})
	status := make(chan int)
	go func() { status <- d.post("the-token", "{}") }()
	// Another request that is late shows that the time has passed.
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/x HTTP/1.1\r\nHost: "+d.address+"\r\nAuthorization: Bearer the-token\r\nContent-Length: 9\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
		t.Fatalf("the late one got %s, %v", answer, err)
	}
	close(passed)
	if got := <-status; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}

func TestRequestsAtOnceAreCounted(t *testing.T) {
	release := make(chan struct{})
	arrived := make(chan struct{}, 2*maxRequests)
	d := open(t, Times{}, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release })
	page, _ := d.passes.begin()
	other, _ := d.passes.begin()
	done := make(chan int, 2*maxRequests)
	send := func(token string, n int) {
		for range n {
			go func() { done <- d.post(token, "{}") }()
		}
		for range n {
			<-arrived
		}
	}
	send(page, maxPerVisit)
	if got := d.post(page, "{}"); got != http.StatusTooManyRequests {
		t.Errorf("one more of that session gets %d", got)
	}
	send(other, 1)
	send("the-token", maxRequests-maxPerVisit-1)
	if got := d.post("the-token", "{}"); got != http.StatusServiceUnavailable {
		t.Errorf("one more in all gets %d", got)
	}
	close(release)
	for range maxRequests {
		if got := <-done; got != http.StatusOK {
			t.Errorf("one that came in got %d", got)
		}
	}
	if got := d.post(page, "{}"); got != http.StatusOK {
		t.Errorf("when they are done the session gets %d", got)
	}
}

func TestASessionLivesAsLongAsItIsUsed(t *testing.T) {
	d := open(t, Times{}, func(http.ResponseWriter, *http.Request) {})
	token, expires := d.passes.begin()
	if want := d.now.Add(12 * time.Hour); !expires.Equal(want) {
		t.Errorf("it expires at %s, want %s", expires, want)
	}
	for range 3 {
		d.now = d.now.Add(sessionLife)
		if got := d.post(token, "{}"); got != http.StatusOK {
			t.Fatalf("used in time it gets %d", got)
		}
	}
	d.now = d.now.Add(sessionLife + time.Second)
	if got := d.post(token, "{}"); got != http.StatusUnauthorized {
		t.Errorf("unused for too long it gets %d", got)
	}
}
