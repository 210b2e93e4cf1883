package servers_test

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestALegacyClientUsesAModernServer(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddModern(t, h)
	a := hubtest.Join(t, h, "agent")
	for _, row := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"new__meta","arguments":{}}`, `"_meta":{"own":1}}`},
		{"prompts/get", `{"name":"new__greet","arguments":{"who":"Ada"}}`, `"text":"Greet Ada"`},
		{
			"resources/read", `{"uri":"new+note://1"}`,
			`"result":{"contents":[{"uri":"new+note://1","text":"a note","unknown":9007199254740993}]}`,
		},
		{"resources/read", `{"uri":"new+note://7"}`, `"error":{"code":-32002`},
		{
			"completion/complete", `{"ref":{"type":"ref/prompt","name":"new__greet"},"argument":{"name":"who","value":"A"}}`,
			`"values":["asked with`,
		},
		{"resources/subscribe", `{"uri":"new+note://1"}`, `"result":{}`},
		{"resources/subscribe", `{"uri":"new+note://refused"}`, `"error":{"code":-32601`},
		{"logging/setLevel", `{"level":"info"}`, `"result":{}`},
	} {
		if got := a.Exchange(row.method, row.params); !strings.Contains(got, row.want) || strings.Contains(got, "resultType") {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
	if got := a.Await("notifications/resources/updated"); !strings.Contains(got, `"params":{"uri":"new+note://1"}`) {
		t.Errorf("got %s", got)
	}
	if got := a.Exchange("tools/call", `{"name":"new__meta","arguments":{}}`); !strings.Contains(got, `logLevel\":\"info\"`) {
		t.Errorf("the call has no log level: %s", got)
	}
	// The client does not support questions, so the hub answers the server with cancel.
	if got := a.Exchange("tools/call", "{"+hubtest.RequireCall+"}"); !strings.Contains(got, `{\"a\":{\"action\":\"cancel\"}}`) {
		t.Errorf("got %s", got)
	}
}

func TestAModernClientUsesAModernServer(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.AddModern(t, h)
	dial := func(h *hub.Hub, session string) *hubtest.Agent {
		stream, err := companion.Dial(t.Context(), h.Info(), "1.2.3", "the-session-called-"+session, companion.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		a := &hubtest.Agent{T: t, Stream: stream, Lines: bufio.NewReader(stream)}
		t.Cleanup(a.Leave)
		return a
	}
	a := dial(h, "one")
	got := a.Modern("tools/call", hubtest.RequireCall)
	state := regexp.MustCompile(`"requestState":("[^"]+")`).FindStringSubmatch(got)
	if state == nil || strings.Contains(got, "theirs") ||
		!strings.Contains(got, `"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Sure?"`) {
		t.Fatalf("got %s", got)
	}
	retry := func(a *hubtest.Agent, members, want string) {
		t.Helper()
		if got := a.Modern("tools/call", fmt.Sprintf(members, state[1])); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	const refused, answered = `"error":{"code":-32602,"message":"Invalid params: the requestState is not valid`,
		`"text":"{\"a\":{\"action\":\"accept\"}}\"theirs\""`
	retry(dial(h, "two"), hubtest.RequireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, refused)
	retry(a, strings.Replace(hubtest.RequireCall, "Sure?", "Sure!", 1)+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`,
		refused)
	retry(a, hubtest.RequireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, answered)

	// The request state is still valid after a restart of the hub.
	h.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h, _ = hubtest.RunHub(t, hub.Options{Folder: folder})
	retry(dial(h, "one"), hubtest.RequireCall+`,"inputResponses":{"a":{"action":"accept"}},"requestState":%s`, answered)
	if got := dial(h, "three").Modern("resources/read", `"uri":"new+note://1"`); !strings.Contains(got, `"resultType":"complete"`) ||
		!strings.Contains(got, `"uri":"new+note://1"`) {
		t.Errorf("got %s", got)
	}
}
