package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEventsAreKeptUpToALimit(t *testing.T) {
	for name, c := range map[string]struct{ events, size, kept int }{
		"many": {300, 10, 256}, "large": {20, 1 << 20, 3},
	} {
		d := open(t)
		session := d.initialize("2025-11-25")
		get := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""}))
		for i := range c.events {
			_ = d.opened[0].Peer.Notify(context.Background(), "notifications/tools/list_changed",
				json.RawMessage(fmt.Sprintf(`{"n":%d,"pad":%q}`, i, strings.Repeat("x", c.size))))
			get.await(fmt.Sprintf(`{"n":%d,`, i))
		}
		ask := func(after int) *http.Response {
			return d.send(t.Context(), request{http.MethodGet, "", []string{session, fmt.Sprintf("Last-Event-ID: 0_%d", after)}, ""})
		}
		if resp := ask(c.events - c.kept - 1); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: one event more than are kept: %d", name, resp.StatusCode)
		}
		again := newFeed(t, ask(c.events-c.kept))
		for i := c.events - c.kept; i < c.events; i++ {
			if e, _ := again.next(); !strings.Contains(e.data, fmt.Sprintf(`{"n":%d,`, i)) {
				t.Fatalf("%s: event %d is %.100s", name, i, e.data)
			}
		}
	}
}

func TestProgressIsDroppedForAClientThatDoesNotRead(t *testing.T) {
	d := open(t)
	resp := make(chan *http.Response, 1)
	go func() {
		resp <- d.send(t.Context(), request{http.MethodPost, "", modernHeaders("tools/call", "wait"), modernCall("1", "wait", "{}")})
	}()
	c := d.next()
	const sent = 40 // few enough to be written within the deadline on a busy machine
	for range sent {
		_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{"pad":"`+strings.Repeat("x", 1<<20)+`"}`))
	}
	c.finish <- `{"the":"result"}`
	got := newFeed(t, <-resp).rest()
	if n := strings.Count(got, "notifications/progress"); !strings.Contains(got, `{"the":"result"}`) || n == 0 || n == sent {
		t.Errorf("%d notifications, and in the end %s", n, got[max(0, len(got)-100):])
	}
}

func TestRequestsOfOneSessionHaveALimit(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	done := make(chan string, 200)
	var calls []*call
	for i := range 128 {
		go func() {
			_, body := d.post(legacyCall(fmt.Sprint(i), "wait", "{}"), session)
			done <- body
		}()
		calls = append(calls, d.next())
	}
	if _, body := d.post(legacyCall("200", "echo", "{}"), session); !strings.Contains(body,
		`"id":200,"error":{"code":-31001,"message":"128 requests`) {
		t.Errorf("one more: %s", body)
	}
	if _, body := d.post(legacyCall("1", "echo", "{}"), d.initialize("2025-11-25")); !strings.Contains(body, `"result"`) {
		t.Errorf("another session: %s", body)
	}
	for _, c := range calls {
		c.finish <- "{}"
	}
	for range calls {
		<-done
	}
}

func TestStreamsHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEndpoint()
		defer e.Close()
		ctx, leave := context.WithCancel(t.Context())
		var ends []<-chan struct{}
		for range 2048 {
			_, done := serve(ctx, e, "GET", "/mcp", "", begun(t, e))
			ends = append(ends, done)
		}
		synctest.Wait()
		r, done := serve(t.Context(), e, "POST", "/mcp", modernCall("1", "echo", "{}"), modernHeaders("tools/call", "echo")...)
		if <-done; r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
			t.Errorf("a request more: %d %v", r.status, r.header)
		}
		leave()
		for _, end := range ends {
			<-end
		}
		r, done = serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "echo", "{}"), begun(t, e))
		if <-done; r.status != http.StatusOK {
			t.Errorf("afterwards: %d", r.status)
		}
	})
}

func TestTheLongestIdleSessionMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEndpoint()
		defer e.Close()
		streaming := begun(t, e)
		serve(t.Context(), e, "GET", "/mcp", "", streaming)
		synctest.Wait()
		oldest := begun(t, e)
		time.Sleep(time.Second)
		next := begun(t, e)
		for range 4096 - 2 {
			begun(t, e)
		}
		synctest.Wait()
		for session, want := range map[string]int{streaming: http.StatusOK, oldest: http.StatusNotFound, next: http.StatusOK} {
			r, done := serve(t.Context(), e, "POST", "/mcp", legacyCall("1", "echo", "{}"), session)
			if <-done; r.status != want {
				t.Errorf("status %d, want %d", r.status, want)
			}
		}
	})
}
