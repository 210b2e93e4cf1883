package servers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestSocketMessagesAreDescribed(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	d := hubtest.Describe(t, h.Info(), "/asyncapi.json")
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for _, path := range []string{"/", "/ws?deltas=changed&hub=1", "/ws?tools=none&hub=1"} {
		s := hubtest.Connect(t, h, path)
		for _, text := range []string{"{", `{"type":"nothing"}`, `{"type":"follow","server":"fake"}`, `{"type":"refresh"}`} {
			s.Write(text)
		}
		seen, changed := make(map[string]bool), false
		look := func(m hubtest.Message) {
			d.CheckMessage(m.Raw)
			seen[m.Type] = true
			changed = changed || strings.Contains(m.Raw, `"description":"`+path+`"`)
		}
		s.Until("the state, which log entries follow", func(m hubtest.Message) bool { look(m); return seen["state"] })
		hubtest.Do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": "x"}}, nil)
		hubtest.Do(t, h, "PUT", "/api/servers/1", map[string]any{"description": path}, nil)
		s.Until("the change", func(m hubtest.Message) bool {
			look(m)
			return changed && seen["error"] && seen["log_entry"] // the messages arrive in any order
		})
	}
	for _, request := range []string{`{"type":"refresh"}`, `{"type":"follow","server":"a"}`, `{"type":"unfollow","server":"a"}`} {
		d.Check("/components/messages/request/payload", request)
	}
}

func TestAnswersOfServersAreDescribed(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	d := hubtest.Describe(t, h.Info(), "/openapi.json")
	command := mcptest.Command(t, "-offers")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	var opened struct{ Handle string }
	s := &hubtest.Scenario{T: t, Hub: h}
	status, answer := s.SendAsPerson("POST", "/api/transient", s.JSON(map[string]any{"command": command[0], "args": command[1:]}))
	if err := json.Unmarshal([]byte(answer), &opened); status != 201 || err != nil {
		t.Fatalf("%d: %s", status, answer)
	}
	for template, base := range map[string]string{
		"/api/servers/{id}": "/api/servers/1", "/api/transient/{id}": "/api/transient/" + opened.Handle,
	} {
		for _, r := range []struct{ method, path, body string }{
			{"get", "/tools", ""},
			{"get", "/resources", ""},
			{"get", "/resource-templates", ""},
			{"get", "/prompts", ""},
			{"post", "/resource/read", `{"uri":"note://1"}`},
			{"post", "/prompt/get", `{"name":"greet"}`},
			{"post", "/call", `{"tool":"echo","args":{"text":"x"}}`},
			{"post", "/call", `{"tool":"no-such-tool"}`},
		} {
			var answer json.RawMessage
			var body any
			if r.body != "" {
				body = json.RawMessage(r.body)
			}
			hubtest.Do(t, h, strings.ToUpper(r.method), base+r.path, body, &answer)
			place := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(template+r.path) + "/" +
				r.method + "/responses/200/content/application~1json/schema"
			d.Check(place, string(answer))
		}
	}
}
