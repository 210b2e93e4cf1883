package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// asks returns the parameters of a call in which the server sends a request.
func asks(method, params string) string {
	return fmt.Sprintf(`{"name":"one__ask","arguments":{"method":%q,"params":%s}}`, method, params)
}

// form returns the parameters of a call in which the server asks for a form.
func form(message string) string {
	return asks("elicitation/create",
		fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object","properties":{"which":{"type":"string"}}}}`, message))
}

func TestAnAnswerIsRememberedUntilTheServerChanges(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	r := hubtest.RunRemembering(t, folder)
	r.OpenWindow()
	a := hubtest.Join(t, r.Hub, "agent")
	const given = `\"content\":{\"which\":\"this one\"}`
	if got := r.Answered(a, form("Which one?"),
		`{"action":"accept","content":{"which":"this one"},"remember":"always"}`); !strings.Contains(got, given) {
		t.Errorf("the first answer: %s", got)
	}
	r.CloseWindow()
	if got := a.Exchange("tools/call", form("Which one?")); !strings.Contains(got, given) {
		t.Errorf("without a window: %s", got)
	}
	if got := a.Exchange("tools/call", form("Which other?")); !strings.Contains(got, "no window of Agent Discover is open") ||
		!strings.Contains(got, "-32601") {
		t.Errorf("another question: %s", got)
	}
	a.Leave()
	r.Hub.Stop()
	hubtest.AwaitEnd(t, r.Ended)

	r = hubtest.RunRemembering(t, folder)
	a = hubtest.Join(t, r.Hub, "agent")
	if got := a.Exchange("tools/call", form("Which one?")); !strings.Contains(got, given) {
		t.Errorf("after a restart: %s", got)
	}
	status, list := r.Send("GET", "/api/answers", "")
	if status != 200 || !strings.Contains(list,
		`"serverName":"one","mode":"form","action":"accept","message":"Which one?","remember":"always"`) ||
		strings.Contains(list, "this one") {
		t.Errorf("listed with %d: %s", status, list)
	}
	id := hubtest.Between(list, `"id":"`, `"`)
	if status, values := r.Send("GET", "/api/answers/"+id, ""); status != 403 {
		t.Errorf("a program reads the values: %d %s", status, values)
	}
	if status, values := r.SendAsPerson("GET", "/api/answers/"+id, ""); status != 200 ||
		!strings.Contains(values, `"values":{"which":"this one"}`) {
		t.Errorf("the values: %d %s", status, values)
	}

	hubtest.Reconfigure(t, r.Hub, map[string]any{"env": map[string]string{"CHANGED": "yes"}})
	hubtest.Do(t, r.Hub, "POST", "/api/servers/1/activate", nil, nil)
	if got := a.Exchange("tools/call", form("Which one?")); !strings.Contains(got, "no window") {
		t.Errorf("after a change of the server: %s", got)
	}
	if _, list := r.Send("GET", "/api/answers", ""); !strings.Contains(list, `"stale":true`) {
		t.Errorf("the answer for the former configuration: %s", list)
	}
	r.Send("DELETE", "/api/answers/"+id, "")
	if _, list := r.Send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("the forgotten answer is listed: %s", list)
	}
}

func TestARefusalIsRememberedForAllQuestionsOfItsKind(t *testing.T) {
	r := hubtest.RunRemembering(t, "")
	r.OpenWindow()
	a := hubtest.Join(t, r.Hub, "agent")
	const message = `{"messages":[{"role":"user","content":{"type":"text","text":"%s"}}],"maxTokens":1}`
	r.Answered(a, asks("sampling/createMessage", fmt.Sprintf(message, "What is it?")), `{"action":"decline","remember":"always"}`)
	if got := a.Exchange("tools/call", asks("sampling/createMessage", fmt.Sprintf(message, "And that?"))); !strings.Contains(got,
		"User rejected sampling request") {
		t.Errorf("another request for sampling: %s", got)
	}
	if got := r.Answered(a, form("Which one?"), `{"action":"decline","remember":"always"}`); !strings.Contains(got,
		`\"action\":\"decline\"`) {
		t.Errorf("a form is not sampling: %s", got)
	}
	if got := a.Exchange("tools/call", form("Which other?")); !strings.Contains(got, `\"action\":\"decline\"`) {
		t.Errorf("another form: %s", got)
	}
	hubtest.Do(t, r.Hub, "DELETE", "/api/servers/1", nil, nil)
	if _, list := r.Send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("answers to a removed server are kept: %s", list)
	}
}

func TestAnAnswerForTheSessionEndsWithIt(t *testing.T) {
	r := hubtest.RunRemembering(t, "")
	r.OpenWindow()
	a, b := hubtest.Join(t, r.Hub, "agent"), hubtest.Join(t, r.Hub, "another")
	defer b.Leave()
	r.Answered(a, form("Which one?"), `{"action":"accept","content":{"which":"this one"},"remember":"session"}`)
	if got := a.Exchange("tools/call", form("Which one?")); !strings.Contains(got, "this one") {
		t.Errorf("in the same session: %s", got)
	}
	if got := r.Answered(b, form("Which one?"), `{"action":"decline"}`); !strings.Contains(got, "decline") {
		t.Errorf("in another session: %s", got)
	}
	if _, list := r.Send("GET", "/api/answers", ""); !strings.Contains(list, `"remember":"session","client":"agent"`) {
		t.Errorf("listed: %s", list)
	}
	a.Leave()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < hubtest.Deadline; <-tick.C { // wait until the hub has noticed that the client left
		if _, list := r.Send("GET", "/api/answers", ""); strings.TrimSpace(list) == `{"entries":[]}` {
			return
		}
	}
	t.Error("the answer outlives its session")
}

func TestOnlyWhatAPersonChoseIsRemembered(t *testing.T) {
	r := hubtest.RunRemembering(t, "")
	r.OpenWindow()
	a := hubtest.Join(t, r.Hub, "agent")
	a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + form("Which one?") + `}`)
	question := r.Window.Until("the question", func(m hubtest.Message) bool { return m.Type == "elicitation_request" })
	if !strings.Contains(question.Raw, `"client":"agent"`) || !strings.Contains(question.Raw, `"expiresAt":`) {
		t.Errorf("the question does not say who asks and how long it waits: %s", question.Raw)
	}
	path := "/api/elicitations/" + hubtest.Between(question.Raw, `"id":"`, `"`) + "/respond"
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
		send := r.Send
		if row.person {
			send = r.SendAsPerson
		}
		if status, got := send("POST", path, row.body); status != row.status || !strings.Contains(got, row.want) {
			t.Errorf("%s: %d %s, want %d %s", row.body, status, got, row.status, row.want)
		}
	}
	a.AwaitText(`"id":"asking"`)
	if _, list := r.Send("GET", "/api/answers", ""); strings.TrimSpace(list) != `{"entries":[]}` {
		t.Errorf("an answer is remembered: %s", list)
	}
}

func TestAProgramThatShowsNoQuestionsIsNoWindow(t *testing.T) {
	r := hubtest.RunRemembering(t, "")
	hubtest.Connect(t, r.Hub, "/ws?tools=none&deltas=changed&questions=none").Next()
	a := hubtest.Join(t, r.Hub, "agent")
	if got := a.Exchange("tools/call", form("Which one?")); !strings.Contains(got, "no window of Agent Discover is open") {
		t.Errorf("got %s", got)
	}
}
