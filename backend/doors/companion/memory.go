package companion

import (
	"bytes"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// replayID marks the ids of requests that the companion repeats on its own;
// their answers are not for the client.
const replayID = "companion-replay-"

// memory is what a companion must remember of a session to open it again with
// another hub: nothing that it would have to understand, only lines.
type memory struct {
	inFlight    map[string]bool // ids of requests without an answer, raw
	initialize  []byte          // the client's line
	initialID   string          // its id, raw
	initialized []byte
	level       []byte            // logging/setLevel
	subscribed  map[string][]byte // resources/subscribe by uri
}

// note remembers what matters of a client's line.
func (m *memory) note(msg *jsonrpc.Message, line []byte) {
	if msg.IsRequest() {
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

// settle notes an answer and reports whether it is for the client.
func (m *memory) settle(id string) bool {
	delete(m.inFlight, id)
	return !bytes.HasPrefix([]byte(id), []byte(`"`+replayID))
}

// greeted reports whether the client has seen its initialize answered.
func (m *memory) greeted() bool { return m.initialize != nil && !m.inFlight[m.initialID] }

// abandon returns the ids that no answer will come for any more. initialize is
// not among them: it is sent again, and the next hub answers it.
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

// pending returns the lines that a new hub must answer to the client itself:
// those of a session that was still being opened.
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

// replay returns the lines that bring a new hub to where the session is; the
// client does not see their answers.
func (m *memory) replay() []byte {
	if !m.greeted() {
		return nil // what opens the session is among the pending lines
	}
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

// again appends a request under an id of ours.
func (m *memory) again(dst, line []byte, what string) []byte {
	return append(append(dst, jsonrpc.Set(line, "id", jsonrpc.Quote(replayID+what))...), '\n')
}
