package dashboard_test

import (
	"crypto/rand"
	"io"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestSocketMayReceiveTheStatusOfTheHub(t *testing.T) {
	running, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, running)
	hubtest.Do(t, running, "POST", "/api/servers/1/activate", nil, nil)
	plain := hubtest.Connect(t, running, "/ws")
	s := hubtest.Connect(t, running, "/ws?hub=1")
	if m := s.Next(); m.Type != "state" || m.Delta {
		t.Errorf("the first message is %s", m.Raw)
	}
	if m := s.Until("the hub's status", func(m hubtest.Message) bool {
		return m.Type != "state"
	}); m.Raw != `{"type":"hub","paused":false,"calls":0,"clients":[],"waiting":0,"warned":0}` {
		t.Errorf("the status is %s", m.Raw)
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
	s.UntilHub("the client is connected", func(h hubtest.HubStatus) bool {
		return len(h.Clients) == 1 && h.Clients[0].Name == "editor" && h.Clients[0].Version == "7" && h.Clients[0].Session != ""
	})
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fake__hold","arguments":{"key":"k"}}}`)
	s.UntilHub("the call is in flight", func(h hubtest.HubStatus) bool { return h.Calls == 1 && h.Clients[0].Calls == 1 })
	hubtest.Do(t, running, "POST", "/api/servers/1/call", map[string]any{"tool": "release", "args": map[string]string{"key": "k"}}, nil)
	s.UntilHub("the call has ended", func(h hubtest.HubStatus) bool { return h.Calls == 0 && h.Clients[0].Calls == 0 })
	hubtest.Do(t, running, "POST", "/api/pause", nil, nil)
	s.UntilHub("the hub is paused", func(h hubtest.HubStatus) bool { return h.Paused })
	hubtest.Do(t, running, "POST", "/api/resume", nil, nil)
	s.UntilHub("the hub is resumed", func(h hubtest.HubStatus) bool { return !h.Paused })
	_ = session.Close()
	s.UntilHub("the client is gone", func(h hubtest.HubStatus) bool { return len(h.Clients) == 0 })
	s.Write(`{"type":"refresh"}`)
	s.Until("the whole state", func(m hubtest.Message) bool { return m.Type == "state" && !m.Delta })
	s.UntilHub("the status after a refresh", func(hubtest.HubStatus) bool { return true })

	// A client that did not request hub messages with hub=1 gets none.
	plain.Write(`{"type":"last"}`)
	plain.Until("the answer to the last message", func(m hubtest.Message) bool {
		if m.Type == "hub" {
			t.Errorf("a socket without hub=1 received %s", m.Raw)
		}
		return m.Type == "error"
	})
}
