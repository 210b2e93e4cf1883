package companion

import (
	"bytes"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// replayID is the prefix of the ids of requests that the companion repeats to a
// new hub. Answers to these requests are not passed to the client.
const replayID = "companion-replay-"

// memory holds the lines of the client that the companion needs to resume the
// session with a new hub. The zero value is ready to use.
type memory struct {
	inFlight    map[string]bool   // ids of requests without an answer, as JSON
	initialize  []byte            // line of the client's initialize request
	initialID   string            // id of initialize, as JSON
	initialized []byte            // notifications/initialized
	level       []byte            // logging/setLevel
	subscribed  map[string][]byte // resources/subscribe by uri
}

// note remembers a line of the client if it is needed to resume the session.
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

// settle removes an answered request from those in flight, and reports whether
// the answer is for the client.
func (m *memory) settle(id string) bool {
	delete(m.inFlight, id)
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
// answers to them are not passed to the client.
func (m *memory) replay() []byte {
	if !m.greeted() {
		return nil // nothing to restore; see pending
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

// again appends a request to dst, with an id that begins with replayID.
func (m *memory) again(dst, line []byte, what string) []byte {
	return append(append(dst, jsonrpc.Set(line, "id", jsonrpc.Quote(replayID+what))...), '\n')
}
