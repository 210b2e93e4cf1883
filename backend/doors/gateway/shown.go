package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

const (
	// leastRoom is what a name needs so that a short one still tells something.
	leastRoom = 20
	// few and more are how many hexadecimal digits tell short names apart.
	few, more = 6, 12
)

// manner is how a client takes tools. The empty one takes them as they are.
type manner struct {
	dialect schemacompat.Vendor
	room    int // characters for a tool's name; 0 when no limit is known
}

// mannerOf is that of a client by the name that it gave itself.
func mannerOf(client string) manner {
	e, known := table.ByClient(client)
	if !known {
		return manner{}
	}
	m := manner{dialect: schemacompat.Vendor(e.Schemas)}
	if e.MaxName > 0 {
		prefix := strings.ReplaceAll(e.NamePrefix, "{server}", registration.Name)
		m.room = max(e.MaxName-utf8.RuneCountInString(prefix), leastRoom)
	}
	return m
}

// names are those under which a client is shown tools, in their order. One that
// has no room is cut, and ends in what tells it from all others.
func (m manner) names(tools []*catalog.Tool) []string {
	out, taken := make([]string, len(tools)), make(map[string]int)
	for i, t := range tools {
		out[i] = m.short(t, few)
		taken[out[i]]++
	}
	for i, t := range tools {
		if m.cuts(t) && taken[out[i]] > 1 {
			out[i] = m.short(t, more)
		}
	}
	return out
}

// cuts reports whether a tool's whole name has no room.
func (m manner) cuts(t *catalog.Tool) bool {
	return m.room > 0 && utf8.RuneCountInString(t.Proxied()) > m.room
}

// short is a tool's name as far as there is room, with digits of its hash.
func (m manner) short(t *catalog.Tool, digits int) string {
	name := t.Proxied()
	if !m.cuts(t) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return string([]rune(name)[:m.room-1-digits]) + "_" + hex.EncodeToString(sum[:])[:digits]
}

// meant finds the tool that a session is shown under a short name, nil when
// there is none: first in its list, then among all tools, for the list may have
// changed since the client read it.
func (s *Session) meant(name string) *catalog.Tool {
	s.mu.Lock()
	m := s.manner
	if m.room == 0 || utf8.RuneCountInString(name) != m.room {
		s.mu.Unlock()
		return nil
	}
	tools := s.toolsLocked()
	s.mu.Unlock()
	for i, shown := range m.names(tools) {
		if shown == name {
			return tools[i]
		}
	}
	var found *catalog.Tool
	for _, t := range s.gateway.Catalog.Snapshot().Tools {
		if m.cuts(t) && (m.short(t, few) == name || m.short(t, more) == name) {
			if found != nil {
				return nil // it could be either
			}
			found = t
		}
	}
	return found
}

// takesWhole reports whether the session's client is shown a tool under its own
// name.
func (s *Session) takesWhole(t *catalog.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.manner.cuts(t)
}

// shownAs are the names under which the session's client is shown tools.
func (s *Session) shownAs(tools []*catalog.Tool) []string {
	s.mu.Lock()
	m := s.manner
	s.mu.Unlock()
	return m.names(tools)
}

// maxAdapted is how many adapted schemas are kept.
const maxAdapted = 20000

// adapted keeps schemas as dialects take them. It is safe for concurrent use.
type adapted struct {
	mu      sync.Mutex
	schemas map[ofTool]json.RawMessage // nil: it is taken as it is
}

type ofTool struct {
	dialect schemacompat.Vendor
	hash    string // of the tool
}

// schema returns the argument schema of a definition as a dialect takes it, nil
// when it takes it as it is.
func (a *adapted) schema(d schemacompat.Vendor, hash string, def json.RawMessage) json.RawMessage {
	key := ofTool{d, hash}
	a.mu.Lock()
	schema, known := a.schemas[key]
	a.mu.Unlock()
	if known {
		return schema
	}
	schema, changes := schemacompat.Adapt(d, jsonrpc.Get(def, "inputSchema"))
	if len(changes) == 0 {
		schema = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.schemas) >= maxAdapted || a.schemas == nil {
		a.schemas = make(map[ofTool]json.RawMessage)
	}
	a.schemas[key] = schema
	return schema
}

// show returns the definition of a tool as a client in some manner is shown it.
func (g *Gateway) show(m manner, t *catalog.Tool, name string) json.RawMessage {
	return g.fit(m, t.Hash, listed(t, name))
}

// fit puts the argument schema of a definition as a dialect takes it. Where that
// changes nothing, every byte stays.
func (g *Gateway) fit(m manner, hash string, def json.RawMessage) json.RawMessage {
	if m.dialect == "" {
		return def
	}
	if schema := g.adapted.schema(m.dialect, hash, def); schema != nil {
		return jsonrpc.Set(def, "inputSchema", schema)
	}
	return def
}
