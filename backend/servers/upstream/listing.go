package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// protocolVersion is what we ask servers for; they answer with theirs, and
// since nothing is decoded on its way any of them will do.
const protocolVersion = "2025-11-25"

// What bounds a list that has no end, or one that nobody could use.
const (
	maxPages     = 200
	maxTools     = 5000
	maxToolBytes = 64 << 20
)

// Description is what a running server has said about itself.
type Description struct {
	Name, Title, Version string // its own, not ours
	Instructions         string
	ProtocolVersion      string
	Capabilities         json.RawMessage   // as it sent them; not to be changed
	Tools                []json.RawMessage // definitions of the last listing, as they came; not to be changed
}

// Describe returns what a server has said; false when it does not run.
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

// ListTools reads all pages of a server's tools, which it starts when needed,
// and makes them known. It returns the definitions as they came.
func (m *Manager) ListTools(ctx context.Context, server registry.Server) ([]json.RawMessage, error) {
	session, err := m.acquire(ctx, want{server: server})
	if err != nil {
		return nil, err
	}
	defer session.leave(nil)
	limit := m.Limits.StartTimeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := session.listTools(ctx); err != nil {
		return nil, session.explain(err, jsonrpc.Call{Method: "tools/list", Idle: limit})
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	return slices.Clone(session.description.Tools), nil
}

func (s *session) initialize(ctx context.Context) error {
	params, err := json.Marshal(map[string]any{
		"protocolVersion": protocolVersion,
		"capabilities":    map[string]any{"roots": struct{}{}, "sampling": struct{}{}, "elicitation": struct{}{}},
		"clientInfo":      map[string]string{"name": "agent-discover", "version": s.manager.Version},
	})
	if err != nil {
		return err
	}
	raw, err := s.conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	if err != nil {
		return err
	}
	var result struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      struct{ Name, Title, Version string }
		Instructions    string `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("its answer to initialize is malformed: %w", err)
	}
	info := result.ServerInfo
	s.mu.Lock()
	s.description = Description{
		Name: info.Name, Title: info.Title, Version: info.Version, Instructions: result.Instructions,
		ProtocolVersion: result.ProtocolVersion, Capabilities: result.Capabilities,
	}
	s.mu.Unlock()
	s.hasTools = jsonrpc.Get(result.Capabilities, "tools") != nil
	return s.conn.Notify("notifications/initialized", nil)
}

// listTools reads all pages, keeps them, and hands those of a configured
// server to the catalog.
func (s *session) listTools(ctx context.Context) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	tools, err := s.readTools(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.description.Tools = tools
	s.mu.Unlock()
	if s.server.ID == 0 {
		return nil
	}
	_, err = s.manager.Catalog.Replace(ctx, s.server.Name, tools)
	return err
}

func (s *session) readTools(ctx context.Context) (tools []json.RawMessage, err error) {
	var params json.RawMessage
	seen, size := make(map[string]bool), 0
	for range maxPages {
		raw, err := s.conn.Call(ctx, jsonrpc.Call{Method: "tools/list", Params: params})
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor *string           `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("its answer to tools/list is malformed: %w", err)
		}
		for _, tool := range page.Tools {
			size += len(tool)
		}
		if len(tools)+len(page.Tools) > maxTools || size > maxToolBytes {
			return nil, fault.New(fault.Failed, "it lists more than %d tools or %d MiB of them; a hub of many servers cannot hold that", maxTools, maxToolBytes>>20)
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == nil || *page.NextCursor == "" || seen[*page.NextCursor] {
			break
		}
		seen[*page.NextCursor] = true
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(*page.NextCursor))
	}
	return tools, nil
}
