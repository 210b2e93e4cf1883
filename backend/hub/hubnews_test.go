package hub_test

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// hubNews is a message of the type hub.
type hubNews struct {
	Type    string
	Paused  bool
	Calls   int
	Clients []struct {
		Session, Name, Version string
		Calls                  int `json:"calls_in_flight"`
	}
}

// hubUntil reads up to a message of the type hub that meets a condition.
func (s *socket) hubUntil(what string, meets func(hubNews) bool) hubNews {
	s.t.Helper()
	var news hubNews
	s.until(what, func(m message) bool {
		if m.Type != "hub" {
			return false
		}
		news = hubNews{}
		if err := json.Unmarshal([]byte(m.raw), &news); err != nil {
			s.t.Fatal(err)
		}
		return meets(news)
	})
	return news
}

func TestASocketMayBeToldHowTheHubDoes(t *testing.T) {
	running, _ := runHub(t, hub.Options{})
	addFake(t, running)
	do(t, running, "POST", "/api/servers/1/activate", nil, nil)
	plain := connect(t, running, "/ws")
	s := connect(t, running, "/ws?hub=1")
	if m := s.next(); m.Type != "state" || m.Delta {
		t.Errorf("at first it says %s", m.raw)
	}
	if m := s.until("how the hub does", func(m message) bool { return m.Type != "state" }); m.raw != `{"type":"hub","paused":false,"calls":0,"clients":[]}` {
		t.Errorf("then it says %s", m.raw)
	}
	session, err := companion.Dial(t.Context(), running.Info(), "1.2.3", rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	say := func(line string) {
		t.Helper()
		if _, err := io.WriteString(session, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, session) }()
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"7"}}}`)
	s.hubUntil("an editor", func(h hubNews) bool {
		return len(h.Clients) == 1 && h.Clients[0].Name == "editor" && h.Clients[0].Version == "7" && h.Clients[0].Session != ""
	})
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fake__hold","arguments":{"key":"k"}}}`)
	s.hubUntil("its call", func(h hubNews) bool { return h.Calls == 1 && h.Clients[0].Calls == 1 })
	do(t, running, "POST", "/api/servers/1/call", map[string]any{"tool": "release", "args": map[string]string{"key": "k"}}, nil)
	s.hubUntil("its end", func(h hubNews) bool { return h.Calls == 0 && h.Clients[0].Calls == 0 })
	do(t, running, "POST", "/api/pause", nil, nil)
	s.hubUntil("a pause", func(h hubNews) bool { return h.Paused })
	do(t, running, "POST", "/api/resume", nil, nil)
	s.hubUntil("its end", func(h hubNews) bool { return !h.Paused })
	_ = session.Close()
	s.hubUntil("that the editor has gone", func(h hubNews) bool { return len(h.Clients) == 0 })
	s.write(`{"type":"refresh"}`)
	s.until("the whole state", func(m message) bool { return m.Type == "state" && !m.Delta })
	s.hubUntil("how the hub does, anew", func(hubNews) bool { return true })

	// A client that did not ask for it knows no such message.
	plain.write(`{"type":"last"}`)
	plain.until("the answer to the last message", func(m message) bool {
		if m.Type == "hub" {
			t.Errorf("it is told %s", m.raw)
		}
		return m.Type == "error"
	})
}

func TestASocketMayGoWithoutTools(t *testing.T) {
	command := mcptest.Command(t)
	h, _ := runHub(t, hub.Options{})
	do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers", map[string]any{"name": "other"}, nil)
	s := connect(t, h, "/ws?tools=none&deltas=changed")
	type bare struct {
		Servers []struct {
			Name  string
			Count int   `json:"tool_count"`
			Rev   int64 `json:"tools_rev"`
		}
		Active []map[string]any
	}
	read := func(m message) bare {
		t.Helper()
		var b bare
		if err := json.Unmarshal([]byte(m.raw), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.raw, `"tools":`) || strings.Contains(m.raw, "input") {
			t.Errorf("there are tools in %s", m.raw)
		}
		return b
	}
	first := read(s.next())
	if len(first.Servers) != 2 || first.Servers[0].Rev == 0 || first.Servers[0].Rev != first.Servers[1].Rev {
		t.Errorf("at first it says %+v", first)
	}
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	var active bare
	s.until("the server is active", func(m message) bool {
		active = read(m)
		return len(active.Active) == 1
	})
	fake := active.Servers[0]
	if fake.Count == 0 || fake.Rev == first.Servers[0].Rev || len(active.Active[0]) != 1 || active.Active[0]["name"] != "fake" {
		t.Errorf("then it says %+v", active)
	}
	do(t, h, "PUT", "/api/servers/1", map[string]any{"description": "new"}, nil)
	s.until("the new description", func(m message) bool {
		if got := read(m); len(got.Servers) > 0 && got.Servers[0].Rev != fake.Rev {
			t.Errorf("its tools have changed: %s", m.raw)
		}
		return strings.Contains(m.raw, `"description":"new"`)
	})
	do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "grow", "args": map[string]string{"name": "another", "text": "y"}}, nil)
	s.until("one more tool", func(m message) bool {
		got := read(m)
		return m.Type == "state" && got.Servers[0].Count == fake.Count+1 && got.Servers[0].Rev != fake.Rev
	})
	// Beside it a client that wants tools gets them.
	if m := connect(t, h, "/ws").next(); len(m.Servers[0].Tools) != fake.Count+1 || len(m.Active[0].Tools) != fake.Count+1 || strings.Contains(m.raw, "tools_rev") {
		t.Errorf("the whole state is %s", m.raw)
	}
}
