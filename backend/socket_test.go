package backend_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend"
	"github.com/agent-discover/agent-discover/backend/api"
	"github.com/agent-discover/agent-discover/backend/instance"
	"github.com/agent-discover/agent-discover/backend/mcptest"
)

// socket is a client's end of a WebSocket.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, hub *backend.Hub, path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	return websocket.Dial(t.Context(), "ws://"+hub.Info().Address()+path, &websocket.DialOptions{HTTPHeader: header})
}

// connect opens a WebSocket with the hub's own token.
func connect(t *testing.T, hub *backend.Hub, path string) *socket {
	t.Helper()
	conn, _, err := dial(t, hub, path, http.Header{"Authorization": {"Bearer " + hub.Info().Token}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t, conn}
}

// message is what sockets get, as far as tests look at it.
type message struct {
	Type    string
	Delta   bool
	Version string
	Names   []string
	Servers []struct {
		Name    string
		Active  bool
		Running bool
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

// next reads one message; a socket that is silent for long fails the test.
func (s *socket) next() message {
	s.t.Helper()
	var m message
	data, err := s.read()
	if err != nil {
		s.t.Fatalf("the socket ended: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		s.t.Fatalf("%v in %s", err, data)
	}
	m.raw = string(data)
	return m
}

func (s *socket) read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	_, data, err := s.conn.Read(ctx)
	return data, err
}

// until reads up to a message that meets a condition.
func (s *socket) until(what string, meets func(message) bool) message {
	s.t.Helper()
	for range 1000 {
		if m := s.next(); meets(m) {
			return m
		}
	}
	s.t.Fatalf("it never came: %s", what)
	return message{}
}

func (s *socket) write(text string) {
	s.t.Helper()
	if err := s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// ends reads up to the end and returns the code and the reason.
func (s *socket) ends() (websocket.StatusCode, string) {
	s.t.Helper()
	for {
		if _, err := s.read(); err != nil {
			return closeOf(err)
		}
	}
}

func closeOf(err error) (websocket.StatusCode, string) {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return end.Code, end.Reason
	}
	return -1, err.Error()
}

// do sends a request of REST that has to succeed.
func do(t *testing.T, hub *backend.Hub, method, path string, body, out any) {
	t.Helper()
	if err := instance.NewClient(hub.Info()).Do(t.Context(), method, path, body, out); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

func TestASocketShowsTheStateAndEveryChangeOfIt(t *testing.T) {
	hub, _ := runHub(t, backend.Options{})
	s := connect(t, hub, "/")
	if m := s.next(); m.raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("at first it says %s", m.raw)
	}
	command := mcptest.Command(t)
	do(t, hub, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
	m := s.next()
	if m.Type != "state" || !m.Delta || len(m.Servers) != 1 || m.Servers[0].Name != "fake" || len(m.Active) != 0 {
		t.Errorf("after a server was added: %s", m.raw)
	}
	do(t, hub, "POST", "/api/servers/1/activate", nil, nil)
	m = s.until("the server is active", func(m message) bool { return len(m.Active) == 1 && m.Servers[0].Running })
	tool := m.Servers[0].Tools[0]
	if tool.ID == 0 || tool.ServerID != 1 || tool.Name == "" || !strings.HasPrefix(string(tool.InputSchema), "{") {
		t.Errorf("the first tool is %+v", tool)
	}
	if shown := m.Active[0].Tools[0]; shown.Name != tool.Name || !strings.HasPrefix(string(shown.InputSchema), "{") {
		t.Errorf("the first active tool is %+v", shown)
	}
	do(t, hub, "DELETE", "/api/servers/1", nil, nil)
	s.until("the server is gone", func(m message) bool { return m.Delta && len(m.Servers) == 0 })
	_ = api.Times{}
}
