//go:build linux

package soak

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// remote serves a misbehaving server over streamable HTTP.
type remote struct {
	*misbehaving

	mu       sync.Mutex
	sessions map[string]time.Time // start times by session id
	ends     []func()             // end the listen requests
}

// life is the lifetime of a session of an expiring server.
const life = time.Second

// serveRemote prints its URL and serves until standard input is closed.
func serveRemote(k kind, name, ran string) error {
	s, err := newMisbehaving(k, name, ran, nil)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: &remote{misbehaving: s, sessions: make(map[string]time.Time)}}
	go func() { // the test holds the other end of standard input
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	return server.Serve(listener)
}

// ServeHTTP implements http.Handler.
func (s *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m request
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case s.kind == modern:
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", s.begin())
	case !s.lives(r.Header.Get("Mcp-Session-Id")):
		w.WriteHeader(http.StatusNotFound)
		return
	}
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "subscriptions/listen" && s.kind == modern:
		s.stream(w, r, m)
	default:
		s.respond(w, m)
	}
}

// begin begins a session and returns its id.
func (s *remote) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.sessions[id] = time.Now()
	return id
}

// lives reports whether a session has not ended.
func (s *remote) lives(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	began, ok := s.sessions[id]
	if s.kind == expiring && time.Since(began) > life {
		delete(s.sessions, id)
		return false
	}
	return ok
}

func (s *remote) respond(w http.ResponseWriter, m request) {
	if asked := s.question(m); asked != "" {
		s.json(w, asked)
		return
	}
	if m.Method == "tools/call" {
		s.record(m.Params.Arguments.Value)
	}
	switch m.Params.Arguments.Act {
	case "slow":
		time.Sleep(50 * time.Millisecond)
	case "grow", "shrink":
		s.change(m.Params.Arguments.Act)
	case "deaf":
		s.endListens()
	case "expire":
		s.mu.Lock()
		clear(s.sessions)
		s.mu.Unlock()
	case "cut":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, ": open\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "status":
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	case "events":
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 5 {
			_, _ = fmt.Fprintf(w,
				"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n",
				m.Params.Meta.ProgressToken, i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", s.reply(m))
		return
	}
	s.json(w, s.reply(m))
}

func (*remote) json(w http.ResponseWriter, line string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, line) // the hub may have left
}
