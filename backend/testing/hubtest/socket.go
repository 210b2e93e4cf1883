package hubtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// Socket is a client's end of a WebSocket.
type Socket struct {
	T    *testing.T
	Conn *websocket.Conn
}

// Dial opens a WebSocket with the given headers.
func Dial(t *testing.T, h *hub.Hub, path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	return websocket.Dial(t.Context(), "ws://"+h.Info().Address()+path, &websocket.DialOptions{HTTPHeader: header})
}

// Connect opens a WebSocket with the hub's own token.
func Connect(t *testing.T, h *hub.Hub, path string) *Socket {
	t.Helper()
	conn, _, err := Dial(t, h, path, http.Header{"Authorization": {"Bearer " + h.Info().Token}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &Socket{t, conn}
}

// Message is a WebSocket message, with the members that tests use.
type Message struct {
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

	Raw string
}

// Next reads the next message, within the deadline. It skips messages of the type tools, which the hub sends
// whenever it has listed the tools of a server.
func (s *Socket) Next() Message {
	s.T.Helper()
	for {
		if m := s.any(); m.Type != "tools" {
			return m
		}
	}
}

func (s *Socket) any() Message {
	s.T.Helper()
	var m Message
	data, err := s.Read()
	if err != nil {
		s.T.Fatalf("the socket was closed: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		s.T.Fatalf("%v in %s", err, data)
	}
	m.Raw = string(data)
	return m
}

// Read returns the next message of any type.
func (s *Socket) Read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.T.Context(), Deadline)
	defer cancel()
	_, data, err := s.Conn.Read(ctx)
	return data, err
}

// Until reads messages until one meets a condition.
func (s *Socket) Until(what string, meets func(Message) bool) Message {
	s.T.Helper()
	for range 1000 {
		if m := s.Next(); meets(m) {
			return m
		}
	}
	s.T.Fatalf("1000 messages do not contain: %s", what)
	return Message{}
}

// Write sends a text message.
func (s *Socket) Write(text string) {
	s.T.Helper()
	if err := s.Conn.Write(s.T.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.T.Fatal(err)
	}
}

// AwaitClose reads until the socket is closed, and returns the code and the reason.
func (s *Socket) AwaitClose() (websocket.StatusCode, string) {
	s.T.Helper()
	for {
		if _, err := s.Read(); err != nil {
			return CloseOf(err)
		}
	}
}

// CloseOf returns the code and the reason in the error of a closed socket.
func CloseOf(err error) (websocket.StatusCode, string) {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return end.Code, end.Reason
	}
	return -1, err.Error()
}

// HubStatus is a WebSocket message of the type hub.
type HubStatus struct {
	Type    string
	Paused  bool
	Calls   int
	Clients []struct {
		Session, Name, Version string
		Calls                  int `json:"calls_in_flight"`
	}
}

// UntilHub reads messages until one of the type hub meets a condition.
func (s *Socket) UntilHub(what string, meets func(HubStatus) bool) HubStatus {
	s.T.Helper()
	var status HubStatus
	s.Until(what, func(m Message) bool {
		if m.Type != "hub" {
			return false
		}
		status = HubStatus{}
		if err := json.Unmarshal([]byte(m.Raw), &status); err != nil {
			s.T.Fatal(err)
		}
		return meets(status)
	})
	return status
}
