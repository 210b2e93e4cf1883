package companion

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/era"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// replayID is the prefix of the ids of requests that the companion repeats to a
// new hub. Answers to these requests are not passed to the client.
const replayID = "companion-replay-"

// memory holds the lines of the client that the companion needs to resume the
// session with a new hub. The zero value is ready to use.
type memory struct {
	inFlight    map[string]bool    // ids of requests without an answer, as JSON
	initialize  []byte             // line of the client's initialize request
	initialID   string             // id of initialize, as JSON
	initialized []byte             // notifications/initialized
	level       []byte             // logging/setLevel
	subscribed  map[string][]byte  // resources/subscribe by uri
	listens     map[string]*listen // open subscriptions/listen requests by id
}

// listen is an open subscriptions/listen request. It gets notifications until the
// client cancels it.
type listen struct {
	line  []byte
	sent  bool // to a hub
	acked bool // the client has got the acknowledgement
}

// note remembers a line of the client if it is needed to resume the session.
func (m *memory) note(msg *jsonrpc.Message, line []byte) {
	if msg.IsRequest() && msg.Method == "subscriptions/listen" {
		if m.listens == nil {
			m.listens = make(map[string]*listen)
		}
		m.listens[string(msg.ID)] = &listen{line: bytes.Clone(line)}
	} else if msg.IsRequest() {
		if m.inFlight == nil {
			m.inFlight = make(map[string]bool)
		}
		m.inFlight[string(msg.ID)] = true
	}
	switch msg.Method {
	case "initialize":
		m.initialize, m.initialID = bytes.Clone(line), string(msg.ID)
	case "notifications/initialized":
		m.initialized = bytes.Clone(line)
	case "notifications/cancelled":
		// The hub sends no answer to a cancelled request.
		delete(m.inFlight, string(jsonrpc.Get(msg.Params, "requestId")))
		delete(m.listens, string(jsonrpc.Get(msg.Params, "requestId")))
	case "logging/setLevel":
		m.level = bytes.Clone(line)
	case "resources/subscribe":
		if m.subscribed == nil {
			m.subscribed = make(map[string][]byte)
		}
		m.subscribed[jsonrpc.GetString(msg.Params, "uri")] = bytes.Clone(line)
	case "resources/unsubscribe":
		delete(m.subscribed, jsonrpc.GetString(msg.Params, "uri"))
	}
}

// settle removes an answered request from those in flight, and reports whether
// the answer is for the client.
func (m *memory) settle(id string) bool {
	delete(m.inFlight, id)
	delete(m.listens, id)
	return !bytes.HasPrefix([]byte(id), []byte(`"`+replayID))
}

// greeted reports whether the client's initialize was answered.
func (m *memory) greeted() bool { return m.initialize != nil && !m.inFlight[m.initialID] }

// abandon removes the requests in flight and returns their ids, sorted. An
// unanswered initialize stays, because the next hub answers it.
func (m *memory) abandon() []string {
	var ids []string
	for id := range m.inFlight {
		if id != m.initialID || m.initialize == nil {
			ids = append(ids, id)
			delete(m.inFlight, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// pending returns the lines of an unfinished initialization. They are sent to
// the next hub unchanged, and its answers go to the client.
func (m *memory) pending() [][]byte {
	if m.initialize == nil || m.greeted() {
		return nil
	}
	lines := [][]byte{append(bytes.Clone(m.initialize), '\n')}
	if m.initialized != nil {
		lines = append(lines, append(bytes.Clone(m.initialized), '\n'))
	}
	return lines
}

// replay returns the lines that restore the session on a new hub. The hub's
// answers to them are not passed to the client. Open listen requests keep their ids,
// which their notifications carry.
func (m *memory) replay() []byte {
	var out []byte
	if m.greeted() { // see pending otherwise
		out = m.restore()
	}
	for _, id := range slices.Sorted(maps.Keys(m.listens)) {
		if l := m.listens[id]; l.sent {
			out = append(append(out, l.line...), '\n')
		}
	}
	return out
}

// restore returns the lines that restore a legacy session.
func (m *memory) restore() []byte {
	out := m.again(nil, m.initialize, "initialize")
	if m.initialized != nil {
		out = append(append(out, m.initialized...), '\n')
	}
	if m.level != nil {
		out = m.again(out, m.level, "level")
	}
	for uri, line := range m.subscribed {
		out = m.again(out, line, "subscribe-"+uri)
	}
	return out
}

// sendListens notes that the hub has all open listen requests.
func (m *memory) sendListens() {
	for _, l := range m.listens {
		l.sent = true
	}
}

// acknowledge notes that the hub has acknowledged a listen request, and reports
// whether the acknowledgement is for the client: it is the first.
func (m *memory) acknowledge(id string) bool {
	l := m.listens[id]
	if l == nil || l.acked {
		return false
	}
	l.acked = true
	return true
}

// missed returns notifications that make the client fetch its lists again, because
// they may have changed while there was no hub.
func (m *memory) missed() []byte {
	var out []byte
	if m.greeted() {
		out = append(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n"...)
	}
	for _, id := range slices.Sorted(maps.Keys(m.listens)) {
		l := m.listens[id]
		if !l.acked {
			continue
		}
		params := era.Meta{SubscriptionID: json.RawMessage(id)}.Stamp(nil)
		wanted := jsonrpc.Get(jsonrpc.Get(l.line, "params"), "notifications")
		for _, list := range []string{"tools", "prompts", "resources"} {
			if string(jsonrpc.Get(wanted, list+"ListChanged")) == "true" {
				out = jsonrpc.AppendRequest(out, nil, "notifications/"+list+"/list_changed", params)
			}
		}
	}
	return out
}

// again appends a request to dst, with an id that begins with replayID.
func (m *memory) again(dst, line []byte, what string) []byte {
	return append(append(dst, jsonrpc.Set(line, "id", jsonrpc.Quote(replayID+what))...), '\n')
}
