package endpoint

import (
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// serveSSE serves the transport HTTP+SSE of MCP 2024-11-05: GET opens the only stream of
// a session, whose first event is the URL to which the client posts its messages.
func (c *conversation) serveSSE() {
	switch c.r.Method {
	case http.MethodGet:
		c.openSSE()
	case http.MethodPost:
		c.postSSE()
	default:
		c.w.Header().Set("Allow", "GET, POST")
		refuse(c.w, http.StatusMethodNotAllowed, nil, invalid("use GET to open a stream"))
	}
}

// sessionQuery is the query parameter that names the session in the URL for messages.
const sessionQuery = "session"

func (c *conversation) openSSE() {
	if !c.enter() {
		return
	}
	defer c.leave()
	l := newLink(instance.NewSecret())
	l.single = true
	l.outside.name = "" // this transport has no replay, so events need no ids
	s, ok := c.newSession(l)
	if !ok {
		return
	}
	defer s.end(errDeleted)
	reader := l.outside.attach(0)
	l.outside.put(event{name: "endpoint", parts: [][]byte{[]byte(SSEPath + "?" + sessionQuery + "=" + l.id + "\n")}})
	c.send(reader, reply{eager: true})
}

// postSSE receives a message. It sends the answer to a request on the stream of the session.
func (c *conversation) postSSE() {
	body, ok := c.body()
	if !ok {
		return
	}
	m, ok := c.parse(body)
	if !ok {
		return
	}
	name := c.r.URL.Query().Get(sessionQuery)
	if name == "" {
		refuse(c.w, http.StatusBadRequest, m.ID, invalid("the URL names no session; open a stream with GET first"))
		return
	}
	s, ok := c.sessionNamed(name, m.ID)
	if !ok {
		return
	}
	defer s.release()
	if !m.IsRequest() {
		s.receive(m)
	} else {
		m.Params = withoutModern(m.Params)
		if _, refused := s.start(c.r.Context(), m, s.link.outside); refused != nil {
			s.link.outside.settle(answer(m.ID, nil, refused))
		}
	}
	c.w.WriteHeader(http.StatusAccepted)
}
