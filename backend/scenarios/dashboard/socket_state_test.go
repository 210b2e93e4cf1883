package dashboard_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestSocketMayOmitTools(t *testing.T) {
	command := mcptest.Command(t)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "other"}, nil)
	s := hubtest.Connect(t, h, "/ws?tools=none&deltas=changed")
	type stateWithoutTools struct {
		Servers []struct {
			Name  string
			Count int   `json:"tool_count"`
			Rev   int64 `json:"tools_rev"`
		}
		Active []map[string]any
	}
	read := func(m hubtest.Message) stateWithoutTools {
		t.Helper()
		var b stateWithoutTools
		if err := json.Unmarshal([]byte(m.Raw), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Raw, `"tools":`) || strings.Contains(m.Raw, "input") {
			t.Errorf("the message contains tools: %s", m.Raw)
		}
		return b
	}
	first := read(s.Next())
	if len(first.Servers) != 2 || first.Servers[0].Rev == 0 ||
		(first.Servers[0].Rev == first.Servers[1].Rev) != (first.Servers[0].Count == 0) { // the hub may have listed the tools already
		t.Errorf("the first state is %+v", first)
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	var active stateWithoutTools
	s.Until("the server is always listed", func(m hubtest.Message) bool {
		active = read(m)
		return len(active.Active) == 1
	})
	fake := active.Servers[0]
	if fake.Count == 0 || fake.Rev == first.Servers[1].Rev || len(active.Active[0]) != 1 || active.Active[0]["name"] != "fake" {
		t.Errorf("the state after the activation is %+v", active)
	}
	hubtest.Do(t, h, "PUT", "/api/servers/1", map[string]any{"description": "new"}, nil)
	s.Until("the new description", func(m hubtest.Message) bool {
		if got := read(m); len(got.Servers) > 0 && got.Servers[0].Rev != fake.Rev {
			t.Errorf("tools_rev changed with the description: %s", m.Raw)
		}
		return strings.Contains(m.Raw, `"description":"new"`)
	})
	hubtest.Do(t, h, "POST", "/api/servers/1/call",
		map[string]any{"tool": "grow", "args": map[string]string{"name": "another", "text": "y"}}, nil)
	s.Until("one more tool", func(m hubtest.Message) bool {
		got := read(m)
		return m.Type == "state" && got.Servers[0].Count == fake.Count+1 && got.Servers[0].Rev != fake.Rev
	})
	// A client that does not request tools=none still receives the tools.
	if m := hubtest.Connect(t, h, "/ws").Next(); len(m.Servers[0].Tools) != fake.Count+1 || len(m.Active[0].Tools) != fake.Count+1 ||
		strings.Contains(m.Raw, "tools_rev") {
		t.Errorf("the whole state is %s", m.Raw)
	}
}

func TestSocketReportsTheStateAndEveryChange(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	s := hubtest.Connect(t, h, "/")
	if m := s.Next(); m.Raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("the first message is %s", m.Raw)
	}
	hubtest.AddFake(t, h)
	m := s.Next()
	if m.Type != "state" || !m.Delta || len(m.Servers) != 1 || m.Servers[0].Name != "fake" || len(m.Active) != 0 {
		t.Errorf("after a server was added: %s", m.Raw)
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	m = s.Until("the server is always listed", func(m hubtest.Message) bool { return len(m.Active) == 1 && m.Servers[0].Running })
	tool := m.Servers[0].Tools[0]
	if tool.ID == 0 || tool.ServerID != 1 || tool.Name == "" || !strings.HasPrefix(string(tool.InputSchema), "{") {
		t.Errorf("the first tool is %+v", tool)
	}
	if shown := m.Active[0].Tools[0]; shown.Name != "echo" || !strings.HasPrefix(string(shown.InputSchema), "{") {
		t.Errorf("the first always listed tool is %+v", shown)
	}
	if m.Servers[0].Tokens == 0 {
		s.Until("the tokens of the tools are counted",
			func(m hubtest.Message) bool { return len(m.Servers) > 0 && m.Servers[0].Tokens > 0 })
	}
	hubtest.Do(t, h, "DELETE", "/api/servers/1", nil, nil)
	s.Until("the server is gone", func(m hubtest.Message) bool { return m.Delta && len(m.Servers) == 0 })
}

func TestSocketReportsAServerThatStopsWhenIdle(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := os.WriteFile(folder.Config(), []byte("limits:\n  idle_stop: 20ms\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.AddFake(t, h)
	s := hubtest.Connect(t, h, "/ws")
	s.Next()
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	s.Until("the server runs", func(m hubtest.Message) bool { return len(m.Servers) > 0 && m.Servers[0].Running })
	s.Until("the server has stopped", func(m hubtest.Message) bool { return len(m.Servers) > 0 && !m.Servers[0].Running })
}

func TestSocketMayReceiveOnlyChangedServers(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	for _, name := range []string{"a", "b"} {
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": name}, nil)
	}
	s := hubtest.Connect(t, h, "/ws?deltas=changed")
	if m := s.Next(); m.Delta || len(m.Servers) != 2 {
		t.Fatalf("the first message is %s", m.Raw)
	}
	hubtest.Do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "new"}, nil)
	if m := s.Next(); !m.Delta || len(m.Servers) != 1 || m.Servers[0].Name != "b" || strings.Join(m.Names, " ") != "a b" {
		t.Errorf("the message after a change is %s", m.Raw)
	}
	hubtest.Do(t, h, "DELETE", "/api/servers/1", nil, nil)
	if m := s.Next(); !m.Delta || len(m.Servers) != 0 || strings.Join(m.Names, " ") != "b" {
		t.Errorf("the message after a removal is %s", m.Raw)
	}
	s.Write(`{"type":"refresh"}`)
	if m := s.Next(); m.Delta || len(m.Servers) != 1 {
		t.Errorf("the message after a refresh is %s", m.Raw)
	}
}

func TestStateContainsMetricsAndSecretNames(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	s := hubtest.Connect(t, h, "/")
	// Wait until the tokens of the tools are counted. From then on, only the call causes a delta.
	for m := s.Next(); strings.Contains(m.Raw, `"tool_tokens":0`); {
		m = s.Next()
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "fail"}, nil)
	s.Until("the metrics contain the call", func(m hubtest.Message) bool {
		return m.Delta && strings.Contains(m.Raw, `"metrics":{"server_name":"fake","total_calls":1,"total_errors":1,`)
	})
	hubtest.Do(t, h, "PUT", "/api/servers/1/secrets/API_KEY", map[string]any{"value": "correct-horse"}, nil)
	m := s.Until("the secret is listed",
		func(m hubtest.Message) bool { return m.Delta && strings.Contains(m.Raw, `"secret_names":["API_KEY"]`) })
	if strings.Contains(m.Raw, "correct-horse") {
		t.Error("the state contains the value of the secret")
	}
}

func TestADeltaContainsAllToolsHoweverMany(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "other"}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	s := hubtest.Connect(t, h, "/")
	s.Next()
	hubtest.Do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "few tools"}, nil)
	has := func(part string) func(hubtest.Message) bool {
		return func(m hubtest.Message) bool { return strings.Contains(m.Raw, part) }
	}
	before := s.Until("a change", has("few tools"))
	if len(before.Servers[0].Tools) == 0 || len(before.Active[0].Tools) == 0 {
		t.Errorf("a small delta has no tools: %s", before.Raw)
	}
	large := []string{"one", "two", "three"}
	for _, tool := range large {
		grown := map[string]any{"tool": "grow", "args": map[string]string{"name": tool, "text": strings.Repeat("x", 100_000)}}
		hubtest.Do(t, h, "POST", "/api/servers/1/call", grown, nil)
		s.Until("the new tool", has(`"name":"`+tool+`"`))
	}
	hubtest.Do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "many tools"}, nil)
	m := s.Until("another change", has("many tools"))
	for name, got := range map[string]int{"servers": len(m.Servers[0].Tools), "active": len(m.Active[0].Tools)} {
		if want := len(before.Servers[0].Tools) + len(large); len(m.Servers) != 2 || got != want {
			t.Errorf("a delta of %d bytes has %d tools in %s, want %d", len(m.Raw), got, name, want)
		}
	}
	s.Write(`{"type":"refresh"}`)
	if m := s.Until("the whole state", func(m hubtest.Message) bool {
		return m.Type == "state" && !m.Delta
	}); len(m.Servers[0].Tools) == 0 || len(m.Active[0].Tools) == 0 {
		t.Error("the whole state has no tools")
	}
}
