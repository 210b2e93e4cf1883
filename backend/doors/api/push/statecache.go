package push

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// scope is how much of the state a message contains.
type scope int

const (
	nothing scope = iota
	changes       // the servers that have changed since the last message to the client
	delta         // all servers, as the original product sent after each change
	whole         // all servers and the version of the hub: the client replaces its state
)

// State provides the state of all servers.
type State struct {
	Servers *registry.Registry
	Tools   *catalog.Catalog
	Totals  func() []journal.ServerMetrics
	Running func(server string) upstream.State
	View    func(registry.Server) operations.Server
	// SecretNames returns the names of a server's secrets. It may be nil.
	SecretNames func(server string) []string
}

// stateCache holds the state that clients receive: each server with its tools. It encodes a server once for all
// clients, and again after each change.
type stateCache struct {
	version string

	mu       sync.Mutex
	revision int // number of changes so far
	rows     []*row
	messages map[view][]byte // encoded messages of the current revision; filled on demand
}

// view selects a message: scope is how much of the state it contains, and from is the revision that the client already
// has.
type view struct {
	scope        scope
	withoutTools bool
	from         int
}

// row is one server in a stateCache, with its parts encoded as JSON. Tools are encoded when the first client needs
// them.
type row struct {
	source   rowSource
	revision int    // stateCache.revision at the last change of the row
	toolsSum uint64 // hash of the tools
	server   []byte // the server without its tools
	name     []byte
	tools    []byte
	active   []byte // definitions of the tools of an always listed server
}

// rowSource is the data from which a row is encoded.
type rowSource struct {
	server  registry.Server
	running bool
	pid     int
	calls   journal.Stats
	tools   []*catalog.Tool
}

func (s rowSource) equal(o rowSource) bool {
	return s.running == o.running && s.pid == o.pid && s.calls == o.calls && slices.Equal(s.tools, o.tools) &&
		reflect.DeepEqual(s.server, o.server)
}

// update encodes the servers whose rowSource has changed, and all servers in the parameter changed.
func (s *stateCache) update(state State, changed map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := make(map[string]*row, len(s.rows))
	for _, r := range s.rows {
		before[r.source.server.Name] = r
	}
	servers, snapshot, calls := state.Servers.List(), state.Tools.Snapshot(), make(map[string]journal.Stats)
	for _, m := range state.Totals() {
		calls[m.Server] = m.Stats
	}
	rows, differs := make([]*row, len(servers)), len(servers) != len(s.rows)
	for i, v := range servers {
		now := state.Running(v.Name)
		source := rowSource{server: v, running: now.Running, pid: now.PID, calls: calls[v.Name], tools: snapshot.Of(v.Name)}
		rows[i] = before[v.Name]
		if rows[i] == nil || changed[v.Name] || !rows[i].source.equal(source) {
			rows[i] = newRow(state, source, before[v.Name], s.revision+1)
			differs = true
		}
	}
	if differs {
		s.rows, s.messages = rows, nil
		s.revision++
	}
}

// newRow returns the row of a server for a revision. before is the server's previous row, or nil; if the tools have not
// changed, newRow reuses the encoded ones.
func newRow(state State, source rowSource, before *row, revision int) *row {
	shown := stateServer{Server: state.View(source.server)}
	if state.SecretNames != nil {
		shown.SecretNames = state.SecretNames(source.server.Name)
	}
	if source.calls.Calls > 0 {
		metrics := operations.NewServerMetrics(source.server.Name, source.calls)
		shown.Metrics = &metrics
	}
	r := &row{source: source, revision: revision, server: encode(shown), name: encode(source.server.Name)}
	if before != nil && slices.Equal(before.source.tools, source.tools) {
		r.toolsSum = before.toolsSum
	} else {
		r.toolsSum = sumOf(source.tools)
	}
	// Compare the sums instead of the pointers: counting the tokens of a tool replaces its pointer, but not its
	// definition.
	if before != nil && before.toolsSum == r.toolsSum && before.source.server.AlwaysListed == source.server.AlwaysListed {
		r.tools, r.active = before.tools, before.active
	}
	return r
}

// sumOf returns a hash of the tools of a server, by which clients notice changes. It is the same after a restart, and
// small enough to be exact as a JavaScript number.
func sumOf(tools []*catalog.Tool) uint64 {
	h := fnv.New64a()
	for _, t := range tools {
		_, _ = h.Write(strconv.AppendInt(nil, t.ID, 10)) // writing to a hash cannot fail
		_, _ = h.Write(t.Definition)
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64() >> 11
}

// encodeTools encodes the tools of a row unless they are encoded already.
func (r *row) encodeTools() {
	if r.tools != nil {
		return
	}
	tools, active := make([]pushedTool, len(r.source.tools)), make([]json.RawMessage, len(r.source.tools))
	for i, t := range r.source.tools {
		tools[i] = pushedTool{t.ID, r.source.server.ID, t.Name, t.Description, t.InputSchema()}
		active[i] = t.Definition
	}
	slices.SortFunc(tools, func(a, b pushedTool) int { return strings.Compare(a.Name, b.Name) })
	r.tools = encode(tools)
	if r.source.server.AlwaysListed {
		r.active = encode(active)
	}
}

// write writes the row as an element of the array servers in a message.
func (r *row) write(out *bytes.Buffer, withoutTools bool) {
	out.Write(bytes.TrimSuffix(r.server, []byte("}")))
	if withoutTools {
		out.WriteString(`,"tools_rev":`)
		out.WriteString(strconv.FormatUint(r.toolsSum, 10))
	} else {
		out.WriteString(`,"tools":`)
		out.Write(r.tools)
	}
	out.WriteByte('}')
}

// writeActive writes the row as an element of the array active in a message.
func (r *row) writeActive(out *bytes.Buffer, withoutTools bool) {
	out.WriteString(`{"name":`)
	out.Write(r.name)
	if !withoutTools {
		out.WriteString(`,"tools":`)
		out.Write(r.active)
	}
	out.WriteByte('}')
}

// message returns the selected message and the revision that the client has after it. The message is nil if v.scope is
// the constant nothing or the client is up to date.
func (s *stateCache) message(v view) ([]byte, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// If v.scope is the constant nothing, the client keeps its revision, so that its next message includes all later
	// changes.
	if v.scope == nothing || v.scope != whole && v.from == s.revision {
		return nil, v.from
	}
	if v.scope == whole || v.scope == delta {
		v.from = 0
	}
	data := s.messages[v]
	if data == nil {
		if !v.withoutTools {
			for _, r := range s.rows {
				r.encodeTools()
			}
		}
		data = s.build(v)
		if s.messages == nil {
			s.messages = make(map[view][]byte)
		}
		s.messages[v] = data
	}
	return data, s.revision
}

// build encodes a message. It is called with mu held.
func (s *stateCache) build(v view) []byte {
	var out, servers, active bytes.Buffer
	names := []string{}
	for _, r := range s.rows {
		names = append(names, r.source.server.Name)
		if v.scope == changes && r.revision <= v.from {
			continue
		}
		separate(&servers)
		r.write(&servers, v.withoutTools)
		if r.source.server.AlwaysListed {
			separate(&active)
			r.writeActive(&active, v.withoutTools)
		}
	}
	out.WriteString(`{"type":"state"`)
	switch v.scope {
	case whole:
		out.WriteString(`,"version":`)
		out.Write(encode(s.version))
	case changes:
		out.WriteString(`,"delta":true,"names":`)
		out.Write(encode(names))
	default:
		out.WriteString(`,"delta":true`)
	}
	out.WriteString(`,"servers":[`)
	out.Write(servers.Bytes())
	out.WriteString(`],"active":[`)
	out.Write(active.Bytes())
	out.WriteString(`]}`)
	return out.Bytes()
}

// separate writes a comma unless the list is still empty.
func separate(list *bytes.Buffer) {
	if list.Len() > 0 {
		list.WriteByte(',')
	}
}

// clear frees the memory of the cache while no client is connected.
func (s *stateCache) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.messages = nil, nil
	s.revision++
}

func encodeMessage(m message) []byte { return encode(m) }

// encode returns a value as JSON. It replaces invalid UTF-8, which servers may send but a WebSocket message must not
// contain.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return []byte("null") // cannot happen for the types of this package
	}
	return bytes.ToValidUTF8(bytes.TrimRight(out.Bytes(), "\n"), []byte("\uFFFD"))
}
