package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Description contains data from a running server's answers to initialize or server/discover, and to tools/list.
type Description struct {
	Name, Title, Version string          // from serverInfo
	Info                 json.RawMessage // serverInfo as sent; read-only
	Instructions         string
	ProtocolVersion      string
	Versions             []string          // versions that a server of the modern era supports
	TTLs                 map[string]int64  // how long results of a method may be cached, in milliseconds; read-only
	Capabilities         json.RawMessage   // as sent; read-only
	Declared             json.RawMessage   // capabilities that the hub declares (in the modern era: in calls of people); read-only
	Tools                []json.RawMessage // definitions as sent in the latest list; read-only
}

// Describe returns the description of a running server, and false if the server
// is not running.
func (m *Manager) Describe(name string) (Description, bool) {
	session := m.slots.running(name)
	if session == nil {
		return Description{}, false
	}
	return session.profile.get(), true
}

// TTLs returns how long the results of a running server may be cached, in milliseconds by method, as reported in a
// session of the modern era. It returns nil if no such session is running.
func (m *Manager) TTLs(name string) map[string]int64 {
	for _, s := range m.slots.ofServer(name) {
		if session := s.running(); session != nil && session.profile.modern() {
			return session.profile.get().TTLs
		}
	}
	return nil
}

// ListTools reads all pages of a server's tool list, stores the tools in the catalog and returns the definitions as
// sent, without those that are held for approval. It starts the server if necessary.
func (m *Manager) ListTools(ctx context.Context, server registry.Server) ([]json.RawMessage, error) {
	w := wantOf(server, "", nil)
	session, err := m.router.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	defer session.use.leave()
	if err := m.listTools(ctx, server, session); err != nil {
		return nil, err
	}
	return m.ShownTools(ctx, server, session.profile.get().Tools), nil
}

// listTools reads all pages of a server's tool list in a session and stores the tools in the catalog.
func (m *Manager) listTools(ctx context.Context, server registry.Server, session *session) error {
	limit := m.startLimit(server)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if _, err := session.lists.readList(ctx, toolsList); err != nil {
		return session.explainer.explainList(err, limit)
	}
	return nil
}

// warn shows a problem of the server in the hub's log and among the lines that the
// server has written.
func (r *lister) warn(text string) {
	r.log.Warn(text, "server", r.server.Name)
	r.at.output.add(rawLine{Line: Line{At: time.Now(), Text: "agent-discover: " + text}, redactor: r.redactor})
	events.Publish(r.bus, Wrote{r.server.Name})
}
