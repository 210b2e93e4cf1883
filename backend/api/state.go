package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/journal"
	"github.com/agent-discover/agent-discover/backend/registry"
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
	size  int               // bytes of all tools
	built map[string][]byte // messages of this revision
}

// row is one server on the board. Its texts are JSON.
type row struct {
	seen     seen
	rev      int    // of the board when it last changed
	toolsRev int    // when its tools did, or whether it is active
	server   []byte // without its tools
	tools    []byte
	name     []byte
	active   []byte // definitions of its tools; nil while it is not active
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
		b.rows, b.built, b.size = rows, nil, 0
		for _, r := range rows {
			b.size += len(r.tools) + len(r.active)
		}
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
	if before != nil && slices.Equal(before.seen.tools, now.tools) && before.seen.server.Enabled == now.server.Enabled {
		r.toolsRev, r.tools, r.active = before.toolsRev, before.tools, before.active
		return r
	}
	tools, active := make([]pushedTool, len(now.tools)), make([]json.RawMessage, len(now.tools))
	for i, t := range now.tools {
		tools[i] = pushedTool{t.ID, now.server.ID, t.Name, t.Description, t.InputSchema()}
		active[i] = t.Definition
	}
	slices.SortFunc(tools, func(a, b pushedTool) int { return strings.Compare(a.Name, b.Name) })
	r.tools = encode(tools)
	if now.server.Enabled {
		r.active = encode(active)
	}
	if before != nil && bytes.Equal(before.tools, r.tools) && bytes.Equal(before.active, r.active) {
		r.toolsRev = before.toolsRev // only what they weigh was counted
	}
	return r
}

// write writes the row as one of servers.
func (r *row) write(out *bytes.Buffer, tools bool) {
	out.Write(bytes.TrimSuffix(r.server, []byte("}")))
	if tools {
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
func (b *board) message(k kind, from int) ([]byte, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k == nothing || k != whole && from == b.rev {
		return nil, b.rev
	}
	if k == whole || k == delta && b.size <= lightOver {
		from = 0
	}
	key := strconv.Itoa(int(k)) + " " + strconv.Itoa(from)
	data := b.built[key]
	if data == nil {
		data = b.build(k, from)
		if b.built == nil {
			b.built = make(map[string][]byte)
		}
		b.built[key] = data
	}
	return data, b.rev
}

// build is called with the lock held.
func (b *board) build(k kind, from int) []byte {
	var out, servers, active bytes.Buffer
	var names []string
	for _, r := range b.rows {
		names = append(names, r.seen.server.Name)
		if k == changes && r.rev <= from {
			continue
		}
		tools := k == changes || r.toolsRev > from
		next(&servers)
		r.write(&servers, tools)
		if r.active != nil {
			next(&active)
			r.writeActive(&active, tools)
		}
	}
	out.WriteString(`{"type":"state"`)
	switch k {
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
	b.rows, b.built, b.size = nil, nil, 0
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
