package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// levels are the severities of log messages, from the most verbose.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel serves logging/setLevel.
func (s *Session) setLevel(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	own, err := s.surface.introduce(ctx, nil)
	switch {
	case err != nil:
		return nil, rpcError(err)
	case jsonrpc.Get(own.Capabilities, "logging") == nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: logging/setLevel")
	}
	level := jsonrpc.GetString(params, "level")
	if !slices.Contains(levels, level) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown log level %q", level)
	}
	s.mu.Lock()
	s.level = level
	used := make([]string, 0, len(s.used))
	for server := range s.used {
		used = append(used, server)
	}
	s.mu.Unlock()
	for _, server := range used {
		s.gateway.shareLevel(ctx, server, s.id)
	}
	return json.RawMessage("{}"), nil
}

// uses notes that the session calls a server, and tells the server the session's
// log level.
func (s *Session) uses(server string) {
	s.mu.Lock()
	known := s.used[server]
	if !known {
		s.used[server] = true
	}
	level := s.level
	s.mu.Unlock()
	if !known && level != "" {
		go s.gateway.shareLevel(context.Background(), server, s.id) // the call does not wait for it
	}
}

// shareLevel tells a running server the most verbose log level that its sessions
// have asked for, or that the session with an id has asked for if it has the server for
// itself.
func (g *Gateway) shareLevel(ctx context.Context, server, session string) {
	if jsonrpc.Get(g.calls.Capabilities(server), "logging") == nil {
		return
	}
	to := upstream.Target{Server: server, Client: g.calls.OwnerOf(server, session)}
	verbose := g.mostVerbose(to)
	if verbose == len(levels) || !g.toldLevels.change(to, verbose) {
		return
	}
	params := jsonrpc.Set(nil, "level", jsonrpc.Quote(levels[verbose]))
	if _, err := g.calls.Call(ctx, call.Request{Server: server, Session: to.Client, Method: "logging/setLevel", Params: params, Internal: true}); err != nil {
		g.toldLevels.forget(to)
		g.log.Debug("could not set the log level of a server", "server", server, "error", err)
	}
}

// mostVerbose returns the index of the most verbose log level that sessions want of a
// server, or that its owner wants, and len(levels) if none wants messages.
func (g *Gateway) mostVerbose(to upstream.Target) int {
	verbose, server := len(levels), to.Server
	for _, s := range g.all() {
		if to.Client != "" && s.id != to.Client {
			continue
		}
		s.mu.Lock()
		if s.level != "" && s.used[server] {
			verbose = min(verbose, slices.Index(levels, s.level))
		}
		for level, calls := range s.levels[server] {
			if calls > 0 {
				verbose = min(verbose, level)
			}
		}
		s.mu.Unlock()
	}
	return verbose
}

// toldLevels remembers which log levels running servers were told, by index. It is safe
// for concurrent use.
type toldLevels struct {
	mu sync.Mutex
	of map[upstream.Target]int
}

// change notes that a server is told a level, and reports whether it is another one.
func (l *toldLevels) change(server upstream.Target, level int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if told, known := l.of[server]; known && told == level {
		return false
	}
	if l.of == nil {
		l.of = make(map[upstream.Target]int)
	}
	l.of[server] = level
	return true
}

// forget is called when a server has ended, or has refused a level.
func (l *toldLevels) forget(server upstream.Target) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, server)
}

// levelCounts are numbers of calls in flight, by the log level that they want.
type levelCounts [8]int

// wants tells a server the log level that a modern call wants. The caller calls done
// when the call is over.
func (s *Session) wants(ctx context.Context, server, level string) (done func()) {
	if level == "" {
		return func() {}
	}
	count := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		counts := s.levels[server]
		counts[slices.Index(levels, level)] += n
		s.levels[server] = counts
	}
	count(1)
	if lease, err := s.lease(ctx, server); err == nil { // otherwise the call fails as well
		s.gateway.shareLevel(ctx, server, s.id)
		lease.Release()
	}
	return func() { count(-1) }
}

// severe reports whether a log message has at least the severity of a level, which may
// be empty for none.
func severe(message json.RawMessage, level string) bool {
	return level != "" && slices.Index(levels, jsonrpc.GetString(message, "level")) >= slices.Index(levels, level)
}

// deliverMessage passes a log message of a server on. It goes to the only session
// that has used the server, or otherwise to those that have used it and asked for a
// level, if it is at least that severe.
func (g *Gateway) deliverMessage(a upstream.Announced) {
	severity := slices.Index(levels, jsonrpc.GetString(a.Params, "level"))
	for _, s := range g.all() {
		if a.Session != "" && a.Session != s.id || a.Taken == any(s) || a.Elsewhere(s.id) {
			continue
		}
		s.mu.Lock()
		wanted := s.ready && s.used[a.Server] && severity >= slices.Index(levels, s.level)
		only := a.Client == any(s)
		wanted = wanted && (only || a.Client == nil && s.level != "")
		s.mu.Unlock()
		if wanted {
			s.announce(a.Method, a.Params)
		}
	}
}

// QueueMessage implements upstream.MessageQueuer. The client gets the message before the
// results that its server sends later; see flush.
func (s *Session) QueueMessage(params json.RawMessage) bool {
	s.mu.Lock()
	wanted := s.ready && slices.Index(levels, jsonrpc.GetString(params, "level")) >= slices.Index(levels, s.level)
	s.mu.Unlock()
	if wanted {
		s.announce("notifications/message", params)
	}
	return true
}

// flush sends the notifications that wait for a legacy client. If the client has asked
// for log messages, they may come from a server that others use, too, whose messages are
// not for a single call.
func (s *Session) flush(ctx context.Context, e exchange) {
	if e.modern {
		return
	}
	s.mu.Lock()
	asked := s.level != ""
	s.mu.Unlock()
	if asked {
		s.gateway.settle(ctx)
	}
	_ = s.outbox.send(s.peer) // an error ends the connection
}
