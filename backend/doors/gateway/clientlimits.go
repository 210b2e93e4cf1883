package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// clientLimits are a client's restrictions on tools. The zero value has none.
type clientLimits struct {
	vendor  schemacompat.Vendor
	maxName int // characters of a tool's name; 0 for no limit
}

// limitsOfClient returns the limits of a client, by its name in initialize.
func limitsOfClient(client string) clientLimits {
	e, _ := table.ByClient(client)
	return limitsOf(e)
}

// limitsOfEntry returns the limits of a client that has an editor's entry, by the id of
// the editor.
func limitsOfEntry(id string) clientLimits {
	e, _ := table.ByID(id)
	return limitsOf(e)
}

// limitsOf returns the limits of an editor, none for nil.
func limitsOf(e *table.Editor) clientLimits {
	if e == nil {
		return clientLimits{}
	}
	m := clientLimits{vendor: schemacompat.Vendor(e.Schemas)}
	if e.MaxName > 0 {
		prefix := strings.ReplaceAll(e.NamePrefix, "{server}", registration.Name)
		m.maxName = max(e.MaxName-utf8.RuneCountInString(prefix), names.MinLimit)
	}
	return m
}

// limitsIn returns the limits of the client whose request has a context. Lists of the modern
// era depend on its entry alone.
func (s *Session) limitsIn(ctx context.Context) clientLimits {
	if s.exchangeOf(ctx).modern {
		return limitsOfEntry(s.entry)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits
}

// names returns the names under which the client is shown tools, in the order
// of tools. No two names are equal.
func (m clientLimits) names(tools []*catalog.Tool) []string {
	full := make([]string, len(tools))
	for i, t := range tools {
		full[i] = t.Proxied()
	}
	return names.Cut(full, m.maxName)
}

// byShortName returns the tool with a shortened name, or nil. It looks in the
// session's list first and then in the catalog, because the list may have
// changed since the client read it.
func (s *Session) byShortName(name string) *catalog.Tool {
	s.mu.Lock()
	m := s.limits
	if m.maxName == 0 || utf8.RuneCountInString(name) != m.maxName {
		s.mu.Unlock()
		return nil
	}
	tools := s.sessionList()
	s.mu.Unlock()
	for i, shown := range m.names(tools) {
		if shown == name {
			return tools[i]
		}
	}
	var found *catalog.Tool
	for _, t := range s.rules().Tools {
		if names.CutTo(t.Proxied(), name, m.maxName) {
			if found != nil {
				return nil // two tools have this short name
			}
			found = t
		}
	}
	return found
}

// showsFullName reports whether the client is shown a tool under its full name.
func (s *Session) showsFullName(t *catalog.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits.maxName == 0 || utf8.RuneCountInString(t.Proxied()) <= s.limits.maxName
}

// shownAs returns the names under which the client is shown tools.
func (s *Session) shownAs(tools []*catalog.Tool) []string {
	s.mu.Lock()
	m := s.limits
	s.mu.Unlock()
	return m.names(tools)
}

// maxCachedSchemas is how many schemas the cache may hold. A full cache is
// emptied.
const maxCachedSchemas = 20000

// schemaCache caches argument schemas that were adapted to a model vendor. It
// is safe for concurrent use.
type schemaCache struct {
	mu      sync.Mutex
	schemas map[schemaKey]json.RawMessage // nil for a tool whose schema needs no change
}

type schemaKey struct {
	vendor schemacompat.Vendor
	hash   string // of the tool
}

// schema returns the argument schema of a definition, adapted to a vendor, and
// nil if the schema needs no change.
func (a *schemaCache) schema(v schemacompat.Vendor, hash string, def json.RawMessage) json.RawMessage {
	key := schemaKey{v, hash}
	a.mu.Lock()
	schema, known := a.schemas[key]
	a.mu.Unlock()
	if known {
		return schema
	}
	schema, changes := schemacompat.Adapt(v, jsonrpc.Get(def, "inputSchema"))
	if len(changes) == 0 {
		schema = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.schemas) >= maxCachedSchemas || a.schemas == nil {
		a.schemas = make(map[schemaKey]json.RawMessage)
	}
	a.schemas[key] = schema
	return schema
}

// show returns a tool's definition under a name, adapted to a client with these
// limits.
func (g *Gateway) show(m clientLimits, t *catalog.Tool, name string) json.RawMessage {
	return g.fit(m, t.Hash, g.linked(t.Server, listed(t, name)))
}

// linked returns a tool's definition with the URI of its user interface, if it has
// one, as clients are shown it.
func (g *Gateway) linked(server string, def json.RawMessage) json.RawMessage {
	if jsonrpc.Get(def, "_meta") == nil {
		return def
	}
	const head, tail = `{"tools":[`, `]}`
	list := g.shown(server, "tools/list", slices.Concat([]byte(head), def, []byte(tail)), "")
	return list[len(head) : len(list)-len(tail)]
}

// fit returns a definition with its argument schema adapted to the client's
// model vendor. A definition whose schema needs no change is returned byte for
// byte.
func (g *Gateway) fit(m clientLimits, hash string, def json.RawMessage) json.RawMessage {
	if m.vendor == "" {
		return def
	}
	if schema := g.adapted.schema(m.vendor, hash, def); schema != nil {
		return jsonrpc.Set(def, "inputSchema", schema)
	}
	return def
}
