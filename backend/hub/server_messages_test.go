package hub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestSocketFollowsTheMessagesOfAServer(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	d := describe(t, h.Info(), "/asyncapi.json")
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	issued := "ghp_" + strings.Repeat("x9Z", 12)
	call := func(text string) {
		t.Helper()
		do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": text}}, nil)
	}
	call("unseen")
	s := connect(t, h, "/ws?deltas=changed&tools=none")
	s.next()
	for text, want := range map[string]string{
		`{"type":"follow","what":"messages"}`:                 "follow needs the name of a server",
		`{"type":"follow","what":"messages","server":"none"}`: `unknown server "none"`,
		`{"type":"follow","what":"thoughts","server":"fake"}`: "Unknown thing to follow: thoughts",
	} {
		s.write(text)
		if m := s.until("the answer to an invalid message", func(m message) bool { return m.Type == "error" }); m.Message != want {
			t.Errorf("%s is answered with %s", text, m.raw)
		}
	}
	follow := `{"type":"follow","what":"messages","server":"fake"}`
	d.check("/components/messages/request/payload", follow)
	s.write(follow)
	var got []string
	seen := func(what string, enough func(all string) bool) string {
		t.Helper()
		for !enough(strings.Join(got, "\n")) {
			m := s.until(what, func(m message) bool { return m.Type == "messages" })
			d.checkMessage(m.raw)
			var body struct {
				Server   string `json:"serverName"`
				Messages []struct{ Direction, Method, Text string }
			}
			if err := json.Unmarshal([]byte(m.raw), &body); err != nil || body.Server != "fake" {
				t.Fatalf("got %s, %v", m.raw, err)
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

	s.write(`{"type":"unfollow","what":"messages","server":"fake"}`)
	s.write(`{"type":"nothing"}`) // the answer shows that the hub has read the line before
	s.until("the answer", func(m message) bool { return m.Type == "error" })
	var kept struct {
		Messages []struct{ Method string }
		More     bool
	}
	call("after")
	do(t, h, "GET", "/api/servers/1/messages", nil, &kept)
	if len(kept.Messages) != 5 || kept.Messages[0].Method != "server/discover" || kept.More {
		t.Errorf("without a follower, the hub keeps %+v", kept)
	}
	s.write(follow)
	seen("the handshake again", func(all string) bool { return strings.Count(all, "notifications/initialized") == 2 })
}

func TestACopyOfAServerForATestHasItsSecretsAndRootsOfItsOwn(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("notes"), status: 201, keep: "id"},
		step{name: "store a secret", method: "PUT", path: "/api/servers/{id}/secrets/NOTES_KEY", body: `{"value":"correct-horse-battery"}`, status: 200},
		step{name: "roots of the shared server", method: "GET", path: "/api/servers/{id}/roots", status: 200, want: []string{`{"roots":[],"fixed":true}`}},
		step{name: "open a copy of an unknown server", method: "POST", path: "/api/transient", body: `{"server":"nobody"}`, status: 404, want: []string{`server \"nobody\" was removed`}},
		step{name: "open a copy", method: "POST", path: "/api/transient", body: `{"server":"notes"}`, status: 201, keep: "handle", want: []string{`"serverName":"__transient__of_`, `"name":"echo"`}},
		step{name: "the copy has the secret, which the log does not show", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"environment"}`, status: 200, want: []string{"NOTES_KEY=correct-horse-battery"}},
		step{name: "messages of the copy", method: "GET", path: "/api/transient/{handle}/messages", status: 200, want: []string{`"method":"initialize"`, `"method":"tools/call"`, `NOTES_KEY=[redacted]`}, never: []string{"correct-horse"}},
		step{name: "messages after the last", method: "GET", path: "/api/transient/{handle}/messages?after=9007199254740991", status: 200, want: []string{`{"messages":[],"more":false}`}},
		step{name: "set roots", method: "PUT", path: "/api/transient/{handle}/roots", body: `{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`, status: 200, want: []string{`{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`}},
		step{name: "roots", method: "GET", path: "/api/transient/{handle}/roots", status: 200, want: []string{`{"roots":[{"uri":"file:///projects/demo","name":"Demo"}]}`}},
		step{name: "the server is told", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"ask","args":{"method":"roots/list"}}`, status: 200, want: []string{`file:///projects/demo`}},
		step{name: "the server was notified", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"seen"}`, status: 200, want: []string{`notifications/roots/list_changed`}},
		step{name: "set a root that is no file", method: "PUT", path: "/api/transient/{handle}/roots", body: `{"roots":[{"uri":"https://example.com","name":""}]}`, status: 400, want: []string{`every root must be a file:// URI, not \"https://example.com\"`}},
		step{name: "set roots of an unknown server", method: "PUT", path: "/api/transient/x/roots", body: `{"roots":[]}`, status: 404},
		step{name: "messages of an unknown server", method: "GET", path: "/api/servers/9/messages", status: 404},
		step{name: "the shared server never started", method: "GET", path: "/api/servers/{id}", status: 200, want: []string{`"running":false`}},
		step{name: "remove the server", method: "DELETE", path: "/api/servers/{id}", status: 200},
		step{name: "the copy can no longer be used", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"echo","args":{"text":"x"}}`, status: 404, want: []string{`server \"notes\" was removed`}},
		step{name: "close", method: "DELETE", path: "/api/transient/{handle}", status: 200},
	)
}
