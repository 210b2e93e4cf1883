package eras_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestAModernClientGetsWhatServersHave(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
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
		{
			"resources/read", `"uri":"one+note://1"`,
			`"contents":[{"uri":"one+note://1","text":"a note","unknown":9007199254740993}],"resultType":"complete","ttlMs":0,"cacheScope":"private"`,
		},
		{"resources/read", `"uri":"one+note://7"`, `"error":{"code":-32602,"message":"no such resource: note://7"}`},
		{
			"completion/complete", `"ref":{"type":"ref/prompt","name":"one__greet"},"argument":{"name":"who","value":"A"}`,
			`"resultType":"complete"`,
		},
		{
			"tools/call", `"name":"one__echo","arguments":{"text":"hello"}`,
			`{"content":[{"type":"text","text":"hello"}],"resultType":"complete"`,
		},
		{"tools/call", `"name":"one__none"`, `"error":{"code":-32602`},
		{"ping", "", `"error":{"code":-32601`},
		{"logging/setLevel", `"level":"info"`, `"error":{"code":-32601`},
		{"resources/subscribe", `"uri":"one+note://1"`, `"error":{"code":-32601`},
		{"tasks/get", `"taskId":"x"`, `"error":{"code":-32601`},
	} {
		if got := a.Modern(row.method, row.members); !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.members, got, row.want)
		}
	}
	for params, want := range map[string]string{
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`:                                                           `"error":{"code":-32602`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`:           `"error":{"code":-32022`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":"everything"}}`: `"error":{"code":-32602`,
	} {
		if got := a.Exchange("tools/list", params); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", params, got, want)
		}
	}
}

func TestTheListOfAModernClientDoesNotVary(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
	before := a.Modern("tools/list", "")
	if got := a.Modern("tools/call",
		`"name":"registry","arguments":{"action":"find_tool","query":"wait for progress in steps"}`); !strings.Contains(got, "call_as") {
		t.Fatal(got)
	}
	if after := a.Modern("tools/list", ""); after != before {
		t.Errorf("after find_tool the list is\n%s\nand was\n%s", after, before)
	}
	for range 50 {
		other := hubtest.Arrive(t, h)
		if list := other.Modern("tools/list", ""); list != before {
			t.Fatalf("another client has the list\n%s", list)
		}
		other.Leave()
	}
	for _, line := range a.Notices {
		t.Errorf("unexpected: %s", line)
	}
}

func TestBothErasShareAPipe(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Join(t, h, "agent")
	if got := a.Modern("tools/call", `"name":"one__echo","arguments":{"text":"m"}`); !strings.Contains(got, "resultType") {
		t.Error(got)
	}
	if got, want := a.Exchange("tools/call", `{"name":"one__echo","arguments":{"text":"l"}}`),
		`"result":{"content":[{"type":"text","text":"l"}]}`; got != want {
		t.Error(got)
	}
}

func TestListenersGetWhatTheyAskedForWithTheirID(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
	a.Write(
		`{"jsonrpc":"2.0","id":"all","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false,"resourceSubscriptions":["one+note://1","nowhere://1"]},` +
			hubtest.ModernMeta +
			`}}`,
	)
	if got, want := a.Await("notifications/subscriptions/acknowledged"),
		`"params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["one+note://1"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"all"}}`; !strings.Contains(got,
		want) {
		t.Errorf("acknowledged: %s", got)
	}
	if len(a.Notices) > 0 {
		t.Errorf("before the acknowledgement came %s", a.Notices)
	}
	tag := `"_meta":{"io.modelcontextprotocol/subscriptionId":"all"}`
	if got := a.Await("notifications/resources/updated"); !strings.Contains(got, `"params":{"uri":"one+note://1",`+tag) {
		t.Error(got)
	}
	hubtest.Do(t, h, "POST", "/api/servers/2/deactivate", nil, nil)
	for _, list := range []string{"tools", "prompts"} {
		if got := a.Await("notifications/" + list + "/list_changed"); !strings.Contains(got, tag) {
			t.Error(got)
		}
	}
	a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"all"}}`)
	a.Modern("server/discover", "") // the answer shows that the hub has handled the cancellation
	a.Notices = nil
	hubtest.Do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	if got := a.Modern("tools/list", ""); !strings.Contains(got, "two__echo") {
		t.Error(got)
	}
	if len(a.Notices) > 0 {
		t.Errorf("after the end: %s", a.Notices)
	}
}

func TestAModernClientAnswersWhatAnOldServerAsks(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
	const call = `"name":"one__ask","arguments":{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`
	first := hubtest.ReadRequired(t, a.Modern("tools/call", call))
	if r := first.Result; r.ResultType != "input_required" || len(r.InputRequests) != 1 ||
		r.InputRequests["q1"].Method != "elicitation/create" ||
		!strings.Contains(string(r.InputRequests["q1"].Params), `"message":"Which?"`) || r.RequestState == "" {
		t.Fatalf("got %+v", first)
	}
	retry := func(a *hubtest.Agent, call, state, responses string) string {
		return a.Modern("tools/call", fmt.Sprintf(`%s,"inputResponses":%s,"requestState":%q`, call, responses, state))
	}
	other := func(state string) string {
		first := "x"
		if state[:1] == first {
			first = "y"
		}
		return first + state[1:]
	}
	const accept = `{"q1":{"action":"accept","content":{"which":"this"}}}`
	stranger := hubtest.Arrive(t, h)
	for name, got := range map[string]string{
		"another client":  retry(stranger, call, first.Result.RequestState, accept),
		"other arguments": retry(a, strings.Replace(call, "Which?", "What?", 1), first.Result.RequestState, accept),
		"a changed state": retry(a, call, other(first.Result.RequestState), accept),
	} {
		if want := `"error":{"code":-32602,"message":"Invalid params: the requestState is not valid for this request"}`; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if again := hubtest.ReadRequired(t, retry(a, call, first.Result.RequestState, `{}`)); again.Result.ResultType != "input_required" {
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
	missing := strings.Replace(hubtest.ModernMeta, `"elicitation":{},`, "", 1)
	if got := a.Exchange("tools/call", "{"+call+","+missing+"}"); strings.Contains(got, "input_required") {
		t.Errorf("a client without the capability: %s", got)
	}
}
