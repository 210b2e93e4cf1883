package hub_test

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// addModern adds an active server of the modern era.
func addModern(t *testing.T, h *hub.Hub) {
	t.Helper()
	command := mcptest.Command(t, "-modern", "-offers")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "new", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
}

const requireCall = `"name":"new__require","arguments":{"state":"theirs","requests":{"a":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object"}}}}}`

func TestALegacyClientUsesAModernServer(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	addModern(t, h)
	a := join(t, h, "agent")
	for _, row := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"new__meta","arguments":{}}`, `"_meta":{"own":1}}`},
		{"prompts/get", `{"name":"new__greet","arguments":{"who":"Ada"}}`, `"text":"Greet Ada"`},
		{"resources/read", `{"uri":"new+note://1"}`, `"result":{"contents":[{"uri":"new+note://1","text":"a note","unknown":9007199254740993}]}`},
		{"resources/read", `{"uri":"new+note://7"}`, `"error":{"code":-32002`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"new__greet"},"argument":{"name":"who","value":"A"}}`, `"values":["asked with`},
		{"resources/subscribe", `{"uri":"new+note://1"}`, `"result":{}`},
		{"resources/subscribe", `{"uri":"new+note://refused"}`, `"error":{"code":-32601`},
		{"logging/setLevel", `{"level":"info"}`, `"result":{}`},
	} {
		if got := a.exchange(row.method, row.params); !strings.Contains(got, row.want) || strings.Contains(got, "resultType") {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
	if got := a.await("notifications/resources/updated"); !strings.Contains(got, `"params":{"uri":"new+note://1"}`) {
		t.Errorf("got %s", got)
	}
	if got := a.exchange("tools/call", `{"name":"new__meta","arguments":{}}`); !strings.Contains(got, `logLevel\":\"info\"`) {
		t.Errorf("the call has no log level: %s", got)
	}
	// The client cannot be asked: the server gets an answer all the same.
	if got := a.exchange("tools/call", "{"+requireCall+"}"); !strings.Contains(got, `{\"a\":{\"action\":\"cancel\"}}`) {
		t.Errorf("got %s", got)
	}
}

func TestAModernClientUsesAModernServer(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	h, ended := runHub(t, hub.Options{Folder: folder})
	addModern(t, h)
	dial := func(h *hub.Hub, session string) *agent {
		stream, err := companion.Dial(t.Context(), h.Info(), "1.2.3", "the-session-called-"+session, companion.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		a := &agent{t: t, stream: stream, lines: bufio.NewReader(stream)}
		t.Cleanup(a.leave)
		return a
	}
	a := dial(h, "one")
	got := a.modern("tools/call", requireCall)
	state := regexp.MustCompile(`"requestState":("[^"]+")`).FindStringSubmatch(got)
	if state == nil || strings.Contains(got, "theirs") || !strings.Contains(got, `"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Sure?"`) {
		t.Fatalf("got %s", got)
	}
	retry := func(a *agent, members, want string) {
		t.Helper()
		if got := a.modern("tools/call", fmt.Sprintf(members, state[1])); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	const refused, answered = `"error":{"code":-32602,"message":"Invalid params: the requestState is not valid`, `"text":"{\"a\":{\"action\":\"accept\"}}\"theirs\""`
	retry(dial(h, "two"), requireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, refused)
	retry(a, strings.Replace(requireCall, "Sure?", "Sure!", 1)+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, refused)
	retry(a, requireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, answered)

	// The state outlives the hub.
	h.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h, _ = runHub(t, hub.Options{Folder: folder})
	retry(dial(h, "one"), requireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, answered)
	if got := dial(h, "three").modern("resources/read", `"uri":"new+note://1"`); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"uri":"new+note://1"`) {
		t.Errorf("got %s", got)
	}
}
