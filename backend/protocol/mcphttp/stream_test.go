package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestABrokenStreamIsResumed(t *testing.T) {
	var mu sync.Mutex // requests are handled concurrently
	var id string
	var after []string
	s := serve(t, func(e *exchange) bool {
		mu.Lock()
		defer mu.Unlock()
		last := e.r.Header.Get("Last-Event-ID")
		switch {
		case e.Method == "m":
			id = string(e.ID)
			e.events()
			e.event("id: a\nretry: 1\ndata: \n\n") // an event without data still sets the id
			e.event("id: b\ndata: {\"method\":\"first\"}\n\nid: c\ndata: {\"metho")
			e.hangUp()
		case last == "":
			return false
		case len(after) < 2:
			after = append(after, last)
			e.status(503, "")
		case len(after) == 2:
			after = append(after, last)
			e.events()
			e.event("id: c\ndata: {\"method\":\"second\"}\n\n") // then the stream ends without the answer
		default:
			after = append(after, last)
			e.events()
			e.event("data: {\"id\":%s,\"result\":%s}\n\n", id, odd)
		}
		return true
	})
	c := dial(t, s.URL)
	if got, err := c.call("m", `{}`); got != odd || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if got := c.note() + c.note(); got != "firstsecond" || len(c.notes) > 0 {
		t.Errorf("got %s and %d more", got, len(c.notes))
	}
	mu.Lock()
	defer mu.Unlock()
	if got := fmt.Sprint(after); got != "[b b b c]" {
		t.Errorf("resumed after the ids %s", got)
	}
}

func TestACallFailsWhenItsStreamCannotBeResumed(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		if e.Method == "m" {
			e.events()
			e.event("id: a\nretry: 1\ndata:\n\n")
			e.hangUp()
		}
		return false // no stream with GET: 405
	})
	dial(t, s.URL).fails("m",
		"whether the call took effect is unknown. When asked to resume its answer, the server answered 405 Method Not Allowed")
}

func TestACallFailsWithErrLostWhenItsSessionIsLostOnResume(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		switch {
		case e.Method == "m":
			e.events()
			e.event("id: a\nretry: 1\ndata:\n\n")
			e.hangUp()
		case e.r.Header.Get("Last-Event-ID") == "a":
			e.status(404, "")
		default:
			return false
		}
		return true
	})
	c := dial(t, s.URL)
	if err := c.fails("m", "whether the call took effect is unknown"); !errors.Is(err, ErrLost) || errors.Is(err, ErrUntouched) {
		t.Errorf("got %v", err)
	}
	<-c.lost
}

func TestAStreamInAnswerToANotificationDelaysNothing(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		if e.Method == "notifications/initialized" {
			e.events()
			e.wait()
		}
		return e.Method == "notifications/initialized"
	})
	if _, err := dial(t, s.URL).call("m", `{}`); err != nil {
		t.Error(err)
	}
}

func TestACallFailsWhenItsStreamStaysUnavailable(t *testing.T) {
	t.Parallel()
	s := serve(t, func(e *exchange) bool {
		switch {
		case e.Method == "m":
			e.events()
			e.event("id: a\nretry: 1\ndata:\n\n")
			e.hangUp()
		case e.r.Header.Get("Last-Event-ID") == "a":
			e.status(503, "")
		default:
			return false
		}
		return true
	})
	dial(t, s.URL).fails("m", "ended before the answer came; whether the call took effect is unknown")
}

func TestMessagesOfTheServersOwnStreamArrive(t *testing.T) {
	var gets atomic.Int32 // requests are handled concurrently
	s := serve(t, func(e *exchange) bool {
		if e.r.Method != http.MethodGet {
			return false
		}
		switch gets.Add(1) {
		case 1:
			e.events()
			e.event("id: 1\nretry: 1\ndata: {\"method\":\"one\"}\n\n")
		case 2:
			e.hangUp()
		case 3:
			e.status(409, "the last stream is still open")
		case 4:
			e.events()
			e.event("data: {\"method\":\"after %s\"}\n\n", e.r.Header.Get("Last-Event-ID"))
			e.wait()
		}
		return true
	})
	c := dial(t, s.URL)
	if got := c.note() + " " + c.note(); got != "one after 1" {
		t.Errorf("got %s", got)
	}
}

func TestAServerWithoutItsOwnStreamIsUsable(t *testing.T) {
	for _, code := range []int{400, 403, 404, 405, 501} {
		asked := make(chan struct{}, 10)
		s := serve(t, func(e *exchange) bool {
			if e.r.Method == http.MethodGet {
				asked <- struct{}{}
				e.status(code, "no session")
			}
			return e.r.Method == http.MethodGet
		})
		c := dial(t, s.URL)
		<-asked
		if _, err := c.call("m", `{}`); err != nil {
			t.Errorf("%d: %v", code, err)
		}
	}
}

func TestASessionRefusedOnReconnectIsLost(t *testing.T) {
	var gets atomic.Int32 // requests are handled concurrently
	s := serve(t, func(e *exchange) bool {
		if e.r.Method != http.MethodGet {
			return false
		}
		if gets.Add(1) == 1 {
			e.events()
			e.event("retry: 1\ndata: {\"method\":\"one\"}\n\n")
		} else {
			e.status(400, "No valid session ID")
		}
		return true
	})
	c := dial(t, s.URL)
	<-c.lost
	_ = c.link.Close()
	if err := <-c.ended; !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

func TestALinkEndsWhenItsServerStaysUnreachable(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	s := serve(t, func(e *exchange) bool {
		if e.r.Method != http.MethodGet {
			return false
		}
		e.events()
		e.event("retry: 1\ndata: {\"method\":\"one\"}\n\n")
		<-gone
		e.hangUp()
		return true
	})
	c := dial(t, s.URL)
	c.note()
	go s.Close() // returns after the stream has ended, below
	for {
		if _, err := http.Get(s.URL); err != nil {
			break
		}
	}
	close(gone)
	if err := <-c.ended; fault.KindOf(err) != fault.Unavailable || errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

// oldServer starts a server of the transport SSE and returns the URL of its
// stream. handle answers the requests that are posted, and its result is written
// to the stream; an empty result ends the stream.
func oldServer(t *testing.T, endpoint string, handle func(*exchange) string) string {
	t.Helper()
	stream := make(chan string, 10)
	return serve(t, func(e *exchange) bool {
		switch {
		case e.r.Method == http.MethodGet:
			e.events()
			e.event("event: endpoint\r\ndata: %s\r\n\r\n", endpoint)
			for {
				select {
				case text := <-stream:
					if e.event("%s", text); text == "" {
						return true
					}
				case <-e.r.Context().Done():
					return true
				}
			}
		case e.Method == "initialize":
			stream <- fmt.Sprintf("event: message\ndata: {\"id\":%s,\"result\":{}}\n\n", e.ID)
			e.status(202, "Accepted")
		case e.ID != nil:
			if e.r.URL.String() != "/base/messages?session=1" {
				t.Errorf("the client posted to %s", e.r.URL)
			}
			text := handle(e)
			stream <- text
		default:
			e.status(202, "Accepted")
		}
		return true
	}).URL + "/base/sse?key=query-secret"
}

func TestTheSSETransportWorks(t *testing.T) {
	for _, endpoint := range []string{"/base/messages?session=1", "messages?session=1", " messages?session=1 "} {
		url := oldServer(t, endpoint, func(e *exchange) string {
			return fmt.Sprintf("data: {\"method\":\"n\"}\n\ndata: {\"id\":%s,\"result\":%s}\n\n", e.ID, odd)
		})
		c := dial(t, url, overSSE)
		if got, err := c.call("m", `{}`); got != odd || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
		if got := c.note(); got != "n" {
			t.Errorf("got %s", got)
		}
	}
}

func TestALinkOverSSEEndsWithItsStream(t *testing.T) {
	c := dial(t, oldServer(t, "messages?session=1", func(*exchange) string { return "" }), overSSE)
	if err := c.fails("m", "closed its event stream"); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
	c = dial(t, oldServer(t, "messages?session=1", func(e *exchange) string { e.status(404, "Session not found"); return "" }), overSSE)
	if _, err := c.call("m", `{}`); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

func TestAnUnusableSSEServerIsExplained(t *testing.T) {
	for endpoint, says := range map[string]string{
		"http://evil.example/messages?session=1": "names an endpoint at another origin, http://evil.example:80, to which credentials " +
			"are not sent",
		"//evil.example/x":    "at another origin",
		"https://127.0.0.1/x": "at another origin",
		"http://[::1/":        "not a valid URL",
	} {
		c := connect(t, oldServer(t, endpoint, func(*exchange) string { return "" }), overSSE)
		if err := c.fails("initialize", says); strings.Contains(err.Error(), "query-secret") {
			t.Errorf("got %v", err)
		}
	}
	for says, handle := range map[string]func(*exchange){
		"401 Unauthorized; it requires credentials":                               func(e *exchange) { e.status(401, "") },
		"is the URL right? A newer server may want the transport streamable-http": func(e *exchange) { e.status(405, "") },
		"answered with text/html, which is not an event stream": func(e *exchange) {
			e.w.Header().Set("Content-Type", "text/html")
		},
		"closed its event stream":                 func(e *exchange) { e.events() },
		"its event stream broke off":              func(e *exchange) { e.events(); e.hangUp() },
		"closed the connection without an answer": func(e *exchange) { e.hangUp() },
		"redirects to another origin, http://evil.example:80, to which": func(e *exchange) {
			e.w.Header().Set("Location", "http://evil.example")
			e.status(302, "")
		},
	} {
		s := serve(t, func(e *exchange) bool { handle(e); return true })
		connect(t, s.URL, overSSE).fails("initialize", says)
	}
}

func TestCloseEndsSessionCallsAndGoroutines(t *testing.T) {
	deleted := make(chan struct{}, 1)
	s := serve(t, func(e *exchange) bool {
		switch {
		case e.r.Method == http.MethodDelete:
			deleted <- struct{}{}
		case e.r.Method == http.MethodGet, e.Method == "slow":
			e.events()
			e.event("data: {\"method\":\"here\"}\n\n")
			e.wait()
		default:
			return false
		}
		return true
	})
	c := dial(t, s.URL)
	slow := make(chan error, 1)
	go func() { _, err := c.Call(context.Background(), jsonrpc.Call{Method: "slow"}); slow <- err }()
	c.note()
	c.note()
	_ = c.link.Close()
	<-deleted
	if err := <-c.ended; err != nil {
		t.Errorf("got %v", err)
	}
	for _, stack := range running(fmt.Sprintf("mcphttp.(*Link).listen(%p", c.link)) {
		t.Errorf("still running: %s", stack)
	}
	if err := <-slow; !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := c.link.Write([]byte("{\"method\":\"late\"}\n")); err == nil {
		t.Error("Write succeeded after Close")
	}
}
