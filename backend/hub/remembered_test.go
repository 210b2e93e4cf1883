package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// remembering is a hub with a server that asks, and the window in which a person
// answers.
type remembering struct {
	scenario
	window *socket
}

// runRemembering runs a hub with a server called one, whose window is open.
func runRemembering(t *testing.T, folder paths.Folder) *remembering {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	h, ended := runHub(t, hub.Options{Folder: folder}, "AGENT_DISCOVER_PASSPHRASE=correct horse")
	r := &remembering{scenario: scenario{t: t, hub: h, ended: ended}}
	var servers []map[string]any
	do(t, h, "GET", "/api/servers", nil, &servers)
	if len(servers) == 0 {
		command := mcptest.Command(t, "-offers")
		do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
		do(t, h, "PUT", "/api/servers/1/secrets/SOME", map[string]any{"value": "creates the file with a passphrase"}, nil)
	}
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return r
}

func (r *remembering) openWindow() { r.window = connect(r.t, r.hub, "/ws?hub=1") }

// closeWindow closes the window and waits until the hub has noticed it.
func (r *remembering) closeWindow() {
	r.t.Helper()
	_ = r.window.conn.Close(websocket.StatusNormalClosure, "")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for r.hub.Attended() {
		<-tick.C
	}
}

// asks returns the parameters of a call in which the server sends a request.
func asks(method, params string) string {
	return fmt.Sprintf(`{"name":"one__ask","arguments":{"method":%q,"params":%s}}`, method, params)
}

// form is a question of the server.
func form(message string) string {
	return asks("elicitation/create", fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object","properties":{"which":{"type":"string"}}}}`, message))
}

// answered calls the server, answers its question in the window, and returns the result
// of the call.
func (r *remembering) answered(a *agent, call, reply string) string {
	r.t.Helper()
	a.write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + call + `}`)
	question := r.window.until("the question", func(m message) bool { return m.Type == "elicitation_request" })
	status, body := r.sendAsPerson("POST", "/api/elicitations/"+between(question.raw, `"id":"`, `"`)+"/respond", reply)
	if status != 200 {
		r.t.Fatalf("the answer was refused with %d: %s", status, body)
	}
	return a.awaitText(`"id":"asking"`)
}

func TestAnAnswerIsRememberedUntilTheServerChanges(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	r := runRemembering(t, folder)
	r.openWindow()
	a := join(t, r.hub, "agent")
	const given = `\"content\":{\"which\":\"this one\"}`
	if got := r.answered(a, form("Which one?"), `{"action":"accept","content":{"which":"this one"},"remember":"always"}`); !strings.Contains(got, given) {
		t.Errorf("the first answer: %s", got)
	}
	r.closeWindow()
	if got := a.exchange("tools/call", form("Which one?")); !strings.Contains(got, given) {
		t.Errorf("without a window: %s", got)
	}
	if got := a.exchange("tools/call", form("Which other?")); !strings.Contains(got, "no window of Agent Discover is open") || !strings.Contains(got, "-32601") {
		t.Errorf("another question: %s", got)
	}
	a.leave()
	r.hub.Stop()
	awaitEnd(t, r.ended)

	r = runRemembering(t, folder)
	a = join(t, r.hub, "agent")
	if got := a.exchange("tools/call", form("Which one?")); !strings.Contains(got, given) {
		t.Errorf("after a restart: %s", got)
	}
	status, list := r.send("GET", "/api/answers", "")
	if status != 200 || !strings.Contains(list, `"serverName":"one","mode":"form","action":"accept","message":"Which one?","remember":"always"`) || strings.Contains(list, "this one") {
		t.Errorf("listed with %d: %s", status, list)
	}
	id := between(list, `"id":"`, `"`)
	if status, values := r.send("GET", "/api/answers/"+id, ""); status != 403 {
		t.Errorf("a program reads the values: %d %s", status, values)
	}
	if status, values := r.sendAsPerson("GET", "/api/answers/"+id, ""); status != 200 || !strings.Contains(values, `"values":{"which":"this one"}`) {
		t.Errorf("the values: %d %s", status, values)
	}

	reconfigure(t, r.hub, map[string]any{"env": map[string]string{"CHANGED": "yes"}})
	do(t, r.hub, "POST", "/api/servers/1/activate", nil, nil)
	if got := a.exchange("tools/call", form("Which one?")); !strings.Contains(got, "no window") {
		t.Errorf("after a change of the server: %s", got)
	}
	if _, list := r.send("GET", "/api/answers", ""); !strings.Contains(list, `"stale":true`) {
		t.Errorf("the answer for the former configuration: %s", list)
	}
	r.send("DELETE", "/api/answers/"+id, "")
	if _, list := r.send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("the forgotten answer is listed: %s", list)
	}
}

func TestARefusalIsRememberedForAllQuestionsOfItsKind(t *testing.T) {
	r := runRemembering(t, "")
	r.openWindow()
	a := join(t, r.hub, "agent")
	const message = `{"messages":[{"role":"user","content":{"type":"text","text":"%s"}}],"maxTokens":1}`
	r.answered(a, asks("sampling/createMessage", fmt.Sprintf(message, "What is it?")), `{"action":"decline","remember":"always"}`)
	if got := a.exchange("tools/call", asks("sampling/createMessage", fmt.Sprintf(message, "And that?"))); !strings.Contains(got, "User rejected sampling request") {
		t.Errorf("another request for sampling: %s", got)
	}
	if got := r.answered(a, form("Which one?"), `{"action":"decline","remember":"always"}`); !strings.Contains(got, `\"action\":\"decline\"`) {
		t.Errorf("a form is not sampling: %s", got)
	}
	if got := a.exchange("tools/call", form("Which other?")); !strings.Contains(got, `\"action\":\"decline\"`) {
		t.Errorf("another form: %s", got)
	}
	do(t, r.hub, "DELETE", "/api/servers/1", nil, nil)
	if _, list := r.send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("answers to a removed server are kept: %s", list)
	}
}

func TestAnAnswerForTheSessionEndsWithIt(t *testing.T) {
	r := runRemembering(t, "")
	r.openWindow()
	a, b := join(t, r.hub, "agent"), join(t, r.hub, "another")
	defer b.leave()
	r.answered(a, form("Which one?"), `{"action":"accept","content":{"which":"this one"},"remember":"session"}`)
	if got := a.exchange("tools/call", form("Which one?")); !strings.Contains(got, "this one") {
		t.Errorf("in the same session: %s", got)
	}
	if got := r.answered(b, form("Which one?"), `{"action":"decline"}`); !strings.Contains(got, "decline") {
		t.Errorf("in another session: %s", got)
	}
	if _, list := r.send("GET", "/api/answers", ""); !strings.Contains(list, `"remember":"session","client":"agent"`) {
		t.Errorf("listed: %s", list)
	}
	a.leave()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < deadline; <-tick.C { // until the hub has noticed that the client has left
		if _, list := r.send("GET", "/api/answers", ""); strings.TrimSpace(list) == `{"entries":[]}` {
			return
		}
	}
	t.Error("the answer outlives its session")
}

func TestOnlyWhatAPersonChoseIsRemembered(t *testing.T) {
	r := runRemembering(t, "")
	r.openWindow()
	a := join(t, r.hub, "agent")
	a.write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + form("Which one?") + `}`)
	question := r.window.until("the question", func(m message) bool { return m.Type == "elicitation_request" })
	if !strings.Contains(question.raw, `"client":"agent"`) || !strings.Contains(question.raw, `"expiresAt":`) {
		t.Errorf("the question does not say who asks and how long it waits: %s", question.raw)
	}
	path := "/api/elicitations/" + between(question.raw, `"id":"`, `"`) + "/respond"
	for _, row := range []struct {
		person bool
		body   string
		status int
		want   string
	}{
		{false, `{"action":"decline","remember":"always"}`, 403, "only a person"},
		{true, `{"action":"cancel","remember":"always"}`, 400, "only accept and decline"},
		{true, `{"action":"decline","remember":"forever"}`, 400, "session or always"},
		{true, `{"action":"decline"}`, 200, ""},
	} {
		send := r.send
		if row.person {
			send = r.sendAsPerson
		}
		if status, got := send("POST", path, row.body); status != row.status || !strings.Contains(got, row.want) {
			t.Errorf("%s: %d %s, want %d %s", row.body, status, got, row.status, row.want)
		}
	}
	a.awaitText(`"id":"asking"`)
	if _, list := r.send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("an answer is remembered: %s", list)
	}
}

func TestAProgramThatShowsNoQuestionsIsNoWindow(t *testing.T) {
	r := runRemembering(t, "")
	connect(t, r.hub, "/ws?tools=none&deltas=changed&questions=none").next()
	a := join(t, r.hub, "agent")
	if got := a.exchange("tools/call", form("Which one?")); !strings.Contains(got, "no window of Agent Discover is open") {
		t.Errorf("got %s", got)
	}
}
