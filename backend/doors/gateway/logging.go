package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// levels are the severities of log messages, from the most verbose.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// atLeast reports whether a log message has at least the severity of a level. An empty level accepts all
// messages.
func atLeast(message json.RawMessage, level string) bool {
	return slices.Index(levels, jsonrpc.GetString(message, "level")) >= slices.Index(levels, level)
}

// logLevel holds the lowest severity of log messages that a client wants, and the servers whose log messages the client
// gets: the servers that it has called. It is safe for concurrent use.
type logLevel struct {
	share func(ctx context.Context, server string) // sends the level to a server

	mu    sync.Mutex
	level string                 // that the client has set; empty if it has set none
	used  map[string]bool        // servers that the session has called
	calls map[string]levelCounts // levels that modern calls in flight want, by server
}

// levelCounts are numbers of calls in flight, by the index of the log level that they want.
type levelCounts [8]int

// set records the level that the client sets, and sends it to the servers that the client has called.
func (l *logLevel) set(ctx context.Context, level string) {
	l.mu.Lock()
	l.level = level
	used := slices.Collect(maps.Keys(l.used))
	l.mu.Unlock()
	for _, server := range used {
		l.share(ctx, server)
	}
}

// asked returns the level that the client has set, empty if it has set none.
func (l *logLevel) asked() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level
}

// uses records that the session calls a server, and sends the server the level.
func (l *logLevel) uses(server string) {
	l.mu.Lock()
	known := l.used[server]
	l.used[server] = true
	level := l.level
	l.mu.Unlock()
	if !known && level != "" {
		go l.share(context.Background(), server) // the call does not wait for it
	}
}

// wants sends a server the log level that a modern call asks for. lease keeps the server running meanwhile. The
// caller calls done when the call is over.
func (l *logLevel) wants(ctx context.Context, server, level string, lease func() (*upstream.Lease, error)) (done func()) {
	if level == "" {
		return func() {}
	}
	count := func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		counts := l.calls[server]
		counts[slices.Index(levels, level)] += n
		l.calls[server] = counts
	}
	count(1)
	if running, err := lease(); err == nil { // otherwise the call fails as well
		l.share(ctx, server)
		running.Release()
	}
	return func() { count(-1) }
}

// verbosity returns the index of the most verbose level that the session wants from a
// server, and len(levels) if it wants no messages.
func (l *logLevel) verbosity(server string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	verbose := len(levels)
	if l.level != "" && l.used[server] {
		verbose = slices.Index(levels, l.level)
	}
	for level, calls := range l.calls[server] {
		if calls > 0 {
			verbose = min(verbose, level)
		}
	}
	return verbose
}

// accepts reports whether the client wants a message of a server. only is set if no other
// session has used the server.
func (l *logLevel) accepts(server string, message json.RawMessage, only bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used[server] && atLeast(message, l.level) && (only || l.level != "")
}

// serverLevels sends servers the most verbose level that sessions want, and passes the log messages of servers
// on. It is safe for concurrent use.
type serverLevels struct {
	pipeline *call.Pipeline
	sessions *sessions
	log      *slog.Logger
	told     toldLevels
}

// share sends a running server the most verbose log level that sessions have asked for. If the session has the server
// for itself, only the level of this session counts.
func (l *serverLevels) share(ctx context.Context, server, session string) {
	if jsonrpc.Get(l.pipeline.Capabilities(server), "logging") == nil {
		return
	}
	to := upstream.Target{Server: server, Client: l.pipeline.OwnerOf(server, session)}
	verbose := l.mostVerbose(to)
	if verbose == len(levels) || !l.told.change(to, verbose) {
		return
	}
	request := call.Request{
		Server: server, Session: to.Client, Internal: true,
		Method: "logging/setLevel", Params: jsonrpc.Set(nil, "level", jsonrpc.Quote(levels[verbose])),
	}
	if _, err := l.pipeline.Call(ctx, request); err != nil {
		l.told.forget(to)
		l.log.Debug("could not set the log level of a server", "server", server, "error", err)
	}
}

// mostVerbose returns the index of the most verbose log level that sessions want from a server, and len(levels)
// if none wants messages. If to.Client is the id of a session, only that session counts.
func (l *serverLevels) mostVerbose(to upstream.Target) int {
	verbose := len(levels)
	for _, s := range l.sessions.all() {
		if to.Client == "" || s.id == to.Client {
			verbose = min(verbose, s.level.verbosity(to.Server))
		}
	}
	return verbose
}

// deliver passes a log message of a server on. If one session alone has used the server, this session gets the message.
// If several have used it, those that have set a level get the message. No session gets messages below its level.
func (l *serverLevels) deliver(a upstream.Announced) {
	for _, s := range l.sessions.all() {
		if a.Session != "" && a.Session != s.id || a.Taken == any(s.caller) || a.Elsewhere(s.id) {
			continue
		}
		only := a.Client == any(s.caller)
		if s.client.isReady() && (only || a.Client == nil) && s.level.accepts(a.Server, a.Params, only) {
			s.changes.announce(a.Method, a.Params)
		}
	}
}

// toldLevels remembers which log level, by its index, each running server was sent. It is safe for concurrent
// use.
type toldLevels struct {
	mu sync.Mutex
	of map[upstream.Target]int
}

// change records the level that a server is sent, and reports whether it differs from the last one.
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

// forget drops the level that a server was sent, because the server has started anew or has refused the level.
func (l *toldLevels) forget(server upstream.Target) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, server)
}
