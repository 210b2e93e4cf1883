package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
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
		s.gateway.shareLevel(ctx, server)
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
		go s.gateway.shareLevel(context.Background(), server) // the call does not wait for it
	}
}

// shareLevel tells a running server the most verbose log level that its sessions
// have asked for.
func (g *Gateway) shareLevel(ctx context.Context, server string) {
	if jsonrpc.Get(g.proxy.Capabilities(server), "logging") == nil {
		return
	}
	verbose := len(levels)
	for _, s := range g.all() {
		s.mu.Lock()
		if s.level != "" && s.used[server] {
			verbose = min(verbose, slices.Index(levels, s.level))
		}
		s.mu.Unlock()
	}
	if verbose == len(levels) {
		return
	}
	params := jsonrpc.Set(nil, "level", jsonrpc.Quote(levels[verbose]))
	if _, err := g.proxy.Forward(ctx, proxy.Forwarded{Server: server, Method: "logging/setLevel", Params: params, Own: true}); err != nil {
		g.log.Debug("could not set the log level of a server", "server", server, "error", err)
	}
}

// deliverMessage passes a log message of a server on. It goes to the only session
// that has used the server, or otherwise to those that have used it and asked for a
// level, if it is at least that severe.
func (g *Gateway) deliverMessage(a upstream.Announced) {
	severity := slices.Index(levels, jsonrpc.GetString(a.Params, "level"))
	for _, s := range g.all() {
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
