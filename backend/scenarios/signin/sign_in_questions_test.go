package signin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// opensPages connects a client that declares that it can open pages for its user.
func (s *signedIn) opensPages() *hubtest.Agent {
	s.t.Helper()
	a := hubtest.Arrive(s.t, s.Hub)
	a.Ask("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"agent","version":"1"}}`)
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// signedOut is like newSignedIn, but alice has signed out again.
func signedOut(t *testing.T) *signedIn {
	t.Helper()
	s := newSignedIn(t)
	hubtest.Do(t, s.Hub, "POST", "/api/servers/1/auth/logout", nil, nil)
	return s
}

// visit signs in to an account at the page that a question names.
func visit(t *testing.T, question, account string) {
	t.Helper()
	page := strings.ReplaceAll(hubtest.Between(question, `"url":"`, `"`), `\u0026`, "&")
	if _, body, _ := oidctest.Browse(t, page, account, ""); !strings.Contains(body, "Signed in") {
		t.Fatalf("the page %s shows %s", page, body)
	}
}

func TestClientThatOpensPagesIsAskedToSignIn(t *testing.T) {
	s := signedOut(t)
	a := s.opensPages()
	for i, tool := range []string{"whoami", "write", "write"} { // write needs a further permission
		a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call-%d","method":"tools/call","params":{"name":"notes__%s","arguments":{}}}`, i, tool))
		if i < 2 {
			question := a.AwaitText(`"method":"elicitation/create"`)
			for _, part := range []string{`"mode":"url"`, `"elicitationId":"`, `Sign in to notes`, s.provider.Issuer} {
				if !strings.Contains(question, part) {
					t.Fatalf("the question %s does not contain %s", question, part)
				}
			}
			a.Write(`{"jsonrpc":"2.0","id":"` + hubtest.Between(question, `"id":"`, `"`) + `","result":{"action":"accept"}}`)
			visit(t, question, "alice")
			id := hubtest.Between(question, `"elicitationId":"`, `"`)
			if done := a.AwaitText("notifications/elicitation/complete"); !strings.Contains(done, id) {
				t.Errorf("got %s, want the id %s", done, id)
			}
		}
		if got := a.AwaitText(fmt.Sprintf(`"id":"call-%d"`, i)); !strings.Contains(got, "you are alice") {
			t.Errorf("%s answered %s", tool, got)
		}
	}
}

func TestUserWhoDeclinesToSignInIsAskedOnce(t *testing.T) {
	s := signedOut(t)
	a := s.opensPages()
	for i, action := range []string{"cancel", "decline", ""} {
		a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call-%d","method":"tools/call","params":{"name":"notes__whoami","arguments":{}}}`, i))
		if action != "" {
			question := a.AwaitText(`"method":"elicitation/create"`)
			a.Write(`{"jsonrpc":"2.0","id":"` + hubtest.Between(question, `"id":"`, `"`) + `","result":{"action":"` + action + `"}}`)
		}
		if got := a.AwaitText(fmt.Sprintf(`"id":"call-%d"`, i)); !strings.Contains(got, "agent-discover auth login notes") {
			t.Errorf("after %q: %s", action, got)
		}
	}
}

func TestCallsAskOnceToSignIn(t *testing.T) {
	s := signedOut(t)
	a := s.opensPages()
	for i := range 5 {
		a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call-%d","method":"tools/call","params":{"name":"notes__whoami","arguments":{}}}`, i))
	}
	question := a.AwaitText(`"method":"elicitation/create"`)
	visit(t, question, "alice") // the person signs in before the client answers
	for range 5 {
		if got := a.AwaitText(`"id":"call-`); !strings.Contains(got, "you are alice") {
			t.Errorf("got %s", got)
		}
	}
	for _, line := range a.Notices {
		if strings.Contains(line, "elicitation/create") && line != question {
			t.Errorf("another question: %s", line)
		}
	}
}

func TestModernClientThatOpensPagesIsAskedToSignIn(t *testing.T) {
	s := signedOut(t)
	a := hubtest.Arrive(t, s.Hub)
	meta := strings.Replace(hubtest.ModernMeta, `"elicitation":{}`, `"elicitation":{"url":{}}`, 1)
	const call = `"name":"notes__whoami","arguments":{},`
	question := a.Exchange("tools/call", "{"+call+meta+"}")
	for _, part := range []string{`"resultType":"input_required"`, `"mode":"url"`, "Sign in to notes"} {
		if !strings.Contains(question, part) {
			t.Fatalf("the question %s does not contain %s", question, part)
		}
	}
	if strings.Contains(question, "elicitationId") {
		t.Errorf("the question has an id: %s", question)
	}
	visit(t, question, "alice")
	state := hubtest.Between(question, `"requestState":"`, `"`)
	got := a.Exchange("tools/call", "{"+call+`"inputResponses":{"q1":{"action":"accept"}},"requestState":"`+state+`",`+meta+"}")
	if !strings.Contains(got, "you are alice") {
		t.Errorf("got %s", got)
	}
	if got := a.Modern("tools/call", strings.TrimSuffix(call, ",")); !strings.Contains(got, "you are alice") {
		t.Errorf("got %s", got)
	}
}
