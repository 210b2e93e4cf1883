package hub_test

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// hubStatus is a WebSocket message of the type hub.
type hubStatus struct {
	Type    string
	Paused  bool
	Calls   int
	Clients []struct {
		Session, Name, Version string
		Calls                  int `json:"calls_in_flight"`
	}
}

// untilHub reads messages until one of the type hub meets a condition.
func (s *socket) untilHub(what string, meets func(hubStatus) bool) hubStatus {
	s.t.Helper()
	var status hubStatus
	s.until(what, func(m message) bool {
		if m.Type != "hub" {
			return false
		}
		status = hubStatus{}
		if err := json.Unmarshal([]byte(m.raw), &status); err != nil {
			s.t.Fatal(err)
		}
		return meets(status)
	})
	return status
}

func TestSocketMayReceiveTheStatusOfTheHub(t *testing.T) {
	running, _ := runHub(t, hub.Options{})
	addFake(t, running)
	do(t, running, "POST", "/api/servers/1/activate", nil, nil)
	plain := connect(t, running, "/ws")
	s := connect(t, running, "/ws?hub=1")
	if m := s.next(); m.Type != "state" || m.Delta {
		t.Errorf("the first message is %s", m.raw)
	}
	if m := s.until("the hub's status", func(m message) bool { return m.Type != "state" }); m.raw != `{"type":"hub","paused":false,"calls":0,"clients":[],"waiting":0,"warned":0}` {
		t.Errorf("the status is %s", m.raw)
	}
	session, err := companion.Dial(t.Context(), running.Info(), "1.2.3", rand.Text(), companion.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	send := func(line string) {
		t.Helper()
		if _, err := io.WriteString(session, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, session) }()
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"7"}}}`)
	s.untilHub("the client is connected", func(h hubStatus) bool {
		return len(h.Clients) == 1 && h.Clients[0].Name == "editor" && h.Clients[0].Version == "7" && h.Clients[0].Session != ""
	})
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fake__hold","arguments":{"key":"k"}}}`)
	s.untilHub("the call is in flight", func(h hubStatus) bool { return h.Calls == 1 && h.Clients[0].Calls == 1 })
	do(t, running, "POST", "/api/servers/1/call", map[string]any{"tool": "release", "args": map[string]string{"key": "k"}}, nil)
	s.untilHub("the call has ended", func(h hubStatus) bool { return h.Calls == 0 && h.Clients[0].Calls == 0 })
	do(t, running, "POST", "/api/pause", nil, nil)
	s.untilHub("the hub is paused", func(h hubStatus) bool { return h.Paused })
	do(t, running, "POST", "/api/resume", nil, nil)
	s.untilHub("the hub is resumed", func(h hubStatus) bool { return !h.Paused })
	_ = session.Close()
	s.untilHub("the client is gone", func(h hubStatus) bool { return len(h.Clients) == 0 })
	s.write(`{"type":"refresh"}`)
	s.until("the whole state", func(m message) bool { return m.Type == "state" && !m.Delta })
	s.untilHub("the status after a refresh", func(hubStatus) bool { return true })

	// A client that did not request hub messages gets none.
	plain.write(`{"type":"last"}`)
	plain.until("the answer to the last message", func(m message) bool {
		if m.Type == "hub" {
			t.Errorf("a socket without hub=1 received %s", m.raw)
		}
		return m.Type == "error"
	})
}
