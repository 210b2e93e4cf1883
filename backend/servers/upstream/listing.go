package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Description is what a running server has reported in its answers to
// initialize or server/discover, and to tools/list.
type Description struct {
	Name, Title, Version string          // from serverInfo
	Info                 json.RawMessage // serverInfo as sent; read-only
	Instructions         string
	ProtocolVersion      string
	Versions             []string          // that the server supports, of a server of the modern era
	TTLs                 map[string]int64  // how long its results may be cached, in milliseconds, by method; read-only
	Capabilities         json.RawMessage   // as sent; read-only
	Declared             json.RawMessage   // capabilities that the hub declares to it, for a person in the modern era; read-only
	Tools                []json.RawMessage // definitions as sent in the latest list; read-only
}

// Describe returns the description of a running server, and false if the server
// is not running.
func (m *Manager) Describe(name string) (Description, bool) {
	session := m.running(name)
	if session == nil {
		return Description{}, false
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	d := session.description
	d.Tools = slices.Clone(d.Tools)
	return d, true
}

// TTLs returns for how long the results of a running server may be cached, of its session
// of the modern era.
func (m *Manager) TTLs(name string) map[string]int64 {
	for _, s := range m.slotsOf(name) {
		if session := s.running(); session != nil && session.modern() {
			session.mu.Lock()
			defer session.mu.Unlock()
			return session.description.TTLs
		}
	}
	return nil
}

// ListTools reads all pages of a server's tool list, stores the tools in the
// catalog and returns the definitions as sent, without those that are held. It
// starts the server if necessary.
func (m *Manager) ListTools(ctx context.Context, server registry.Server) ([]json.RawMessage, error) {
	w := wantOf(server, "", nil)
	session, err := m.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	defer session.leave()
	limit := m.limits.StartTimeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if _, err := session.readList(ctx, toolsList); err != nil {
		return nil, session.explain(err, jsonrpc.Call{Method: "tools/list", Idle: limit})
	}
	session.mu.Lock()
	tools := slices.Clone(session.description.Tools)
	session.mu.Unlock()
	return m.ShownTools(ctx, server, tools), nil
}

// warn shows a problem of the server in the hub's log and among the lines that the
// server has written.
func (s *session) warn(text string) {
	s.manager.log.Warn(text, "server", s.server.Name)
	s.lines.to.add(rawLine{Line: Line{At: time.Now(), Text: "agent-discover: " + text}, redactor: s.redactor})
	events.Publish(s.manager.bus, Wrote{s.server.Name})
}
