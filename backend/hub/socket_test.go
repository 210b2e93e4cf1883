package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// socket is a client's end of a WebSocket.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial opens a WebSocket with these headers.
func dial(t *testing.T, h *hub.Hub, path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	return websocket.Dial(t.Context(), "ws://"+h.Info().Address()+path, &websocket.DialOptions{HTTPHeader: header})
}

// connect opens a WebSocket with the hub's own token.
func connect(t *testing.T, h *hub.Hub, path string) *socket {
	t.Helper()
	conn, _, err := dial(t, h, path, http.Header{"Authorization": {"Bearer " + h.Info().Token}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t, conn}
}

// message is a WebSocket message, with the members that tests use.
type message struct {
	Type    string
	Delta   bool
	Version string
	Names   []string
	Servers []struct {
		Name    string
		Active  bool
		Running bool
		Tokens  int `json:"tool_tokens"`
		Tools   []struct {
			ID          int64
			ServerID    int64 `json:"server_id"`
			Name        string
			InputSchema json.RawMessage `json:"input_schema"`
		}
	}
	Active []struct {
		Name  string
		Tools []struct {
			Name        string
			InputSchema json.RawMessage `json:"inputSchema"`
		}
	}
	Entry   struct{ Server, Tool, Kind string }
	Message string

	raw string
}

// next reads one message, within the deadline. It leaves out those about changed tools,
// which follow whenever a server is listed.
func (s *socket) next() message {
	s.t.Helper()
	for {
		if m := s.any(); m.Type != "tools" {
			return m
		}
	}
}

func (s *socket) any() message {
	s.t.Helper()
	var m message
	data, err := s.read()
	if err != nil {
		s.t.Fatalf("the socket was closed: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		s.t.Fatalf("%v in %s", err, data)
	}
	m.raw = string(data)
	return m
}

func (s *socket) read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), deadline)
	defer cancel()
	_, data, err := s.conn.Read(ctx)
	return data, err
}

// until reads messages until one meets a condition.
func (s *socket) until(what string, meets func(message) bool) message {
	s.t.Helper()
	for range 1000 {
		if m := s.next(); meets(m) {
			return m
		}
	}
	s.t.Fatalf("1000 messages do not contain: %s", what)
	return message{}
}

func (s *socket) write(text string) {
	s.t.Helper()
	if err := s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// awaitClose reads until the socket is closed, and returns the code and the reason.
func (s *socket) awaitClose() (websocket.StatusCode, string) {
	s.t.Helper()
	for {
		if _, err := s.read(); err != nil {
			return closeOf(err)
		}
	}
}

// closeOf returns the code and the reason in the error of a closed socket.
func closeOf(err error) (websocket.StatusCode, string) {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return end.Code, end.Reason
	}
	return -1, err.Error()
}

func TestSocketAnswersInvalidMessages(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/")
	s.next()
	for _, c := range []struct{ text, want string }{
		{`{bad`, `{"type":"error","message":"Invalid JSON"}`},
		{``, `{"type":"error","message":"Invalid JSON"}`},
		{`[1]`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`null`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`"x"`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`{"type":"zz<b>"}`, `{"type":"error","message":"Unknown message type: zzb"}`},
		{`{"type":"&\"'<>"}`, `{"type":"error","message":"Unknown message type: "}`},
		{`{"type":"` + strings.Repeat("é", 100) + `"}`, `{"type":"error","message":"Unknown message type: ` + strings.Repeat("é", 64) + `"}`},
		{`{}`, `{"type":"error","message":"Unknown message type: undefined"}`},
		{`{"type":7}`, `{"type":"error","message":"Unknown message type: 7"}`},
	} {
		s.write(c.text)
		if m := s.next(); m.raw != c.want {
			t.Errorf("%q is answered with %s, want %s", c.text, m.raw, c.want)
		}
	}
	s.write(`{"type":"refresh"}`)
	if m := s.next(); m.raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("the state afterwards is %s", m.raw)
	}
}

func TestOversizedMessageClosesTheSocket(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/")
	s.write(`{"type":"` + strings.Repeat("x", 4096-11) + `"}`)
	s.until("the answer to a message of 4096 bytes", func(m message) bool { return m.Type == "error" })
	s.write(`{"type":"` + strings.Repeat("x", 5000-11) + `"}`)
	if code, reason := s.awaitClose(); code != 1009 || reason != "" {
		t.Errorf("a message of 5000 bytes closed the socket with %d %q", code, reason)
	}
}

func TestFiftyFirstSocketIsRefused(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	var first *socket
	for range 50 {
		first = connect(t, h, "/")
		first.next()
	}
	if code, reason := connect(t, h, "/").awaitClose(); code != 1013 || reason == "" {
		t.Errorf("the 51st socket was closed with %d %q", code, reason)
	}
	if err := first.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	for { // the hub may notice the close later
		conn, _, err := dial(t, h, "/", http.Header{"Authorization": {"Bearer " + h.Info().Token}})
		if err != nil {
			t.Fatal(err)
		}
		again := &socket{t, conn}
		if _, err := again.read(); err == nil {
			_ = conn.CloseNow()
			return
		}
	}
}

func TestStoppingHubClosesSockets(t *testing.T) {
	h, ended := runHub(t, hub.Options{})
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	s := connect(t, h, "/")
	if m := s.next(); !m.Servers[0].Running {
		t.Fatalf("the server does not run: %s", m.raw)
	}
	h.Stop()
	s.until("the server has ended", func(m message) bool { return !m.Servers[0].Running })
	if code, reason := s.awaitClose(); code != 1001 || reason != "the hub is stopping" {
		t.Errorf("the socket was closed with %d %q", code, reason)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSocketNeedsATokenOrASocketTicket(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	ticket := func(purpose string) string {
		var issued struct{ Ticket string }
		do(t, h, "POST", "/api/tickets", map[string]string{"purpose": purpose}, &issued)
		return issued.Ticket
	}
	used := ticket("socket")
	token := http.Header{"Authorization": {"Bearer " + h.Info().Token}}
	page := func(origin string) http.Header { return http.Header{"Origin": {origin}} }
	own := "http://" + h.Info().Address()
	for _, c := range []struct {
		name, path string
		header     http.Header
		status     int
	}{
		{"no credential", "/", nil, 401},
		{"the token in the query", "/?token=" + h.Info().Token, nil, 401},
		{"the token as a ticket", "/?ticket=" + h.Info().Token, nil, 401},
		{"a ticket", "/?ticket=" + used, nil, 101},
		{"a ticket that was used", "/?ticket=" + used, nil, 401},
		{"a ticket for a page", "/?ticket=" + ticket("page"), nil, 401},
		{"the token", "/", token, 101},
		{"the token at /ws", "/ws", token, 101},
		{"the token at a path without a socket", "/api/servers", token, 200},
		{"a ticket in the hub's own page", "/ws?ticket=" + ticket("socket"), page(own), 101},
		{"a ticket in the window", "/ws?ticket=" + ticket("socket"), page("wails://wails"), 101},
		{"a ticket in a foreign page", "/ws?ticket=" + ticket("socket"), page("http://evil.example"), 403},
		{"a ticket in a page on another port", "/ws?ticket=" + ticket("socket"), page("http://127.0.0.1:1"), 403},
		{"the token in a foreign page", "/", http.Header{"Authorization": token["Authorization"], "Origin": {"http://evil.example"}}, 403},
	} {
		conn, resp, err := dial(t, h, c.path, c.header)
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v, want %d", c.name, err, c.status)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
	}
}
