package servers_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

const renamedRules = `port: 0
discovery:
  tool_rules:
    - {pattern: hold, server: "one", enabled: false}
    - {pattern: "*", enabled: true} # server: one
  approval: {rules: [{pattern: echo, ask: true, server: one}]}
trust:
  rules:
    - pattern: "*"
      server: one # as it came
      results: note
`

func TestARenamedServerKeepsEverything(t *testing.T) {
	folder := hubtest.NewDataFolder(t, renamedRules)
	r := hubtest.RunRemembering(t, folder)
	r.OpenWindow()
	if status, body := r.SendAsPerson("PUT", "/api/servers/1", `{"env":{"NEEDED":"${secret:SOME}"}}`); status != 200 {
		t.Fatal(body)
	}
	const echo = `","arguments":{"text":"hello"}}`
	a := hubtest.Join(t, r.Hub, "agent")
	got := r.Answered(a, `{"name":"one__echo`+echo, `{"action":"accept","remember":"always"}`)
	if !strings.Contains(got, `"text":"hello"`) {
		t.Fatal(got)
	}
	hubtest.CreateToolset(t, r.Hub, "daily", "one.echo")
	token := hubtest.CreateToken(t, r.Hub, map[string]string{"name": "only", "surface": "server:one"})
	status, body := r.Send("POST", "/api/servers", r.StoppedServer("two"))
	if status != 201 {
		t.Fatal(body)
	}
	for name, want := range map[string]string{"two": `already exists`, "a__b": `Name cannot contain`, "one": "has this name already"} {
		if status, body := r.Send("POST", "/api/servers/1/rename", `{"name":"`+name+`"}`); status < 400 || !strings.Contains(body, want) {
			t.Errorf("renamed to %q: %d %s", name, status, body)
		}
	}
	if status, _ := r.Send("POST", "/api/servers/9/rename", `{"name":"x"}`); status != 404 {
		t.Errorf("an unknown server: %d", status)
	}
	a.Exchange("tools/list", `{}`)
	a.Notices = nil
	status, body = r.Send("POST", "/api/servers/1/rename", `{"name":"notes"}`)
	if status != 200 || !strings.Contains(body, `"name":"notes"`) {
		t.Fatalf("%d %s", status, body)
	}
	a.Await("notifications/tools/list_changed")
	holds := func(s *hubtest.Scenario, a *hubtest.Agent) {
		t.Helper()
		if got := a.Exchange("tools/list", `{}`); !strings.Contains(got, `"notes__echo"`) || strings.Contains(got, "one__") ||
			strings.Contains(got, "__hold") {
			t.Errorf("the tools: %s", got)
		}
		if got := a.Exchange("tools/call", `{"name":"notes__echo`+echo); !strings.Contains(got, `"text":"hello"`) {
			t.Errorf("a call of an approved tool: %s", got)
		}
		for path, want := range map[string]string{
			"/api/toolsets": `"server":"notes","tool":"echo"`, "/api/toolsets/daily": `"state":"ready"`,
			"/api/servers/1/secrets": `"key":"SOME"`, "/api/tokens": `"surface":"server:notes"`,
			"/api/tool-approvals": `"server":"notes"`, "/api/servers/1/metrics": `"echo"`, "/api/logs?server=notes": `"echo"`,
			"/api/servers/1": `"state":"running"`, "/api/audit": "renamed from one",
		} {
			_, body := s.Send("GET", path, "")
			if !strings.Contains(body, want) || strings.Contains(body, `"server":"one"`) && path != "/api/audit" {
				t.Errorf("%s: %s", path, body)
			}
		}
	}
	holds(&r.Scenario, a)
	if _, err := hubtest.WebClient(t, r.Hub, "", token, nil).ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
	after := strings.ReplaceAll(strings.ReplaceAll(renamedRules, `server: "one"`, `server: "notes"`), "server: one}", "server: notes}")
	after = strings.ReplaceAll(after, "server: one #", "server: notes #")
	if data, err := os.ReadFile(folder.Config()); err != nil || string(data) != after {
		t.Errorf("config.yaml is now\n%s%v", data, err)
	}
	r.Hub.Stop()
	if err := <-r.Ended; err != nil {
		t.Fatal(err)
	}
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder}, "AGENT_DISCOVER_PASSPHRASE=correct horse")
	holds(&hubtest.Scenario{T: t, Hub: h}, hubtest.Join(t, h, "agent"))
}

func TestAStartFinishesTheRenameOfAKilledHub(t *testing.T) {
	folder := hubtest.NewDataFolder(t, renamedRules)
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.AddFake(t, h)
	h.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), folder.Database())
	if err == nil {
		err = errors.Join(db.Renames.Rename(t.Context(), "fake", "one", nil), db.Renames.Renamed(t.Context(), "fake", "one"),
			db.Renames.Rename(t.Context(), "one", "notes", nil), db.Close()) // killed here
	}
	if err != nil {
		t.Fatal(err)
	}
	h, _ = hubtest.RunHub(t, hub.Options{Folder: folder})
	s := &hubtest.Scenario{T: t, Hub: h}
	_, body := s.Send("GET", "/api/config", "")
	if !strings.Contains(body, `"server":"notes"`) || strings.Contains(body, `"server":"one"`) {
		t.Errorf("the rules of the running hub: %s", body)
	}
	if data, err := os.ReadFile(folder.Config()); err != nil || strings.Contains(string(data), `server: "one"`) {
		t.Errorf("config.yaml is now\n%s%v", data, err)
	}
	if _, body := s.Send("GET", "/api/servers", ""); !strings.Contains(body, `"name":"notes"`) {
		t.Error(body)
	}
}
