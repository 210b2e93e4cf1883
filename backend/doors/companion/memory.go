package companion

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/answercache"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// replayID is the prefix of the ids of requests that the companion repeats to a
// new hub. Answers to these requests are not passed to the client.
const replayID = "companion-replay-"

// memory holds the lines of the client that the companion needs to resume the
// session with a new hub. The zero value is ready to use.
type memory struct {
	inFlight    map[string][]byte   // by id as JSON: the line of an unanswered request; nil if it must not be repeated
	sent        map[string]sentLine // requests without an answer that were sent to the current hub, by id
	questions   map[string]question // requests whose answers are to be cached, by id
	early       map[string]question // requests that were answered from the cache, by the ids with which replay repeats them
	called      bool                // the client has called a tool
	stale       bool                // the client's list of tools differs from the hub's
	initialize  []byte              // line of the client's initialize request
	initialID   string              // id of initialize, as JSON
	initialized []byte              // notifications/initialized
	level       []byte              // logging/setLevel
	subscribed  map[string][]byte   // resources/subscribe by uri
	listens     map[string]*listen  // open subscriptions/listen requests by id
}

// sentLine is the line of a request that was sent to a hub.
type sentLine struct {
	number int // of the line on the link, from 1
	line   []byte
	undone bool // the hub has not carried out the request
}

// question is a request whose answer is to be cached.
type question struct {
	key   answercache.Key
	line  []byte           // the request, if it was answered from the cache
	shown *answercache.Sum // sum of the cached answer that the client got; nil if there was none
}

// listen is an open subscriptions/listen request. The client gets notifications for it until it cancels the
// request.
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
			m.inFlight = make(map[string][]byte)
		}
		m.inFlight[string(msg.ID)] = nil
		if changesNothing(msg.Method) {
			m.inFlight[string(msg.ID)] = bytes.Clone(line)
		}
	}
	switch msg.Method {
	case "tools/call":
		m.called = true
	case "tools/list":
		m.stale = false
	case "initialize":
		m.initialize, m.initialID = bytes.Clone(line), string(msg.ID)
	case "notifications/initialized":
		m.initialized = bytes.Clone(line)
	case "notifications/cancelled":
		// The hub sends no answer to a cancelled request.
		delete(m.inFlight, string(jsonrpc.Get(msg.Params, "requestId")))
		delete(m.sent, string(jsonrpc.Get(msg.Params, "requestId")))
		delete(m.questions, string(jsonrpc.Get(msg.Params, "requestId")))
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
	delete(m.sent, id)
	delete(m.questions, id)
	delete(m.listens, id)
	return !bytes.HasPrefix([]byte(id), []byte(`"`+replayID))
}

// ask remembers that the answer to a request is to be cached under a key.
func (m *memory) ask(id json.RawMessage, key answercache.Key) {
	if m.questions == nil {
		m.questions = make(map[string]question)
	}
	m.questions[string(id)] = question{key: key}
}

// show remembers a request that was answered from the cache, so that replay repeats it.
func (m *memory) show(key answercache.Key, line []byte, sum answercache.Sum) {
	what := key.Era + "-" + key.Method
	if key.Method == "initialize" { // restore repeats it
		what = key.Method
	}
	if m.early == nil {
		m.early = make(map[string]question)
	}
	m.early[string(jsonrpc.Quote(replayID+what))] = question{key: key, line: bytes.Clone(line), shown: &sum}
}

// question returns the recorded question whose request has the given id, and removes it. It returns nil if the answer
// to this request is not to be cached.
func (m *memory) question(id string) *question {
	q, ok := m.early[id]
	if !ok {
		q, ok = m.questions[id]
	}
	delete(m.early, id)
	delete(m.questions, id)
	if !ok {
		return nil
	}
	return &q
}

// greeted reports whether the client has sent initialize and got its answer.
func (m *memory) greeted() bool { return m.initialize != nil && !m.waits(m.initialID) }

// waits reports whether the request with this id has no answer yet.
func (m *memory) waits(id string) bool {
	_, ok := m.inFlight[id]
	return ok
}

// changesNothing reports whether a request with this method may be repeated to the next hub if its answer was lost. A
// request that reaches a server, such as resources/read, must not be repeated, because a server may act on every
// request.
func changesNothing(method string) bool {
	switch method {
	case "ping", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return true
	}
	return false
}

// send records that a request was sent to the hub. number is the position of its line among the lines sent on the link,
// counted from 1.
func (m *memory) send(id json.RawMessage, number int, line []byte) {
	if m.sent == nil {
		m.sent = make(map[string]sentLine)
	}
	if m.waits(string(id)) {
		m.sent[string(id)] = sentLine{number: number, line: bytes.Clone(line)}
	}
}

// rewind makes abandon treat requests that were sent like those that the hub did not read. ids are their ids.
func (m *memory) rewind(ids []json.RawMessage) {
	for _, id := range ids {
		if sent, ok := m.sent[string(id)]; ok {
			sent.undone = true
			m.sent[string(id)] = sent
		}
	}
}

// abandon handles the requests in flight on a lost link, in the order in which they were sent. read is the number of
// lines that the hub has read, or everything if the hub did not say. The result again contains the lines to send to the
// next hub. The result lost contains the ids of all other requests, which abandon removes from m. A request that the
// hub may have read is sent again only once, in case the hub ended because of it. An unanswered initialize stays in
// flight, because the next hub answers it.
func (m *memory) abandon(read int) (again [][]byte, lost []string) {
	order := func(a, b string) int {
		return cmp.Or(cmp.Compare(m.sent[a].number, m.sent[b].number), cmp.Compare(a, b))
	}
	for _, id := range slices.SortedFunc(maps.Keys(m.inFlight), order) {
		line, sent := m.inFlight[id], m.sent[id]
		switch {
		case id == m.initialID && m.initialize != nil:
		case sent.number > read, sent.undone:
			again = append(again, append(sent.line, '\n'))
		case line != nil:
			again = append(again, append(line, '\n'))
			m.inFlight[id] = nil
		default:
			lost = append(lost, id)
			delete(m.inFlight, id)
			delete(m.questions, id)
		}
	}
	clear(m.sent)
	return again, lost
}

// everything is used as the number of lines that a hub has read if it has not sent a farewell.
const everything = math.MaxInt

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

// replay returns the lines that restore the session on a new hub. The hub's answers to them are not passed to the
// client. Open listen requests keep their ids, because their notifications contain them.
func (m *memory) replay() []byte {
	var out []byte
	if m.greeted() { // otherwise pending returns the initialize request
		out = m.restore()
	}
	for _, id := range slices.Sorted(maps.Keys(m.listens)) {
		if l := m.listens[id]; l.sent {
			out = append(append(out, l.line...), '\n')
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.early)) {
		if q := m.early[id]; q.key.Method != "initialize" {
			out = append(append(out, jsonrpc.Set(q.line, "id", json.RawMessage(id))...), '\n')
		}
	}
	return out
}

// restores reports whether restore sends a line of the client to the next hub, so that
// the line need not be queued.
func (m *memory) restores(msg *jsonrpc.Message) bool {
	return msg.Method == "notifications/initialized" && m.greeted()
}

// restore returns the lines that restore a legacy session.
func (m *memory) restore() []byte {
	out := m.again(nil, m.initialize, "initialize")
	if m.initialized != nil {
		out = append(append(out, m.initialized...), '\n')
	}
	if m.level != nil && !m.queued(m.level) {
		out = m.again(out, m.level, "level")
	}
	for uri, line := range m.subscribed {
		if !m.queued(line) {
			out = m.again(out, line, "subscribe-"+uri)
		}
	}
	return out
}

// queued reports whether the request in line has no answer yet. The next hub gets such a request from the queue.
func (m *memory) queued(line []byte) bool { return m.waits(string(jsonrpc.Get(line, "id"))) }

// sendListens records that all open listen requests were sent to a hub, so that replay repeats them to the next
// hub.
func (m *memory) sendListens() {
	for _, l := range m.listens {
		l.sent = true
	}
}

// acknowledge records that the hub has acknowledged a listen request. first reports whether this is the first
// acknowledgement, which must be passed to the client. missed contains notifications that the client must get after the
// acknowledgement.
func (m *memory) acknowledge(id string) (first bool, missed []byte) {
	l := m.listens[id]
	if l == nil || l.acked {
		return false, nil
	}
	l.acked = true
	if m.stale {
		missed = m.announceTools(true)
	}
	return true, missed
}

// announceTools returns notifications that make the client fetch its list of tools again. A modern client gets them
// only on listen requests that ask for them. If no such request is open, announceTools sets stale, and acknowledge
// returns the notification for the client's next such request.
func (m *memory) announceTools(modern bool) []byte {
	if !modern {
		return []byte(toolsChanged)
	}
	var out []byte
	for _, id := range slices.Sorted(maps.Keys(m.listens)) {
		out = m.listens[id].changed(out, id, "tools")
	}
	m.stale = len(out) == 0
	return out
}

// changed appends to dst a list_changed notification for each of the given lists that the listen request asks for.
// Before the request is acknowledged, it appends nothing. id is the id of the request.
func (l *listen) changed(dst []byte, id string, lists ...string) []byte {
	if !l.acked {
		return dst
	}
	params := mcpversion.Meta{SubscriptionID: json.RawMessage(id)}.Stamp(nil)
	wanted := jsonrpc.Get(jsonrpc.Get(l.line, "params"), "notifications")
	for _, list := range lists {
		if string(jsonrpc.Get(wanted, list+"ListChanged")) == "true" {
			dst = jsonrpc.AppendRequest(dst, nil, "notifications/"+list+"/list_changed", params)
		}
	}
	return dst
}

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// missed returns notifications that make the client fetch its lists again, because the lists may have changed while no
// hub was connected.
func (m *memory) missed() []byte {
	var out []byte
	if m.greeted() {
		out = append(out, toolsChanged...)
	}
	for _, id := range slices.Sorted(maps.Keys(m.listens)) {
		out = m.listens[id].changed(out, id, "tools", "prompts", "resources")
	}
	return out
}

// again appends the request in line to dst, with the id replayID+what.
func (m *memory) again(dst, line []byte, what string) []byte {
	return append(append(dst, jsonrpc.Set(line, "id", jsonrpc.Quote(replayID+what))...), '\n')
}
