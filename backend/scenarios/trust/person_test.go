package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withPerson runs a hub whose window is open, with an always listed server of each era.
func withPerson(t *testing.T) *hubtest.Scenario {
	t.Helper()
	s := hubtest.NewScenario(t, hub.Options{})
	for i, flags := range [][]string{{"-offers"}, {"-modern"}} {
		command := mcptest.Command(t, flags...)
		hubtest.Do(t, s.Hub, "POST", "/api/servers",
			map[string]any{"name": []string{"old", "new"}[i], "command": command[0], "args": command[1:]}, nil)
		hubtest.Do(t, s.Hub, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil)
	}
	return s
}

// oldAsks is a call in which the server of the legacy era asks a question. newAsks is a call in
// which the server of the modern era asks the same question.
const (
	oldAsks = `"name":"old__ask","arguments":{"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object"}}}`
	newAsks = `"name":"new__require","arguments":{"requests":{"q":{"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object"}}}}}`
)

func TestAPersonAnswersForAClientThatCannotBeAsked(t *testing.T) {
	s := withPerson(t)
	bare := strings.Replace(hubtest.ModernMeta, `"elicitation":{},"sampling":{}`, "", 1)
	for name, row := range map[string]struct {
		client func() *hubtest.Agent
		params string
	}{
		"a legacy client, a legacy server": {func() *hubtest.Agent { return hubtest.Join(t, s.Hub, "agent") }, "{" + oldAsks + "}"},
		"a legacy client, a modern server": {func() *hubtest.Agent { return hubtest.Join(t, s.Hub, "agent") }, "{" + newAsks + "}"},
		"a modern client, a legacy server": {
			func() *hubtest.Agent { return hubtest.ArriveBy(t, s.Hub, companion.Entry{}) }, "{" + oldAsks + "," + bare + "}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := row.client()
			mark := s.Events.Mark()
			a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + row.params + `}`)
			s.Events.Await(t, "the question", mark, "elicitation_request", "Which one?")
			_, pending := s.Send("GET", "/api/elicitations", "")
			hubtest.Do(t, s.Hub, "POST", "/api/elicitations/"+hubtest.Between(pending, `"id":"`, `"`)+"/respond",
				map[string]any{"action": "accept", "content": map[string]any{"which": "this"}}, nil)
			if got := a.AwaitText(`"id":"asking"`); !strings.Contains(got, `\"which\":\"this\"`) {
				t.Errorf("got %s", got)
			}
			a.Leave()
		})
	}
}

func TestWithoutAWindowAClientThatCannotBeAskedIsToldSo(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Join(t, h, "agent")
	got := a.Exchange("tools/call", "{"+strings.Replace(oldAsks, "old__", "one__", 1)+"}")
	if !strings.Contains(got, "does not support") || !strings.Contains(got, "no window of Agent Discover is open") {
		t.Errorf("got %s", got)
	}
}

func TestTheQuestionOfACallThatEndsIsWithdrawn(t *testing.T) {
	s := withPerson(t)
	a := hubtest.Join(t, s.Hub, "agent")
	mark := s.Events.Mark()
	a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":{` + oldAsks + `}}`)
	s.Events.Await(t, "the question", mark, "elicitation_request", "Which one?")
	mark = s.Events.Mark()
	a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"asking"}}`)
	s.Events.Await(t, "the end of the question", mark, "elicitation_answered", "")
	if _, pending := s.Send("GET", "/api/elicitations", ""); strings.Contains(pending, "Which one?") {
		t.Errorf("the question still waits: %s", pending)
	}
}
