package api

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// kind is how much of the state a message holds.
type kind int

const (
	nothing kind = iota
	changes      // the servers that differ from what a client has
	delta        // all servers, as clients of the original expect; see lightOver
	whole        // that and the version: begin anew
)

// lightOver is how much JSON all tools may take before a delta leaves out those
// of servers whose tools a client has already. Thousands of tools are megabytes,
// and every client would get them with every change.
const lightOver = 256 << 10 // bytes

// board is what every socket shows: each server with its tools. A server is
// encoded once for all sockets, and again when it has changed.
type board struct {
	version string

	mu    sync.Mutex
	rev   int // counts changes
	rows  []*row
	built map[view][]byte // messages of this revision
}

// view is what a message shows: how much, to a client that has which revision.
type view struct {
	kind kind
	bare bool // without tools
	from int
}

// row is one server on the board. Its texts are JSON; those of its tools are
// made for the first client that wants tools.
type row struct {
	seen     seen
	rev      int    // of the board when it last changed
	toolsRev int    // when its tools did, or whether it is active
	sum      uint64 // of its tools
	server   []byte // without its tools
	name     []byte
	tools    []byte
	active   []byte // definitions of its tools
}

// seen is what a row was made of.
type seen struct {
	server  registry.Server
	running bool
	pid     int
	calls   journal.Stats
	tools   []*catalog.Tool
}

// pushedServer is a server as sockets show it.
type pushedServer struct {
	Server
	SecretNames []string       `json:"secret_names,omitempty"`
	Metrics     *ServerMetrics `json:"metrics,omitempty" doc:"of a server that was called"`
}

type pushedTool struct {
	ID          int64           `json:"id"`
	ServerID    int64           `json:"server_id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// survey brings the board up to date and reports whether it changed. Rows of
// the servers in anew are made again even if nothing seems to have changed.
func (s *server) survey(b *board, anew map[string]bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := make(map[string]*row, len(b.rows))
	for _, r := range b.rows {
		known[r.seen.server.Name] = r
	}
	servers, snapshot, calls := s.Registry.List(), s.Catalog.Snapshot(), make(map[string]journal.Stats)
	for _, m := range s.Journal.Totals() {
		calls[m.Server] = m.Stats
	}
	rows, changed := make([]*row, len(servers)), len(servers) != len(b.rows)
	for i, v := range servers {
		state := s.Upstream.State(v.Name)
		now := seen{server: v, running: state.Running, pid: state.PID, calls: calls[v.Name], tools: snapshot.Of(v.Name)}
		rows[i] = known[v.Name]
		if rows[i] == nil || anew[v.Name] || !rows[i].seen.equal(now) {
			rows[i] = s.row(now, known[v.Name], b.rev+1)
			changed = true
		}
	}
	if changed {
		b.rows, b.built = rows, nil
		b.rev++
	}
	return changed
}

func (s seen) equal(o seen) bool {
	return s.running == o.running && s.pid == o.pid && s.calls == o.calls && slices.Equal(s.tools, o.tools) && reflect.DeepEqual(s.server, o.server)
}

// row makes a server's row anew for a revision; what its tools take is kept of
// the row before.
func (s *server) row(now seen, before *row, rev int) *row {
	shown := pushedServer{Server: s.view(now.server)}
	if s.SecretNames != nil {
		shown.SecretNames = s.SecretNames(now.server.Name)
	}
	if c := now.calls; c.Calls > 0 {
		shown.Metrics = &ServerMetrics{now.server.Name, c.Calls, c.Errors, latenciesOf(c)}
	}
	r := &row{seen: now, rev: rev, toolsRev: rev, server: encode(shown), name: encode(now.server.Name)}
	if before != nil && slices.Equal(before.seen.tools, now.tools) {
		r.sum = before.sum
	} else {
		r.sum = sumOf(now.tools)
	}
	// What tools weigh is counted later: then the same ones are others.
	if before != nil && before.sum == r.sum && before.seen.server.Enabled == now.server.Enabled {
		r.toolsRev, r.tools, r.active = before.toolsRev, before.tools, before.active
	}
	return r
}

// sumOf tells whether a client that has tools has these. It is the same after a
// restart, and a number that JavaScript knows exactly.
func sumOf(tools []*catalog.Tool) uint64 {
	h := fnv.New64a()
	for _, t := range tools {
		_, _ = h.Write(strconv.AppendInt(nil, t.ID, 10)) // never fails
		_, _ = h.Write(t.Definition)
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64() >> 11
}

// fill makes what a row says of tools.
func (r *row) fill() {
	if r.tools != nil {
		return
	}
	tools, active := make([]pushedTool, len(r.seen.tools)), make([]json.RawMessage, len(r.seen.tools))
	for i, t := range r.seen.tools {
		tools[i] = pushedTool{t.ID, r.seen.server.ID, t.Name, t.Description, t.InputSchema()}
		active[i] = t.Definition
	}
	slices.SortFunc(tools, func(a, b pushedTool) int { return strings.Compare(a.Name, b.Name) })
	r.tools = encode(tools)
	if r.seen.server.Enabled {
		r.active = encode(active)
	}
}

// write writes the row as one of servers.
func (r *row) write(out *bytes.Buffer, bare, tools bool) {
	out.Write(bytes.TrimSuffix(r.server, []byte("}")))
	switch {
	case bare:
		out.WriteString(`,"tools_rev":`)
		out.WriteString(strconv.FormatUint(r.sum, 10))
	case tools:
		out.WriteString(`,"tools":`)
		out.Write(r.tools)
	}
	out.WriteByte('}')
}

// writeActive writes the row as one of active.
func (r *row) writeActive(out *bytes.Buffer, tools bool) {
	out.WriteString(`{"name":`)
	out.Write(r.name)
	if tools {
		out.WriteString(`,"tools":`)
		out.Write(r.active)
	}
	out.WriteByte('}')
}

// message returns the state for a client that has revision from, and the
// revision that it is of; nil when there is nothing to tell.
func (b *board) message(v view) ([]byte, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Who wants nothing has what it had: the board may be newer by what is offered next.
	if v.kind == nothing || v.kind != whole && v.from == b.rev {
		return nil, v.from
	}
	size := 0 // of all tools
	for _, r := range b.rows {
		if !v.bare {
			r.fill()
		}
		size += len(r.tools) + len(r.active)
	}
	if v.kind == whole || v.kind == delta && (v.bare || size <= lightOver) {
		v.from = 0
	}
	data := b.built[v]
	if data == nil {
		data = b.build(v)
		if b.built == nil {
			b.built = make(map[view][]byte)
		}
		b.built[v] = data
	}
	return data, b.rev
}

// build is called with the lock held.
func (b *board) build(v view) []byte {
	var out, servers, active bytes.Buffer
	var names []string
	for _, r := range b.rows {
		names = append(names, r.seen.server.Name)
		if v.kind == changes && r.rev <= v.from {
			continue
		}
		tools := !v.bare && (v.kind == changes || r.toolsRev > v.from)
		next(&servers)
		r.write(&servers, v.bare, tools)
		if r.seen.server.Enabled {
			next(&active)
			r.writeActive(&active, tools)
		}
	}
	out.WriteString(`{"type":"state"`)
	switch v.kind {
	case whole:
		out.WriteString(`,"version":`)
		out.Write(encode(b.version))
	case changes:
		out.WriteString(`,"delta":true,"names":`)
		out.Write(encode(orEmpty(names)))
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

// next goes on to the next item of a list.
func next(list *bytes.Buffer) {
	if list.Len() > 0 {
		list.WriteByte(',')
	}
}

// clear gives the memory back while nobody looks.
func (b *board) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows, b.built = nil, nil
	b.rev++
}

// encode returns a value as JSON that a WebSocket may carry: what servers sent
// need not be UTF-8.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return []byte("null") // no value of ours
	}
	return bytes.ToValidUTF8(bytes.TrimRight(out.Bytes(), "\n"), []byte("\uFFFD"))
}
