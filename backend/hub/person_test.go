package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withPerson runs a hub whose window is open, with an active server of each era.
func withPerson(t *testing.T) *scenario {
	t.Helper()
	s := newScenario(t, hub.Options{})
	for i, flags := range [][]string{{"-offers"}, {"-modern"}} {
		command := mcptest.Command(t, flags...)
		do(t, s.hub, "POST", "/api/servers", map[string]any{"name": []string{"old", "new"}[i], "command": command[0], "args": command[1:]}, nil)
		do(t, s.hub, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil)
	}
	return s
}

// The calls in which servers of both eras ask the same question.
const (
	oldAsks = `"name":"old__ask","arguments":{"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object"}}}`
	newAsks = `"name":"new__require","arguments":{"requests":{"q":{"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object"}}}}}`
)

func TestAPersonAnswersForAClientThatCannotBeAsked(t *testing.T) {
	s := withPerson(t)
	bare := strings.Replace(modernMeta, `"elicitation":{},"sampling":{}`, "", 1)
	for name, row := range map[string]struct {
		client func() *agent
		params string
	}{
		"a legacy client, a legacy server": {func() *agent { return join(t, s.hub, "agent") }, "{" + oldAsks + "}"},
		"a legacy client, a modern server": {func() *agent { return join(t, s.hub, "agent") }, "{" + newAsks + "}"},
		"a modern client, a legacy server": {func() *agent { return arriveBy(t, s.hub, companion.Entry{}) }, "{" + oldAsks + "," + bare + "}"},
	} {
		t.Run(name, func(t *testing.T) {
			a := row.client()
			mark := s.events.mark()
			a.write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + row.params + `}`)
			s.events.await(t, "the question", mark, "elicitation_request", "Which one?")
			_, pending := s.send("GET", "/api/elicitations", "")
			do(t, s.hub, "POST", "/api/elicitations/"+between(pending, `"id":"`, `"`)+"/respond", map[string]any{"action": "accept", "content": map[string]any{"which": "this"}}, nil)
			if got := a.awaitText(`"id":"asking"`); !strings.Contains(got, `\"which\":\"this\"`) {
				t.Errorf("got %s", got)
			}
			a.leave()
		})
	}
}

func TestWithoutAWindowAClientThatCannotBeAskedIsToldSo(t *testing.T) {
	h := offering(t)
	a := join(t, h, "agent")
	got := a.exchange("tools/call", "{"+strings.Replace(oldAsks, "old__", "one__", 1)+"}")
	if !strings.Contains(got, "does not support") || !strings.Contains(got, "no window of Agent Discover is open") {
		t.Errorf("got %s", got)
	}
}

func TestTheQuestionOfACallThatEndsIsWithdrawn(t *testing.T) {
	s := withPerson(t)
	a := join(t, s.hub, "agent")
	mark := s.events.mark()
	a.write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":{` + oldAsks + `}}`)
	s.events.await(t, "the question", mark, "elicitation_request", "Which one?")
	mark = s.events.mark()
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"asking"}}`)
	s.events.await(t, "the end of the question", mark, "elicitation_answered", "")
	if _, pending := s.send("GET", "/api/elicitations", ""); strings.Contains(pending, "Which one?") {
		t.Errorf("the question still waits: %s", pending)
	}
}
