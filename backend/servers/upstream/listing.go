package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// protocolVersion is the MCP version that the hub requests from servers. The
// hub accepts any version in the answer, because it passes results on without
// decoding them.
const protocolVersion = "2025-11-25"

// These are the limits of one server's tool list.
const (
	maxPages     = 2000
	maxTools     = 5000
	maxToolBytes = 64 << 20
)

// Description is what a running server has reported in its answers to
// initialize and tools/list.
type Description struct {
	Name, Title, Version string // from serverInfo
	Instructions         string
	ProtocolVersion      string
	Capabilities         json.RawMessage   // as sent; read-only
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

// ListTools reads all pages of a server's tool list, stores the tools in the
// catalog and returns the definitions as sent. It starts the server if
// necessary.
func (m *Manager) ListTools(ctx context.Context, server registry.Server) ([]json.RawMessage, error) {
	w := want{server: server}
	session, err := m.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	defer session.leave(w)
	limit := m.limits.StartTimeout
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
		"capabilities":    s.capabilities(),
		"clientInfo":      map[string]string{"name": "agent-discover", "version": s.manager.version},
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
		return fmt.Errorf("the answer to initialize is malformed: %w", err)
	}
	info := result.ServerInfo
	s.mu.Lock()
	s.description = Description{
		Name: info.Name, Title: info.Title, Version: info.Version, Instructions: result.Instructions,
		ProtocolVersion: result.ProtocolVersion, Capabilities: result.Capabilities,
	}
	s.mu.Unlock()
	s.conn.SetLineLimit(maxLine)
	s.hasTools = jsonrpc.Get(result.Capabilities, "tools") != nil
	return s.conn.Notify("notifications/initialized", nil)
}

// listTools reads the tool list into the session's description. If the server
// is in the registry, it also stores the tools in the catalog.
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
	if s.server.ID == 0 || s.over {
		return nil
	}
	_, err = s.manager.catalog.Replace(ctx, s.server.Name, tools)
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
			return nil, fmt.Errorf("the answer to tools/list is malformed: %w", err)
		}
		for _, tool := range page.Tools {
			size += len(tool)
		}
		if len(tools)+len(page.Tools) > maxTools || size > maxToolBytes {
			return nil, fault.New(fault.Failed, "the server lists more than %d tools, or more than %d MiB of definitions; that is the limit for one server", maxTools, maxToolBytes>>20)
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == nil || *page.NextCursor == "" {
			return tools, nil
		}
		if seen[*page.NextCursor] {
			s.warn(fmt.Sprintf("the server repeats a cursor of its list of tools; the list ends after %d tools", len(tools)))
			return tools, nil
		}
		seen[*page.NextCursor] = true
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(*page.NextCursor))
	}
	s.warn(fmt.Sprintf("the server's list of tools has more than %d pages; only the first %d tools are used", maxPages, len(tools)))
	return tools, nil
}

// warn shows a problem of the server in the hub's log and among the lines that the
// server has written.
func (s *session) warn(text string) {
	s.manager.log.Warn(text, "server", s.server.Name)
	s.lines.to.add(rawLine{Line: Line{At: time.Now(), Text: "agent-discover: " + text}, redactor: s.redactor})
	events.Publish(s.manager.bus, Wrote{s.server.Name})
}
