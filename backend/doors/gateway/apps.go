package gateway

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// appsExtension is the name of MCP Apps among the extensions in capabilities. Tools of
// servers that support it have views, which the client shows to its user.
const appsExtension = "io.modelcontextprotocol/ui"

// withExtensions returns capabilities of the hub for a client with these capabilities.
// The hub passes on what MCP Apps and tasks need, and declares those that the client does.
func withExtensions(capabilities, client json.RawMessage) json.RawMessage {
	declared := jsonrpc.Get(client, "extensions")
	for _, name := range []string{appsExtension, tasksExtension} {
		if own := jsonrpc.Get(declared, name); own != nil {
			capabilities = jsonrpc.Set(capabilities, "extensions", jsonrpc.Set(jsonrpc.Get(capabilities, "extensions"), name, own))
		}
	}
	return capabilities
}

// appTools knows the tools that models must not call, because they are for views only.
// It is safe for concurrent use.
type appTools struct {
	mu    sync.Mutex
	of    *catalog.Snapshot
	tools map[catalog.Key]bool
}

// in returns the tools of a snapshot that are for views only. The result is read-only.
func (a *appTools) in(snapshot *catalog.Snapshot) map[catalog.Key]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == snapshot {
		return a.tools
	}
	a.of, a.tools = snapshot, make(map[catalog.Key]bool)
	for _, t := range snapshot.Tools {
		if bytes.Contains(t.Definition, []byte("visibility")) && names.HiddenFromModel(t.Definition) {
			a.tools[t.Key()] = true
		}
	}
	return a.tools
}

// forModels returns a filter that accepts the tools that models may call.
func (g *Gateway) forModels() func(*catalog.Tool) bool {
	hidden := g.appTools.in(g.catalog.Snapshot())
	return func(t *catalog.Tool) bool { return len(hidden) == 0 || !hidden[t.Key()] }
}

// noteView notes that the client has read a resource. Views call tools of their own
// server by names that the hub does not show.
func (s *Session) noteView(server, uri string) {
	if !strings.HasPrefix(uri, "ui://") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[server] = true
}

// resolveForView returns the servers with a view that the client has read and with a
// tool of a name that views may call.
func (s *Session) resolveForView(tool string) (servers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for server := range s.views {
		if t, ok := s.gateway.catalog.Snapshot().Lookup(server, tool); ok && names.ForApps(t.Definition) {
			servers = append(servers, server)
		}
	}
	return servers
}
