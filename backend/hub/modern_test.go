package hub_test

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}`

// arrive connects a client that does not initialize, as those of MCP 2026-07-28 do.
func arrive(t *testing.T, h *hub.Hub) *agent {
	t.Helper()
	return arriveBy(t, h, companion.Entry{})
}

// arriveBy is arrive for a companion that was started by an editor's entry.
func arriveBy(t *testing.T, h *hub.Hub, entry companion.Entry) *agent {
	t.Helper()
	stream, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text(), entry)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, stream: stream, lines: bufio.NewReader(stream)}
	t.Cleanup(a.leave)
	return a
}

// modern sends a modern request with members of its params and returns the answer.
func (a *agent) modern(method, members string) string {
	a.t.Helper()
	if members != "" {
		members += ","
	}
	return a.exchange(method, "{"+members+modernMeta+"}")
}

func TestAModernClientGetsWhatServersHave(t *testing.T) {
	h := offering(t)
	a := arrive(t, h)
	const info = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"agent-discover","title":"Agent Discover","version":`
	for _, row := range []struct{ method, members, want string }{
		{"server/discover", "", `"supportedVersions":["2026-07-28"`},
		{"server/discover", "", `"ttlMs":60000,"cacheScope":"private"`},
		{"server/discover", "", info},
		{"tools/list", "", `{"tools":[{"name":"registry"`},
		{"tools/list", "", `"resultType":"complete","ttlMs":60000,"cacheScope":"private"`},
		{"prompts/list", "", `{"prompts":[{"name":"one__greet"`},
		{"resources/list", "", `{"uri":"two+note://2","name":"after second page"}`},
		{"resources/templates/list", "", `{"uriTemplate":"two+note://{n}","name":"notes"}`},
		{"prompts/get", `"name":"one__greet","arguments":{"who":"Ada"}`, `"text":"Greet Ada"}}],"resultType":"complete"`},
		{"resources/read", `"uri":"one+note://1"`, `"contents":[{"uri":"one+note://1","text":"a note","unknown":9007199254740993}],"resultType":"complete","ttlMs":0,"cacheScope":"private"`},
		{"resources/read", `"uri":"one+note://7"`, `"error":{"code":-32602,"message":"no such resource: note://7"}`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"one__greet"},"argument":{"name":"who","value":"A"}`, `"resultType":"complete"`},
		{"tools/call", `"name":"one__echo","arguments":{"text":"hello"}`, `{"content":[{"type":"text","text":"hello"}],"resultType":"complete"`},
		{"tools/call", `"name":"one__none"`, `"error":{"code":-32602`},
		{"ping", "", `"error":{"code":-32601`},
		{"logging/setLevel", `"level":"info"`, `"error":{"code":-32601`},
		{"resources/subscribe", `"uri":"one+note://1"`, `"error":{"code":-32601`},
		{"tasks/get", `"taskId":"x"`, `"error":{"code":-32601`},
	} {
		if got := a.modern(row.method, row.members); !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.members, got, row.want)
		}
	}
	for params, want := range map[string]string{
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`:                                                           `"error":{"code":-32602`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`:           `"error":{"code":-32022`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":"everything"}}`: `"error":{"code":-32602`,
	} {
		if got := a.exchange("tools/list", params); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", params, got, want)
		}
	}
}

func TestTheListOfAModernClientDoesNotVary(t *testing.T) {
	h := offering(t)
	a := arrive(t, h)
	before := a.modern("tools/list", "")
	if got := a.modern("tools/call", `"name":"registry","arguments":{"action":"find_tool","query":"wait for progress in steps"}`); !strings.Contains(got, "call_as") {
		t.Fatal(got)
	}
	if after := a.modern("tools/list", ""); after != before {
		t.Errorf("after find_tool the list is\n%s\nand was\n%s", after, before)
	}
	for range 50 {
		other := arrive(t, h)
		if list := other.modern("tools/list", ""); list != before {
			t.Fatalf("another client has the list\n%s", list)
		}
		other.leave()
	}
	for _, line := range a.notices {
		t.Errorf("unexpected: %s", line)
	}
}

func TestBothErasShareAPipe(t *testing.T) {
	h := offering(t)
	a := join(t, h, "agent")
	if got := a.modern("tools/call", `"name":"one__echo","arguments":{"text":"m"}`); !strings.Contains(got, "resultType") {
		t.Error(got)
	}
	if got, want := a.exchange("tools/call", `{"name":"one__echo","arguments":{"text":"l"}}`), `"result":{"content":[{"type":"text","text":"l"}]}`; got != want {
		t.Error(got)
	}
}

func TestListenersGetWhatTheyAskedForWithTheirID(t *testing.T) {
	h := offering(t)
	a := arrive(t, h)
	a.write(`{"jsonrpc":"2.0","id":"all","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false,"resourceSubscriptions":["one+note://1","nowhere://1"]},` + modernMeta + `}}`)
	if got, want := a.await("notifications/subscriptions/acknowledged"), `"params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["one+note://1"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"all"}}`; !strings.Contains(got, want) {
		t.Errorf("acknowledged: %s", got)
	}
	if len(a.notices) > 0 {
		t.Errorf("before the acknowledgement came %s", a.notices)
	}
	tag := `"_meta":{"io.modelcontextprotocol/subscriptionId":"all"}`
	if got := a.await("notifications/resources/updated"); !strings.Contains(got, `"params":{"uri":"one+note://1",`+tag) {
		t.Error(got)
	}
	do(t, h, "POST", "/api/servers/2/deactivate", nil, nil)
	for _, list := range []string{"tools", "prompts"} {
		if got := a.await("notifications/" + list + "/list_changed"); !strings.Contains(got, tag) {
			t.Error(got)
		}
	}
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"all"}}`)
	a.modern("server/discover", "") // the cancellation was handled
	a.notices = nil
	do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	if got := a.modern("tools/list", ""); !strings.Contains(got, "two__echo") {
		t.Error(got)
	}
	if len(a.notices) > 0 {
		t.Errorf("after the end: %s", a.notices)
	}
}

// required is the answer that asks for input.
type required struct {
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState string
		Content      []struct{ Text string }
	}
	Error json.RawMessage
}

func readRequired(t *testing.T, answer string) (r required) {
	t.Helper()
	if err := json.Unmarshal([]byte("{"+answer+"}"), &r); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return r
}

func TestAModernClientAnswersWhatAnOldServerAsks(t *testing.T) {
	h := offering(t)
	a := arrive(t, h)
	const call = `"name":"one__ask","arguments":{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`
	first := readRequired(t, a.modern("tools/call", call))
	if r := first.Result; r.ResultType != "input_required" || len(r.InputRequests) != 1 || r.InputRequests["q1"].Method != "elicitation/create" ||
		!strings.Contains(string(r.InputRequests["q1"].Params), `"message":"Which?"`) || r.RequestState == "" {
		t.Fatalf("got %+v", first)
	}
	retry := func(a *agent, call, state, responses string) string {
		return a.modern("tools/call", fmt.Sprintf(`%s,"inputResponses":%s,"requestState":%q`, call, responses, state))
	}
	other := func(state string) string {
		first := "x"
		if state[:1] == first {
			first = "y"
		}
		return first + state[1:]
	}
	const accept = `{"q1":{"action":"accept","content":{"which":"this"}}}`
	stranger := arrive(t, h)
	for name, got := range map[string]string{
		"another client":  retry(stranger, call, first.Result.RequestState, accept),
		"other arguments": retry(a, strings.Replace(call, "Which?", "What?", 1), first.Result.RequestState, accept),
		"a changed state": retry(a, call, other(first.Result.RequestState), accept),
	} {
		if want := `"error":{"code":-32602,"message":"Invalid params: the requestState is not valid for this request"}`; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if again := readRequired(t, retry(a, call, first.Result.RequestState, `{}`)); again.Result.ResultType != "input_required" {
		t.Errorf("without the answer: %+v", again)
	} else {
		first = again
	}
	last := retry(a, call, first.Result.RequestState, accept)
	if !strings.Contains(last, `\"which\":\"this\"`) || !strings.Contains(last, `"resultType":"complete"`) {
		t.Errorf("got %s", last)
	}
	if got := retry(a, call, first.Result.RequestState, accept); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("a replay: %s", got)
	}
	missing := strings.Replace(modernMeta, `"elicitation":{},`, "", 1)
	if got := a.exchange("tools/call", "{"+call+","+missing+"}"); strings.Contains(got, "input_required") {
		t.Errorf("a client without the capability: %s", got)
	}
}
