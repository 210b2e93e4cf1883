package endpoint

import (
	"cmp"
	"crypto/rand"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// batchVersion is the only version of MCP that allows batches. primeVersion is the first version in which streams
// begin with an event that has an id and no data.
const (
	batchVersion = "2025-03-26"
	primeVersion = "2025-11-25"
)

// legacy serves a message of an MCP version before 2026-07-28.
func (c *conversation) legacy(m jsonrpc.Message) {
	if !c.checkVersion(m.ID) {
		return
	}
	if m.Method == "initialize" && m.IsRequest() && c.r.Header.Get(sessionHeader) == "" {
		c.initialize(m)
		return
	}
	s, ok := c.session(m.ID)
	if !ok {
		return
	}
	defer s.release()
	if !m.IsRequest() {
		s.receive(m)
		c.w.WriteHeader(http.StatusAccepted)
		return
	}
	c.answer(s, []jsonrpc.Message{m}, reply{stream: prefersStream(c.r)})
}

// checkVersion reports whether the header MCP-Protocol-Version is missing or names a legacy version. If not, it answers
// the request with an error. The version may differ from that of the session, because some clients send another version
// than they have negotiated.
func (c *conversation) checkVersion(id []byte) bool {
	if v := c.version(); v != "" && mcpversion.Of(v) != mcpversion.Legacy {
		refuse(c.w, http.StatusBadRequest, id, invalid("the MCP-Protocol-Version is not supported"))
		return false
	}
	return true
}

// session returns the session that the header Mcp-Session-Id names. The caller releases it. If the session has ended
// or belongs to another client, session answers the request and returns false.
func (c *conversation) session(id []byte) (s *session, ok bool) {
	return c.sessionNamed(c.r.Header.Get(sessionHeader), id)
}

func (c *conversation) sessionNamed(name string, id []byte) (s *session, ok bool) {
	if name == "" {
		refuse(c.w, http.StatusBadRequest, id, invalid("the header Mcp-Session-Id is missing; send initialize first"))
		return nil, false
	}
	c.endpoint.mu.Lock()
	s = c.endpoint.legacy[name]
	c.endpoint.mu.Unlock()
	single := c.r.URL.Path == SSEPath
	switch {
	case s == nil || s.link.single != single || !s.hold():
		refuse(c.w, http.StatusNotFound, id, invalid("the session has ended; send initialize"))
		return nil, false
	case s.principal.ID != c.principal.ID || s.server != c.server:
		s.release()
		refuse(c.w, http.StatusForbidden, id, invalid("the session belongs to another token or server"))
		return nil, false
	case c.toolset != "" && c.toolset != cmp.Or(s.toolset, surfaces.Toolset(s.principal.Surface)):
		s.release()
		refuse(c.w, http.StatusForbidden, id,
			invalid("the session does not belong to this toolset; send initialize with the header "+ToolsetHeader))
		return nil, false
	}
	return s, true
}

// newSession begins a legacy session. The caller releases it.
func (c *conversation) newSession(l *link) (s *session, ok bool) {
	e := c.endpoint
	e.mu.Lock()
	if s, ok = e.admit(c.principal, c.server, c.toolset); ok {
		s.link = l
		e.legacy[l.id] = s
	}
	e.mu.Unlock()
	if !ok {
		unavailable(c.w, "the hub is stopping")
		return nil, false
	}
	s.open("http-" + rand.Text())
	return s, true
}

// initialize begins a session with its first request.
func (c *conversation) initialize(m jsonrpc.Message) {
	s, ok := c.newSession(newLink(instance.NewSecret()))
	if !ok {
		return
	}
	defer s.release()
	s.link.version = mcpversion.Negotiate(jsonrpc.GetString(m.Params, "protocolVersion"))
	c.w.Header().Set(sessionHeader, s.link.id)
	c.answer(s, []jsonrpc.Message{m}, reply{stream: prefersStream(c.r)})
}

// receive handles a notification or an answer of the client.
func (s *session) receive(m jsonrpc.Message) {
	switch {
	case m.IsResponse():
		s.link.settle(m)
	case m.Method == "notifications/cancelled":
		s.cancel(m.Params)
	default:
		s.serving.Notification(m.Method, m.Params)
	}
}

// answer runs requests and sends their answers. The requests go on if the client disconnects.
func (c *conversation) answer(s *session, requests []jsonrpc.Message, how reply) {
	if !c.enter() {
		return
	}
	defer c.leave()
	to := s.link.stream(len(requests))
	reader := to.attach(0)
	for _, m := range requests {
		m.Params = withoutModern(m.Params)
		if _, refused := s.start(c.r.Context(), m, to); refused != nil {
			s.settle(to, answer(m.ID, nil, refused))
		}
	}
	how.prime = s.link.version >= primeVersion
	c.send(reader, how)
}

// withoutModern removes the metadata of the modern era from params, so that the gateway serves a request with a
// legacy header as legacy.
func withoutModern(params []byte) []byte { return mcpversion.Meta{}.Stamp(params) }

// batch serves an array of messages. Only sessions of batchVersion accept arrays.
func (c *conversation) batch(body []byte) {
	if !jsonrpc.Valid(body) {
		refuse(c.w, http.StatusBadRequest, nil, jsonrpc.NewError(jsonrpc.CodeParseError, "Parse error"))
		return
	}
	if c.r.Header.Get(sessionHeader) == "" || mcpversion.Of(c.version()) == mcpversion.Modern {
		refuse(c.w, http.StatusBadRequest, nil, errBatch)
		return
	}
	if !c.checkVersion(nil) {
		return
	}
	s, ok := c.session(nil)
	if !ok {
		return
	}
	defer s.release()
	if s.link.version != batchVersion {
		refuse(c.w, http.StatusBadRequest, nil, errBatch)
		return
	}
	joinLines(body)
	messages, ok := c.messages(body)
	if !ok {
		return
	}
	var requests []jsonrpc.Message
	for _, m := range messages {
		if m.IsRequest() {
			requests = append(requests, m)
		} else {
			s.receive(m)
		}
	}
	if len(requests) == 0 {
		c.w.WriteHeader(http.StatusAccepted)
		return
	}
	c.answer(s, requests, reply{batch: true, stream: prefersStream(c.r)})
}

var errBatch = invalid("arrays of messages belong to MCP " + batchVersion + "; send one message")

// messages parses the messages of a batch. If a message is invalid or their number is not allowed, it answers the
// HTTP request and returns false.
func (c *conversation) messages(body []byte) (messages []jsonrpc.Message, ok bool) {
	for item := range jsonrpc.Items(body) {
		m, err := jsonrpc.Parse(item)
		if err != nil {
			refuse(c.w, http.StatusBadRequest, m.ID, jsonrpc.ErrorOf(err))
			return nil, false
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 || len(messages) > maxBatch {
		refuse(c.w, http.StatusBadRequest, nil, invalid("an array needs 1 to 100 messages"))
		return nil, false
	}
	return messages, true
}

// get serves a GET request. With the header Last-Event-ID, it sends the rest of a stream whose connection the client
// has lost. Otherwise, it sends the messages that do not belong to a request of the client.
func (c *conversation) get() {
	if mcpversion.Of(c.version()) == mcpversion.Modern || c.r.Header.Get(sessionHeader) == "" {
		notAllowed(c.w)
		return
	}
	if !c.checkVersion(nil) {
		return
	}
	s, ok := c.session(nil)
	if !ok {
		return
	}
	defer s.release()
	if !c.enter() {
		return
	}
	defer c.leave()
	last := c.r.Header.Get(lastEventHeader)
	if last == "" {
		c.send(s.link.outside.attach(s.link.outside.taken()), reply{eager: true, prime: s.link.version >= primeVersion})
		return
	}
	stream, number, ok := s.link.find(last)
	var reader *reader
	if ok {
		reader = stream.resume(number)
	}
	if reader == nil {
		refuse(c.w, http.StatusBadRequest, nil, invalid("the events after Last-Event-ID are no longer kept"))
		return
	}
	c.send(reader, reply{eager: true})
}

// delete serves a DELETE request, with which a client ends its session.
func (c *conversation) delete() {
	if mcpversion.Of(c.version()) == mcpversion.Modern || c.r.Header.Get(sessionHeader) == "" {
		notAllowed(c.w)
		return
	}
	s, ok := c.session(nil)
	if !ok {
		return
	}
	s.release()
	s.end(errDeleted)
	c.w.WriteHeader(http.StatusNoContent)
}
