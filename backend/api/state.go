package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/registry"
)

// kind is how much of the state a message holds.
type kind int

const (
	nothing kind = iota
	changes      // the servers that differ from what a client has
	delta        // all servers, as clients of the original expect
	whole        // that and the version: begin anew
)

// board is what every socket shows: each server with its tools. A server is
// encoded once for all sockets, and again when it has changed.
type board struct {
	version string

	mu    sync.Mutex
	rev   int // counts changes
	rows  []*row
	built map[string][]byte // messages of this revision
}

// row is one server on the board.
type row struct {
	seen   seen
	rev    int    // of the board when it last changed
	server []byte // JSON
	active []byte // JSON; nil while it is not active
}

// seen is what a row was made of.
type seen struct {
	server  registry.Server
	running bool
	pid     int
	tools   []*catalog.Tool
}

// pushedServer is a server as sockets show it.
type pushedServer struct {
	Server
	SecretNames []string     `json:"secret_names,omitempty"`
	Tools       []pushedTool `json:"tools"`
}

type pushedTool struct {
	ID          int64           `json:"id"`
	ServerID    int64           `json:"server_id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type pushedActive struct {
	Name  string            `json:"name"`
	Tools []json.RawMessage `json:"tools"`
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
	servers, snapshot := s.Registry.List(), s.Catalog.Snapshot()
	rows, changed := make([]*row, len(servers)), len(servers) != len(b.rows)
	for i, v := range servers {
		state := s.Upstream.State(v.Name)
		now := seen{server: v, running: state.Running, pid: state.PID, tools: snapshot.Of(v.Name)}
		rows[i] = known[v.Name]
		if rows[i] == nil || anew[v.Name] || !rows[i].seen.equal(now) {
			rows[i] = s.row(now)
			rows[i].rev = b.rev + 1
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
	return s.running == o.running && s.pid == o.pid && slices.Equal(s.tools, o.tools) && reflect.DeepEqual(s.server, o.server)
}

func (s *server) row(now seen) *row {
	shown := pushedServer{Server: s.view(now.server), Tools: make([]pushedTool, len(now.tools))}
	if s.SecretNames != nil {
		shown.SecretNames = s.SecretNames(now.server.Name)
	}
	active := pushedActive{Name: now.server.Name, Tools: make([]json.RawMessage, len(now.tools))}
	for i, t := range now.tools {
		shown.Tools[i] = pushedTool{t.ID, now.server.ID, t.Name, t.Description, t.InputSchema()}
		active.Tools[i] = t.Definition
	}
	r := &row{seen: now, server: encode(shown)}
	if now.server.Enabled {
		r.active = encode(active)
	}
	return r
}

// message returns the state for a client that has revision from, and the
// revision that it is of; nil when there is nothing to tell.
func (b *board) message(k kind, from int) ([]byte, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k == nothing || k != whole && from == b.rev {
		return nil, b.rev
	}
	if k != changes {
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
	var names []string
	var servers, active [][]byte
	for _, r := range b.rows {
		names = append(names, r.seen.server.Name)
		if k == changes && r.rev <= from {
			continue
		}
		servers = append(servers, r.server)
		if r.active != nil {
			active = append(active, r.active)
		}
	}
	var out bytes.Buffer
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
	out.Write(bytes.Join(servers, []byte(",")))
	out.WriteString(`],"active":[`)
	out.Write(bytes.Join(active, []byte(",")))
	out.WriteString(`]}`)
	return out.Bytes()
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
