package surfaces_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// alone runs a hub with the servers "one" and "two", neither of which is always listed. It connects a client with the
// surface of "one", which contains no other server.
func alone(t *testing.T, flags ...string) (*hub.Hub, *hubtest.Agent) {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	for _, name := range []string{"one", "two"} {
		command := mcptest.Command(t, append([]string{"-offers"}, flags...)...)
		hubtest.Do(t, h, "POST", "/api/servers",
			map[string]any{"name": name, "command": command[0], "args": command[1:], "start": name == "one"}, nil)
	}
	return h, hubtest.Introduced(t, h, hubtest.Server("one"), `{"elicitation":{},"sampling":{}}`)
}

// running reports whether a server has a process.
func running(t *testing.T, h *hub.Hub, name string) bool {
	t.Helper()
	var servers []struct {
		Name    string
		Running bool
	}
	hubtest.Do(t, h, "GET", "/api/servers", nil, &servers)
	for _, s := range servers {
		if s.Name == name {
			return s.Running
		}
	}
	t.Fatalf("there is no server %s", name)
	return false
}

const introducedAsOne = `"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}},"serverInfo":{"name":"mcptest","version":"1.2.3"},"instructions":"Be kind."}`

func TestAClientOfOneServerGetsWhatTheServerSays(t *testing.T) {
	h, _ := alone(t)
	if running(t, h, "two") {
		t.Error("another server runs")
	}
	a := hubtest.ArriveBy(t, h, hubtest.Server("one"))
	initialize := `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`
	if got, want := a.Exchange("initialize", initialize), `"result":{"protocolVersion":"2025-06-18",`+introducedAsOne; got != want {
		t.Errorf("initialize:\n got %s\nwant %s", got, want)
	}
	direct := `"result":{"tools":[{"name":"echo","description":"Give back the text","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"any text"}},"required":["text"]}},`
	if got := a.Exchange("tools/list", `{}`); !strings.HasPrefix(got, direct) || strings.Contains(got, "registry") {
		t.Errorf("tools/list: %s", got)
	}
	for _, row := range []struct{ method, params, want string }{
		{"ping", `{}`, `"result":{}`},
		{"prompts/list", `{}`, `"result":{"prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]}]}`},
		{"resources/templates/list", `{}`, `"result":{"resourceTemplates":[{"uriTemplate":"note://{n}","name":"notes"}]}`},
		{"resources/list", `{"cursor":"third"}`, `"result":{"resources":[{"uri":"note://2","name":"after third"}]}`},
		{"tools/call", `{"name":"echo","arguments":{"text":"hello"}}`, `"result":{"content":[{"type":"text","text":"hello"}]}`},
		{"tools/call", `{"name":"nothing"}`, `"error":{"code":-32602,"message":"Tool nothing not found"}`},
		{"tools/call", `{"name":"registry","arguments":{"action":"list"}}`, `"error":{"code":-32602,"message":"Tool registry not found"}`},
		{
			"prompts/get", `{"name":"greet","arguments":{"who":"Ada"}}`,
			`"result":{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada"}}]}`,
		},
		{"prompts/get", `{"name":"none"}`, `"error":{"code":-32602,"message":"Prompt none not found"}`},
		{"resources/read", `{"uri":"note://1"}`, `"result":{"contents":[{"uri":"note://1","text":"a note","unknown":9007199254740993}]}`},
		{"resources/read", `{"uri":"two+note://1"}`, `"error":{"code":-32002,"message":"no such resource: two+note://1"}`},
		{
			"completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}}`,
			`\"name\":\"greet\"}`,
		},
		{
			"completion/complete", `{"ref":{"type":"ref/resource","uri":"note://{n}"},"argument":{"name":"n","value":"1"}}`,
			`\"uri\":\"note://{n}\"`,
		},
		{"logging/setLevel", `{"level":"loud"}`, `unknown log level`},
		{"no/such", `{}`, `"error":{"code":-32601,"message":"Method not found: no/such"}`},
	} {
		if got := a.Exchange(row.method, row.params); got != row.want &&
			!(strings.Contains(row.want, `\"`) || strings.Contains(row.want, "unknown log")) || !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
	if list, want := a.Poll("resources/list", "note://2"),
		`"result":{"resources":[{"uri":"note://1","name":"first"},{"uri":"note://2","name":"after second page"}]}`; list != want {
		t.Errorf("resources/list: %s", list)
	}
}

func TestAClientOfOneServerNeedsItsProcessForCallsOnly(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "")
	first, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-offers")
	hubtest.Do(t, first, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	a := hubtest.Introduced(t, first, hubtest.Server("one"), `{}`)
	lists := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	a.Poll("resources/list", "note://2")
	a.Poll("resources/templates/list", "notes")
	var before []string
	for _, list := range lists {
		before = append(before, a.Exchange(list, `{}`))
	}
	first.Stop()
	hubtest.AwaitEnd(t, ended)

	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	a = hubtest.ArriveBy(t, h, hubtest.Server("one"))
	if got := a.Exchange("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); !strings.HasSuffix(got,
		introducedAsOne) {
		t.Errorf("initialize: %s", got)
	}
	for i, list := range lists {
		if got := a.Exchange(list, `{}`); got != before[i] {
			t.Errorf("%s of a stopped server:\n got %s\nwant %s", list, got, before[i])
		}
	}
	if running(t, h, "one") {
		t.Error("the lists have started the server")
	}
	if got := a.Exchange("tools/call",
		`{"name":"echo","arguments":{"text":"hello"}}`); got != `"result":{"content":[{"type":"text","text":"hello"}]}` {
		t.Error(got)
	}
}

func TestAClientOfOneServerHearsOfThisServerOnly(t *testing.T) {
	h, a := alone(t)
	if got := a.Exchange("logging/setLevel", `{"level":"info"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	if got, want := a.Await("notifications/message"),
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"so be it"}}`; got != want {
		t.Errorf("got %s", got)
	}
	whole := hubtest.Join(t, h, "other")
	hubtest.Do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	whole.AwaitList("resources/list", "two+note://1")
	if got := a.Exchange("resources/subscribe", `{"uri":"note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	if got := whole.Exchange("resources/subscribe", `{"uri":"two+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	if got, want := a.Await("notifications/resources/updated"),
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://1"}}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := a.Exchange("tools/call", `{"name":"steps","arguments":{"count":1},"_meta":{"progressToken":"mine"}}`); !strings.Contains(got,
		"done") {
		t.Error(got)
	}
	if got := a.Await("notifications/progress"); !strings.Contains(got, `"progressToken":"mine"`) {
		t.Error(got)
	}
	for _, line := range a.Notices { // the hub sends the log level again after the start, which produces these messages
		if !strings.Contains(line, "so be it") {
			t.Errorf("unexpected: %s", line)
		}
	}
	a.Exchange("tools/call", `{"name":"grow","arguments":{"name":"more","text":"one more"}}`)
	a.Await("notifications/tools/list_changed")
	if got := a.Exchange("tools/list", `{}`); !strings.Contains(got, `{"name":"more","description":"one more"`) {
		t.Error(got)
	}
	for _, line := range whole.Notices {
		if strings.Contains(line, "notifications/message") || strings.Contains(line, "one+") {
			t.Errorf("a client of the hub got %s", line)
		}
	}
}

func TestAClientOfOneServerIsAskedAndCanCancel(t *testing.T) {
	_, a := alone(t)
	a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":{"name":"ask","arguments":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"resource_link","uri":"note://1","name":"n"}}],"maxTokens":1}}}}`)
	question := a.Await("sampling/createMessage")
	if !strings.Contains(question,
		`"params":{"messages":[{"role":"user","content":{"type":"resource_link","uri":"note://1","name":"n"}}],"maxTokens":1}`) {
		t.Errorf("asked %s", question)
	}
	var asked struct{ ID string }
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"role":"assistant","content":{"type":"text","text":"well"}}}`, asked.ID))
	if line, err := a.Lines.ReadString('\n'); err != nil || !strings.Contains(line, `\"text\":\"well\"`) {
		t.Errorf("got %s, %v", line, err)
	}
	a.Write(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"hold","arguments":{"key":"k"},"_meta":{"progressToken":1}}}`)
	a.Await("notifications/progress")
	a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long","reason":"enough"}}`)
	for !strings.Contains(a.Exchange("tools/call", `{"name":"seen"}`), `\"reason\":\"enough\"`) {
	}
}

func TestAModernClientOfOneServer(t *testing.T) {
	h, _ := alone(t)
	a := hubtest.ArriveBy(t, h, hubtest.Server("one"))
	a.AwaitModernList("resources/list", "note://2")
	const end = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcptest","version":"1.2.3"}}}`
	for _, row := range []struct{ method, members, want string }{
		{
			"server/discover", "",
			`"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}},"instructions":"Be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcptest","version":"1.2.3"}},"resultType":"complete","ttlMs":60000,"cacheScope":"private"`,
		},
		{"tools/list", "", `"result":{"tools":[{"name":"echo",`},
		{
			"resources/list", "",
			`"result":{"resources":[{"uri":"note://1","name":"first"},{"uri":"note://2","name":"after second page"}],"resultType":"complete","ttlMs":60000,"cacheScope":"private",` +
				end,
		},
		{"prompts/list", "", `"result":{"prompts":[{"name":"greet",`},
		{
			"tools/call", `"name":"echo","arguments":{"text":"hello"}`,
			`"result":{"content":[{"type":"text","text":"hello"}],"resultType":"complete",` + end,
		},
		{"tools/call", `"name":"nothing"`, `"error":{"code":-32602,"message":"Tool nothing not found"}`},
		{
			"resources/read", `"uri":"note://1"`,
			`"result":{"contents":[{"uri":"note://1","text":"a note","unknown":9007199254740993}],"resultType":"complete"`,
		},
		{"ping", "", `"error":{"code":-32601`},
		{"no/such", "", `"error":{"code":-32601`},
	} {
		if got := a.Modern(row.method, row.members); !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.members, got, row.want)
		}
	}
	a.Write(
		`{"jsonrpc":"2.0","id":"all","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["note://1"]},` +
			hubtest.ModernMeta +
			`}}`,
	)
	if got, want := a.Await("notifications/subscriptions/acknowledged"),
		`"params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["note://1"]},`; !strings.Contains(got, want) {
		t.Errorf("acknowledged: %s", got)
	}
	if got := a.Await("notifications/resources/updated"); !strings.Contains(got, `"params":{"uri":"note://1",`) {
		t.Error(got)
	}
	first := hubtest.ReadRequired(t,
		a.Modern("tools/call", `"name":"ask","arguments":{"method":"elicitation/create","params":{"message":"Which?"}}`))
	if first.Result.ResultType != "input_required" {
		t.Errorf("got %+v", first)
	}
}

func TestAServerThatCannotBeShownIsRefusedClearly(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	if got := hubtest.RegistryCall(t, h, `{"action":"install","name":"new","command":"x"}`); !strings.Contains(got,
		"waiting_for_approval") {
		t.Fatal(got)
	}
	for name, want := range map[string]string{
		"nowhere": `"error":{"code":-32602,"message":"unknown server \"nowhere\"`,
		"new":     `"error":{"code":-32602,"message":"server \"new\" waits for a person's approval`,
	} {
		a := hubtest.ArriveBy(t, h, hubtest.Server(name))
		if got := a.Exchange("initialize",
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); !strings.Contains(got,
			want) {
			t.Errorf("initialize: %s", got)
		}
		if got := a.Modern("server/discover", ""); !strings.Contains(got, want) {
			t.Errorf("server/discover: %s", got)
		}
		if got := a.Exchange("tools/list", `{}`); !strings.Contains(got, want) {
			t.Errorf("tools/list: %s", got)
		}
	}
}

func TestAnUnknownSurfaceIsRefused(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	_, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text(), companion.Entry{Surface: "everything"})
	if err == nil || !strings.Contains(err.Error(), `unknown surface "everything"`) {
		t.Errorf("got %v", err)
	}
}

func TestAnAnnouncedChangeIsPassedOnAlthoughTheListIsTheSame(t *testing.T) {
	h, a := alone(t)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	whole := hubtest.Join(t, h, "agent")
	a.Exchange("tools/call", `{"name":"tell","arguments":{"method":"notifications/tools/list_changed"}}`)
	a.Await("notifications/tools/list_changed")
	a.Exchange("tools/call", `{"name":"grow","arguments":{"name":"more"}}`)
	a.Await("notifications/tools/list_changed")
	whole.Await("notifications/tools/list_changed")
	whole.Exchange("ping", `{}`)
	if got := strings.Count(strings.Join(whole.Notices, "\n"), "notifications/tools/list_changed"); got != 0 {
		t.Errorf("a client of the whole hub was told of %d changes besides that of the list", got)
	}
}

func TestAServerSaysHowLongItsAnswersMayBeCached(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddModern(t, h)
	a := hubtest.ArriveBy(t, h, hubtest.Server("new"))
	a.Modern("tools/call", `"name":"echo","arguments":{"text":"starts the server"}`)
	if got := a.Modern("server/discover", ""); !strings.Contains(got, `"ttlMs":5000,"cacheScope":"private"`) {
		t.Errorf("got %s", got)
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/stop", nil, nil)
	if got := a.Modern("server/discover", ""); !strings.Contains(got, `"ttlMs":60000,"cacheScope":"private"`) {
		t.Errorf("of a stopped server: %s", got)
	}
}
