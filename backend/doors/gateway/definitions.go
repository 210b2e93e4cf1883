package gateway

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// definitions adapts the definitions of tools to the limits of clients. It is safe for concurrent use.
type definitions struct {
	translation *translation
	adapted     schemaCache
}

// show returns the definition of t with the given name, adapted to a client with the limits m.
func (d *definitions) show(m clientLimits, t *catalog.Tool, name string) json.RawMessage {
	return d.fit(m, t.Hash, d.linked(t.Server, listed(t, name)))
}

// linked returns a tool's definition. If the tool has a user interface, linked replaces the URI of the interface by the
// URI under which the hub shows it to clients.
func (d *definitions) linked(server string, def json.RawMessage) json.RawMessage {
	if jsonrpc.Get(def, "_meta") == nil {
		return def
	}
	const head, tail = `{"tools":[`, `]}`
	list := d.translation.Shown(server, "tools/list", slices.Concat([]byte(head), def, []byte(tail)), "")
	return list[len(head) : len(list)-len(tail)]
}

// fit returns a definition with its argument schema adapted to the client's
// model vendor. A definition whose schema needs no change is returned byte for
// byte.
func (d *definitions) fit(m clientLimits, hash string, def json.RawMessage) json.RawMessage {
	if m.vendor == "" {
		return def
	}
	if schema := d.adapted.schema(m.vendor, hash, def); schema != nil {
		return jsonrpc.Set(def, "inputSchema", schema)
	}
	return def
}

// listed returns the definition of t for a tool list. The definition has the given name, and listed corrects it where
// clients would reject it. get_schema returns the original.
func listed(t *catalog.Tool, name string) json.RawMessage {
	definition := jsonrpc.Set(t.Definition, "name", jsonrpc.Quote(name))
	fitting, _, err := mcpshape.Item(mcpshape.Tool, definition)
	if err != nil {
		return definition // cannot happen: every tool with a name can be corrected
	}
	return fitting
}

// accepted returns the definitions of a list, corrected where clients would reject them. Definitions that
// cannot be corrected are left out.
func accepted(kind features.Kind, definitions []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(definitions))
	for _, definition := range definitions {
		if item, _, err := mcpshape.Item(mcpshape.KindIn(string(kind)), definition); err == nil {
			out = append(out, item)
		}
	}
	return out
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
