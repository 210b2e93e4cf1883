package eras_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// addBoth adds a server named "both" to a hub without servers. The server speaks both eras of MCP and is always listed.
func addBoth(t *testing.T, h *hub.Hub, flags ...string) {
	t.Helper()
	command := mcptest.Command(t, append([]string{"-both", "locked", "-offers"}, flags...)...)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "both", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
}

// joinAsked connects a client of the legacy era that declares elicitation, sampling and roots. surface is the
// surface in the entry with which the client's editor starts the companion.
func joinAsked(t *testing.T, h *hub.Hub, surface string) *hubtest.Agent {
	t.Helper()
	a := hubtest.ArriveBy(t, h, companion.Entry{Surface: surface})
	a.Ask("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"asked","version":"1"}}`)
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// connections returns the protocol versions of the processes of the server "both", as the API shows them.
func connections(t *testing.T, h *hub.Hub) (versions []string) {
	t.Helper()
	var view struct {
		Connections []struct {
			ProtocolVersion string
			PID             int
		}
	}
	hubtest.Do(t, h, "GET", "/api/servers/1", nil, &view)
	for _, c := range view.Connections {
		if c.PID == 0 {
			t.Errorf("a connection has no process: %+v", view)
		}
		versions = append(versions, c.ProtocolVersion)
	}
	return versions
}

func TestALegacyClientIsAskedByAServerOfBothErasOnEverySurface(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	addBoth(t, h)
	for surface, call := range map[string]string{
		"server:both": `{"name":"ask","arguments":{"method":%q}}`,
		"native":      `{"name":"both__ask","arguments":{"method":%q}}`,
		"registry":    `{"name":"both__ask","arguments":{"method":%q}}`,
		"meta":        `{"name":"call_tool","arguments":{"call_as":"both__ask","arguments":{"method":%q}}}`,
	} {
		a := joinAsked(t, h, surface)
		for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
			a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":`+call+`}`, method))
			a.AnswerNext(method, `{"said":"this"}`)
			if got := a.AwaitText(`"id":"asking"`); !strings.Contains(got, `{\"said\":\"this\"}`) {
				t.Errorf("%s, %s: %s", surface, method, got)
			}
		}
		a.Leave()
	}
	if c := connections(t, h); c != nil {
		t.Errorf("two processes run: %v", c)
	}
}

func TestAServerOfBothErasIntroducesItselfInTheEraOfTheClient(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	addBoth(t, h)
	check := func(h *hub.Hub, when string) {
		t.Helper()
		legacy := hubtest.ArriveBy(t, h, companion.Entry{Surface: "server:both"})
		if got := string(legacy.Ask("initialize",
			`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"old","version":"1"}}`)); strings.Contains(got,
			`"completions"`) ||
			!strings.Contains(got, `"logging"`) {
			t.Errorf("%s, a legacy client: %s", when, got)
		}
		modern := hubtest.ArriveBy(t, h, companion.Entry{Surface: "server:both"})
		if got := modern.Modern("server/discover", ""); !strings.Contains(got, `"completions"`) {
			t.Errorf("%s, a modern client: %s", when, got)
		}
		legacy.Leave()
		modern.Leave()
	}
	joined := joinAsked(t, h, "server:both")
	joined.Exchange("tools/call", `{"name":"era","arguments":{}}`)
	check(h, "after a call of a legacy client")
	if c := connections(t, h); c != nil {
		t.Errorf("two processes run: %v", c)
	}
	joined.Modern("tools/call", `"name":"era","arguments":{}`)
	check(h, "while both sessions run")
	if c := connections(t, h); len(c) != 2 {
		t.Errorf("the API shows %v", c)
	}
	joined.Leave()
	h.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h, _ = hubtest.RunHub(t, hub.Options{Folder: folder})
	check(h, "after a restart of the hub")
}

func TestNotificationsOfAServerOfBothErasStayWithTheirClients(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	addBoth(t, h)
	legacy, modern := joinAsked(t, h, "native"), hubtest.Arrive(t, h)
	legacy.Exchange("logging/setLevel", `{"level":"debug"}`)
	if got := legacy.Exchange("resources/subscribe", `{"uri":"both+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	legacy.Await("notifications/resources/updated") // the server sends one for each subscription
	legacy.Exchange("tools/call", `{"name":"both__echo","arguments":{"text":"uses the server"}}`)
	const update = `"name":"both__tell","arguments":{"method":"notifications/resources/updated","params":{"uri":"note://1"}}`
	const message = `"name":"both__tell","arguments":{"method":"notifications/message","params":{"level":"error","data":%q}}`
	legacy.Notices = nil
	modern.Modern("tools/call", update)
	modern.Modern("tools/call", fmt.Sprintf(message, "of the modern session"))
	if c := connections(t, h); len(c) != 2 {
		t.Fatalf("the API shows %v", c)
	}
	legacy.Exchange("tools/call", "{"+fmt.Sprintf(message, "of the legacy session")+"}")
	legacy.Exchange("tools/call", "{"+update+"}")
	legacy.Await("notifications/resources/updated")
	updates, messages := 0, 0
	for _, line := range legacy.Notices {
		var note struct{ Method string }
		_ = json.Unmarshal([]byte(line), &note)
		switch {
		case note.Method == "notifications/resources/updated":
			updates++
		case strings.Contains(line, "of the legacy session"):
			messages++
		case strings.Contains(line, "of the modern session"):
			t.Errorf("the legacy client got %s", line)
		}
	}
	if updates > 1 || messages != 1 {
		t.Errorf("%d updates and %d messages: %q", updates, messages, legacy.Notices)
	}
}

func TestAPersonIsAskedByAServerOfBothEras(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	addBoth(t, s.Hub)
	hubtest.Arrive(t, s.Hub).Modern("tools/call", `"name":"both__era","arguments":{}`)
	mark := s.Events.Mark()
	result := make(chan string, 1)
	go func() {
		_, body := s.Send("POST", "/api/servers/1/call",
			`{"tool":"ask","args":{"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object"}}}}`)
		result <- body
	}()
	s.Events.Await(t, "the question", mark, "elicitation_request", "Which one?")
	_, pending := s.Send("GET", "/api/elicitations", "")
	hubtest.Do(t, s.Hub, "POST", "/api/elicitations/"+hubtest.Between(pending, `"id":"`, `"`)+"/respond",
		map[string]any{"action": "accept", "content": map[string]any{"which": "this"}}, nil)
	if got := <-result; !strings.Contains(got, `\"which\":\"this\"`) {
		t.Errorf("got %s", got)
	}
}
