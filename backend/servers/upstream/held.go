package upstream

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// screen asks the gate which requests may be sent to a server, and which parts of its results clients are shown. For
// a private copy of a configured server, the approvals of that server apply.
type screen struct {
	gate     Gate // nil if nothing is held for approval
	slots    *slotTable
	registry *registry.Registry
}

// judged returns the configured server whose approvals apply to a server: the server itself, or the original of a
// private copy. It returns false if there is no gate or no such server.
func (s *screen) judged(server registry.Server) (registry.Server, bool) {
	if s.gate == nil || server.ID != 0 {
		return server, s.gate != nil
	}
	at := s.slots.shared(server.Name)
	if at == nil {
		return server, false
	}
	original, err := s.registry.Get(at.owner())
	return original, err == nil
}

// refused returns why a request must not be sent to a server, or nil if it may be sent.
func (s *screen) refused(server registry.Server, call jsonrpc.Call) error {
	if of, ok := s.judged(server); ok {
		return s.gate.Refuse(of, call.Method, call.Params)
	}
	return nil
}

// shown returns a result of a server without the parts that the gate holds back.
func (s *screen) shown(ctx context.Context, server registry.Server, method string, result json.RawMessage) json.RawMessage {
	if of, ok := s.judged(server); ok {
		return s.gate.Shown(ctx, of.Name, method, result)
	}
	return result
}

// refusedStart returns why a server must not be started as it is configured, or nil if it may be started. For a private
// copy, it judges the configuration of the original.
func (s *slot) refusedStart(server registry.Server) error {
	m := s.manager
	if m.gate == nil {
		return nil
	}
	if server.ID == 0 {
		original, err := m.registry.Get(s.owner())
		if err != nil {
			return nil // not a copy of a configured server
		}
		server = original
	}
	return m.gate.RefuseStart(server)
}

// ShownTools returns the given tools of a server without those that are held for approval.
func (m *Manager) ShownTools(ctx context.Context, server registry.Server, tools []json.RawMessage) []json.RawMessage {
	if _, ok := m.screen.judged(server); !ok {
		return tools
	}
	whole, err := json.Marshal(map[string]any{"tools": append([]json.RawMessage{}, tools...)})
	if err != nil {
		return nil // a definition is not JSON
	}
	var shown struct {
		Tools []json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(m.screen.shown(ctx, server, "tools/list", whole), &shown) // on error, no tool is shown
	return shown.Tools
}

// Introduce returns the description of a running server, without instructions that are held for approval. It returns
// false if the server is not running.
func (m *Manager) Introduce(ctx context.Context, server registry.Server) (Description, bool) {
	d, running := m.Describe(server.Name)
	if d.Instructions == "" {
		return d, running
	}
	text, err := json.Marshal(d.Instructions)
	if err != nil {
		return d, running // cannot happen for a string
	}
	shown := m.screen.shown(ctx, server, "initialize", jsonrpc.Set(nil, "instructions", text))
	d.Instructions = jsonrpc.GetString(shown, "instructions")
	return d, running
}
