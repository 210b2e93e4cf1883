package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const approvedTools = "port: 0\ndiscovery:\n  approval: {rules: [{server: one, pattern: [echo, hold], ask: true}]}\n"

// echoing returns the parameters of a call that needs approval.
func echoing(text string) string {
	return fmt.Sprintf(`{"name":"one__echo","arguments":{"text":%q}}`, text)
}

func TestACallWaitsForAPersonsApproval(t *testing.T) {
	r := runRemembering(t, newDataFolder(t, approvedTools))
	r.openWindow()
	a, b := join(t, r.hub, "first agent"), join(t, r.hub, "second agent")
	const yes, refused = `{"action":"accept"}`, "the user refused this call"
	if got := r.answered(a, echoing("once"), yes); !strings.Contains(got, `"text":"once"`) {
		t.Errorf("an approved call: %s", got)
	}
	if got := r.answered(a, echoing("no"), `{"action":"decline"}`); !strings.Contains(got, refused) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("a refused call: %s", got)
	}
	if got := r.answered(a, echoing("session"), `{"action":"accept","remember":"session"}`); !strings.Contains(got, `"text":"session"`) {
		t.Errorf("a call approved for the session: %s", got)
	}
	if got := a.exchange("tools/call", echoing("again")); !strings.Contains(got, `"text":"again"`) {
		t.Errorf("the next call of the session: %s", got)
	}
	if got := r.answered(b, echoing("other"), `{"action":"decline"}`); !strings.Contains(got, refused) {
		t.Errorf("a call of another session: %s", got)
	}
	if got := r.answered(b, echoing("always"), `{"action":"accept","remember":"always"}`); !strings.Contains(got, `"text":"always"`) {
		t.Errorf("a call approved for good: %s", got)
	}
	if got := join(t, r.hub, "third agent").exchange("tools/call", echoing("third")); !strings.Contains(got, `"text":"third"`) {
		t.Errorf("a call of a later session: %s", got)
	}
	var approved []struct{ Server, Tool string }
	if do(t, r.hub, "GET", "/api/tool-approvals", nil, &approved); fmt.Sprint(approved) != "[{one echo}]" {
		t.Errorf("approved are %v", approved)
	}
	do(t, r.hub, "DELETE", "/api/tool-approvals/one/echo", nil, nil)
	if got := r.answered(a, echoing("revoked"), `{"action":"decline"}`); !strings.Contains(got, refused) {
		t.Errorf("a call after the approval was revoked: %s", got)
	}
}

func TestAnApprovalShowsTheCallAndIsForPersonsOnly(t *testing.T) {
	r := runRemembering(t, newDataFolder(t, approvedTools))
	r.openWindow()
	a := join(t, r.hub, "agent")
	a.write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + echoing("what is shown") + `}`)
	question := r.window.until("the question", func(m message) bool { return m.Type == "elicitation_request" })
	for _, want := range []string{`"mode":"approval"`, `"serverName":"one"`, `"client":"agent"`, `"message":"agent wants to call the tool echo of one."`, `"request":{"tool":"echo","arguments":{"text":"what is shown"}}`} {
		if !strings.Contains(question.raw, want) {
			t.Errorf("the window gets %s, without %s", question.raw, want)
		}
	}
	path := "/api/elicitations/" + between(question.raw, `"id":"`, `"`) + "/respond"
	if err := tryDo(t, r.hub, "POST", path, map[string]string{"action": "accept"}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program approves: %v", err)
	}
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"asking"}}`)
	ended := r.window.until("the end of the question", func(m message) bool { return m.Type == "elicitation_answered" })
	if !strings.Contains(ended.raw, "withdrawn") {
		t.Errorf("after the client has cancelled the call: %s", ended.raw)
	}
	if status, body := r.sendAsPerson("POST", path, `{"action":"accept"}`); status != 404 {
		t.Errorf("a late approval: %d %s", status, body)
	}
	r.closeWindow()
	if got := a.exchange("tools/call", echoing("nobody")); !strings.Contains(got, "no window or tray of Agent Discover is open") {
		t.Errorf("without a window: %s", got)
	}
}
