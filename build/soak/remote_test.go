//go:build linux

package soak

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// remote serves misbehaving servers over streamable HTTP.
type remote struct {
	*misbehaving

	mu       sync.Mutex
	sessions map[string]bool
}

// serveRemote prints its URL and serves until the process is ended.
func serveRemote(name, ran string) error {
	s, err := newMisbehaving(name, ran, nil)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: &remote{misbehaving: s, sessions: make(map[string]bool)}}
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
	s.mu.Lock()
	if m.Method == "initialize" {
		id := rand.Text()
		s.sessions[id] = true
		w.Header().Set("Mcp-Session-Id", id)
	} else if !s.sessions[r.Header.Get("Mcp-Session-Id")] {
		s.mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.mu.Unlock()
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.respond(w, m)
}

func (s *remote) respond(w http.ResponseWriter, m request) {
	if m.Method == "tools/call" {
		s.record(m.Params.Arguments.Value)
	}
	switch m.Params.Arguments.Act {
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
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n", m.Params.Meta.ProgressToken, i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", s.reply(m))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(s.reply(m)))
}
