package servers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestSocketFollowsTheMessagesOfAServer(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	d := hubtest.Describe(t, h.Info(), "/asyncapi.json")
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	issued := "ghp_" + strings.Repeat("x9Z", 12)
	call := func(text string) {
		t.Helper()
		hubtest.Do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": text}}, nil)
	}
	call("unseen")
	s := hubtest.Connect(t, h, "/ws?deltas=changed&tools=none")
	s.Next()
	for text, want := range map[string]string{
		`{"type":"follow","what":"messages"}`:                 "follow needs the name of a server",
		`{"type":"follow","what":"messages","server":"none"}`: `unknown server "none"`,
		`{"type":"follow","what":"thoughts","server":"fake"}`: "Unknown thing to follow: thoughts",
	} {
		s.Write(text)
		if m := s.Until("the answer to an invalid message", func(m hubtest.Message) bool { return m.Type == "error" }); m.Message != want {
			t.Errorf("%s is answered with %s", text, m.Raw)
		}
	}
	follow := `{"type":"follow","what":"messages","server":"fake"}`
	d.Check("/components/messages/request/payload", follow)
	s.Write(follow)
	var got []string
	seen := func(what string, enough func(all string) bool) string {
		t.Helper()
		for !enough(strings.Join(got, "\n")) {
			m := s.Until(what, func(m hubtest.Message) bool { return m.Type == "messages" })
			d.CheckMessage(m.Raw)
			var body struct {
				Server   string `json:"serverName"`
				Messages []struct{ Direction, Method, Text string }
			}
			if err := json.Unmarshal([]byte(m.Raw), &body); err != nil || body.Server != "fake" {
				t.Fatalf("got %s, %v", m.Raw, err)
			}
			for _, one := range body.Messages {
				got = append(got, one.Direction+" "+one.Method+" "+one.Text)
			}
		}
		return strings.Join(got, "\n")
	}
	all := seen("the handshake", func(all string) bool { return strings.Contains(all, "notifications/initialized") })
	if !strings.HasPrefix(all, "sent server/discover {") || strings.Contains(all, "unseen") {
		t.Errorf("the first messages are %s", all)
	}
	call("key " + issued)
	all = seen("the call and its answer", func(all string) bool { return strings.Contains(all, `received  {"jsonrpc":"2.0","id":5`) })
	if strings.Contains(all, issued) || strings.Count(all, "key [redacted]") != 2 {
		t.Errorf("the messages are %s", all)
	}

	s.Write(`{"type":"unfollow","what":"messages","server":"fake"}`)
	s.Write(`{"type":"nothing"}`) // the answer shows that the hub has read the previous message
	s.Until("the answer", func(m hubtest.Message) bool { return m.Type == "error" })
	var kept struct {
		Messages []struct{ Method string }
		More     bool
	}
	call("after")
	hubtest.Do(t, h, "GET", "/api/servers/1/messages", nil, &kept)
	if len(kept.Messages) != 5 || kept.Messages[0].Method != "server/discover" || kept.More {
		t.Errorf("without a follower, the hub keeps %+v", kept)
	}
	s.Write(follow)
	seen("the handshake again", func(all string) bool { return strings.Count(all, "notifications/initialized") == 2 })
}

func TestACopyOfAServerForATestHasItsSecretsAndRootsOfItsOwn(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.StoppedServer("notes"), Status: 201, Keep: "id"},
		hubtest.Step{
			Name: "store a secret", Method: "PUT", Path: "/api/servers/{id}/secrets/NOTES_KEY",
			Body: `{"value":"correct-horse-battery"}`, Status: 200,
		},
		hubtest.Step{
			Name: "roots of the shared server", Method: "GET", Path: "/api/servers/{id}/roots", Status: 200,
			Want: []string{`{"roots":[],"fixed":true}`},
		},
		hubtest.Step{
			Name: "open a copy of an unknown server", Method: "POST", Path: "/api/transient", Body: `{"server":"nobody"}`, Status: 404,
			Want: []string{`server \"nobody\" was removed`},
		},
		hubtest.Step{
			Name: "open a copy", Method: "POST", Path: "/api/transient", Body: `{"server":"notes"}`, Status: 201, Keep: "handle",
			Want: []string{`"serverName":"__transient__of_`, `"name":"echo"`},
		},
		hubtest.Step{
			Name: "the copy has the secret, which the log does not show", Method: "POST", Path: "/api/transient/{handle}/call",
			Body: `{"tool":"environment"}`, Status: 200, Want: []string{"NOTES_KEY=correct-horse-battery"},
		},
		hubtest.Step{
			Name: "messages of the copy", Method: "GET", Path: "/api/transient/{handle}/messages", Status: 200,
			Want: []string{`"method":"initialize"`, `"method":"tools/call"`, `NOTES_KEY=[redacted]`}, Never: []string{"correct-horse"},
		},
		hubtest.Step{
			Name: "messages after the last", Method: "GET", Path: "/api/transient/{handle}/messages?after=9007199254740991",
			Status: 200, Want: []string{`{"messages":[],"more":false}`},
		},
		hubtest.Step{
			Name: "set roots", Method: "PUT", Path: "/api/transient/{handle}/roots",
			Body: `{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`, Status: 200,
			Want: []string{`{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`},
		},
		hubtest.Step{
			Name: "roots", Method: "GET", Path: "/api/transient/{handle}/roots", Status: 200,
			Want: []string{`{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`},
		},
		hubtest.Step{
			Name: "the server is told", Method: "POST", Path: "/api/transient/{handle}/call",
			Body: `{"tool":"ask","args":{"method":"roots/list"}}`, Status: 200, Want: []string{`file:///projects/demo`},
		},
		hubtest.Step{
			Name: "the server was notified", Method: "POST", Path: "/api/transient/{handle}/call", Body: `{"tool":"seen"}`, Status: 200,
			Want: []string{`notifications/roots/list_changed`},
		},
		hubtest.Step{
			Name: "set a root that is no file", Method: "PUT", Path: "/api/transient/{handle}/roots",
			Body: `{"roots":[{"uri":"https://example.com","name":""}]}`, Status: 400,
			Want: []string{`every root must be a file:// URI, not \"https://example.com\"`},
		},
		hubtest.Step{
			Name: "set roots of an unknown server", Method: "PUT", Path: "/api/transient/x/roots", Body: `{"roots":[]}`, Status: 404,
		},
		hubtest.Step{Name: "messages of an unknown server", Method: "GET", Path: "/api/servers/9/messages", Status: 404},
		hubtest.Step{
			Name: "the shared server never started", Method: "GET", Path: "/api/servers/{id}", Status: 200,
			Want: []string{`"running":false`},
		},
		hubtest.Step{Name: "remove the server", Method: "DELETE", Path: "/api/servers/{id}", Status: 200},
		hubtest.Step{
			Name: "the copy can no longer be used", Method: "POST", Path: "/api/transient/{handle}/call",
			Body: `{"tool":"echo","args":{"text":"x"}}`, Status: 404, Want: []string{`server \"notes\" was removed`},
		},
		hubtest.Step{Name: "close", Method: "DELETE", Path: "/api/transient/{handle}", Status: 200},
	)
}
