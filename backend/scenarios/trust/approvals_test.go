package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

const approvedTools = "port: 0\ndiscovery:\n  approval: {rules: [{server: one, pattern: [echo, hold], ask: true}]}\n"

// echoing returns the parameters of a call that needs a person's approval.
func echoing(text string) string {
	return fmt.Sprintf(`{"name":"one__echo","arguments":{"text":%q}}`, text)
}

func TestACallWaitsForAPersonsApproval(t *testing.T) {
	r := hubtest.RunRemembering(t, hubtest.NewDataFolder(t, approvedTools))
	r.OpenWindow()
	a, b := hubtest.Join(t, r.Hub, "first agent"), hubtest.Join(t, r.Hub, "second agent")
	const yes, refused = `{"action":"accept"}`, "the user refused this call"
	if got := r.Answered(a, echoing("once"), yes); !strings.Contains(got, `"text":"once"`) {
		t.Errorf("an approved call: %s", got)
	}
	if got := r.Answered(a, echoing("no"), `{"action":"decline"}`); !strings.Contains(got, refused) ||
		!strings.Contains(got, `"isError":true`) {
		t.Errorf("a refused call: %s", got)
	}
	if got := r.Answered(a, echoing("session"), `{"action":"accept","remember":"session"}`); !strings.Contains(got, `"text":"session"`) {
		t.Errorf("a call approved for the session: %s", got)
	}
	if got := a.Exchange("tools/call", echoing("again")); !strings.Contains(got, `"text":"again"`) {
		t.Errorf("the next call of the session: %s", got)
	}
	if got := r.Answered(b, echoing("other"), `{"action":"decline"}`); !strings.Contains(got, refused) {
		t.Errorf("a call of another session: %s", got)
	}
	if got := r.Answered(b, echoing("always"), `{"action":"accept","remember":"always"}`); !strings.Contains(got, `"text":"always"`) {
		t.Errorf("a call approved for good: %s", got)
	}
	if got := hubtest.Join(t, r.Hub, "third agent").Exchange("tools/call", echoing("third")); !strings.Contains(got, `"text":"third"`) {
		t.Errorf("a call of a later session: %s", got)
	}
	var approved []struct{ Server, Tool string }
	if hubtest.Do(t, r.Hub, "GET", "/api/tool-approvals", nil, &approved); fmt.Sprint(approved) != "[{one echo}]" {
		t.Errorf("approved are %v", approved)
	}
	hubtest.Do(t, r.Hub, "DELETE", "/api/tool-approvals/one/echo", nil, nil)
	if got := r.Answered(a, echoing("revoked"), `{"action":"decline"}`); !strings.Contains(got, refused) {
		t.Errorf("a call after the approval was revoked: %s", got)
	}
}

func TestAnApprovalShowsTheCallAndIsForPersonsOnly(t *testing.T) {
	r := hubtest.RunRemembering(t, hubtest.NewDataFolder(t, approvedTools))
	r.OpenWindow()
	a := hubtest.Join(t, r.Hub, "agent")
	a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + echoing("what is shown") + `}`)
	question := r.Window.Until("the question", func(m hubtest.Message) bool { return m.Type == "elicitation_request" })
	for _, want := range []string{
		`"mode":"approval"`, `"serverName":"one"`, `"client":"agent"`, `"message":"agent wants to call the tool echo of one."`,
		`"request":{"tool":"echo","arguments":{"text":"what is shown"}}`,
	} {
		if !strings.Contains(question.Raw, want) {
			t.Errorf("the window gets %s, without %s", question.Raw, want)
		}
	}
	path := "/api/elicitations/" + hubtest.Between(question.Raw, `"id":"`, `"`) + "/respond"
	if err := hubtest.TryDo(t, r.Hub, "POST", path, map[string]string{"action": "accept"}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program approves: %v", err)
	}
	a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"asking"}}`)
	ended := r.Window.Until("the end of the question", func(m hubtest.Message) bool { return m.Type == "elicitation_answered" })
	if !strings.Contains(ended.Raw, "withdrawn") {
		t.Errorf("after the client has cancelled the call: %s", ended.Raw)
	}
	if status, body := r.SendAsPerson("POST", path, `{"action":"accept"}`); status != 404 {
		t.Errorf("a late approval: %d %s", status, body)
	}
	r.CloseWindow()
	if got := a.Exchange("tools/call", echoing("nobody")); !strings.Contains(got, "no window or tray of Agent Discover is open") {
		t.Errorf("without a window: %s", got)
	}
}
