package api

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
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
	arrived, passed := make(chan struct{}), make(chan struct{})
	d := open(t, Times{Body: 20 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-passed
		if err := r.Context().Err(); err != nil {
			t.Errorf("the call was cut off: %v", err)
		}
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != "{}" {
			t.Errorf("the body is %q, %v", body, err)
		}
	})
	status := make(chan int)
	go func() { status <- d.post("the-token", "{}") }()
	<-arrived
	for range 3 { // others that come later and are late show that the time has passed
		if got := d.late(); !strings.HasPrefix(got, "HTTP/1.1 408") {
			t.Errorf("the late one got %s", got)
		}
	}
	close(passed)
	if got := <-status; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}

// late sends a request whose body does not come and returns the whole answer.
func (d *door) late() string {
	d.t.Helper()
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/x HTTP/1.1\r\nHost: "+d.address+"\r\nAuthorization: Bearer the-token\r\nContent-Length: 9\r\n\r\n"); err != nil {
		d.t.Fatal(err)
	}
	answer, _ := io.ReadAll(conn)
	return string(answer)
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
	token, begun := d.passes.begin()
	expires := d.passes.expiry(begun)
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
