package instance

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// serveAs serves requests as the hub that it returns.
func serveAs(t *testing.T, handle http.HandlerFunc) Info {
	t.Helper()
	var hub Info
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hello" {
			handle(w, r)
			return
		}
		hello := Hello{Nonce: NewSecret()}
		hello.Proof = Proof(hub.Token, "hub", hub.Address(), r.URL.Query().Get("nonce"), hello.Nonce)
		_ = json.NewEncoder(w).Encode(hello)
	}))
	t.Cleanup(server.Close)
	hub = Info{Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port, Token: NewSecret()}
	return hub
}

func TestARequestThatAStoppingHubRefusesGoesToTheNextHub(t *testing.T) {
	var refused, carriedOut atomic.Int32
	first := serveAs(t, func(w http.ResponseWriter, _ *http.Request) {
		refused.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"error":"the hub is stopping","code":"hub_stopping"}`))
	})
	second := serveAs(t, func(w http.ResponseWriter, _ *http.Request) { carriedOut.Add(1); _, _ = w.Write([]byte("{}")) })
	hubs := []Info{first, first, first, first, second}
	c := NewFollowingClient(first, func(context.Context) (Info, error) {
		next := hubs[0]
		hubs = hubs[1:]
		return next, nil
	})
	if err := c.Do(t.Context(), http.MethodPost, "/x", nil, nil); err != nil || refused.Load() != 5 || carriedOut.Load() != 1 {
		t.Errorf("refused %d times, carried out %d times, %v", refused.Load(), carriedOut.Load(), err)
	}
	err := NewClient(first).Do(t.Context(), http.MethodPost, "/x", nil, nil)
	if fault.CodeOf(err) != fault.CodeStopping {
		t.Errorf("a client that follows no hub got %v", err)
	}
}

func TestOnlyRequestsThatReadAreSentAgainWhenTheConnectionEnds(t *testing.T) {
	for method, want := range map[string]int{http.MethodGet: 2, http.MethodPost: 1} {
		var requests atomic.Int32
		hub := serveAs(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) == 1 {
				panic(http.ErrAbortHandler) // closes the connection
			}
			_, _ = w.Write([]byte("{}"))
		})
		c := NewFollowingClient(hub, func(context.Context) (Info, error) { return hub, nil })
		if err := c.Do(t.Context(), method, "/x", nil, nil); (err == nil) != (want == 2) || int(requests.Load()) != want {
			t.Errorf("%s: %d requests, %v", method, requests.Load(), err)
		}
	}
}

func TestARequestIsNotSentAgainAfterItsDeadline(t *testing.T) {
	hub := serveAs(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := NewFollowingClient(hub, func(context.Context) (Info, error) { t.Error("looked for the next hub"); return hub, nil })
	if err := c.Do(ctx, http.MethodGet, "/x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
