package surfaces_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// annotated runs a hub with the server "one", which is not one of the always listed servers. The server has tools of
// each degree of danger, which return UnusualAnswer.
func annotated(t *testing.T) *hub.Hub { return hubtest.AnnotatedWith(t, hub.Options{}) }

var metaNames = []string{
	"find_tool", "call_tool", "call_read_tool", "call_write_tool",
	"list_mcp_servers", "search_tools", "list_tools", "get_tool_details", "execute_tool", "refresh_cache",
}

func TestMetaCallsOnlyToolsOfItsDanger(t *testing.T) {
	h := annotated(t)
	passed := `"result":` + strings.TrimSuffix(hubtest.UnusualAnswer, "}")
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		if names := hubtest.ListedNames(t, a.InEra(modern, "tools/list", "")); !slices.Equal(names, metaNames) {
			t.Errorf("the list is %v", names)
		}
		for _, row := range []struct{ caller, tool, want string }{
			{"call_read_tool", "look", ""},
			{"call_read_tool", "note", "one__note is not annotated as read-only; call it with call_write_tool"},
			{"call_read_tool", "wipe", "one__wipe is not annotated as read-only; call it with call_tool"},
			{"call_read_tool", "blank", "one__blank is not annotated as read-only; call it with call_tool"},
			{"call_read_tool", "unlisted", "Tool unlisted not found"},
			{"call_write_tool", "look", ""},
			{"call_write_tool", "note", ""},
			{"call_write_tool", "wipe", "one__wipe is not annotated as harmless, so it may destroy something; call it with call_tool"},
			{"call_write_tool", "blank", "call it with call_tool"},
			{"call_tool", "look", ""},
			{"call_tool", "wipe", ""},
			{"call_tool", "blank", ""},
		} {
			got := a.InEra(modern, "tools/call", hubtest.Calling(row.caller, `{"call_as":"mcp__one__`+row.tool+`"}`))
			refused := strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error":{"code":-32602`)
			if row.want == "" && !strings.HasPrefix(got, passed) || row.want != "" && !(refused && strings.Contains(got, row.want)) {
				t.Errorf("%s of %s: %s", row.caller, row.tool, got)
			}
		}
	})
}

func TestMetaAcceptsEveryNameOfATool(t *testing.T) {
	h := annotated(t)
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "two", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/2/refresh", nil, nil)
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		for arguments, want := range map[string]string{
			`{"call_as":"mcp__two__echo","arguments":{"text":"x","big":9007199254740993}}`: `"text":"x"`,
			`{"call_as":"two__echo","arguments":{"text":"x"}}`:                             `"text":"x"`,
			`{"name":"two__echo","arguments":{"text":"x"}}`:                                `"text":"x"`,
			`{"server":"two","tool":"echo","arguments":{"text":"x"}}`:                      `"text":"x"`,
			`{"call_as":"look"}`:                          `lighthouse`,
			`{"call_as":"echo","arguments":{"text":"x"}}`: `2 servers have a tool \"echo\"; use one of `,
			`{"call_as":"two__arguments","arguments":{"n":9007199254740993, "e":1e400,"s":"\u00e9/"}}`: `{\"n\":9007199254740993, \"e\":1e400,\"s\":\"\\u00e9/\"}`,
			`{"call_as":"two__arguments"}`:                 `"text":"{}"`,
			`{"call_as":"two__arguments","arguments":"x"}`: `arguments must be an object`,
			`{}`:                              `call_as is required`,
			`{"call_as":"mcp__nowhere__lok"}`: `Unknown tool: mcp__nowhere__lok — did you mean mcp__one__look? Ask find_tool for others.`,
			`{"call_as":"two__none"}`:         `Tool none not found`,
			`{"call_as":"registry","arguments":{"action":1}}`: `Unknown tool: registry`,
		} {
			got := a.InEra(modern, "tools/call", hubtest.Calling("call_tool", arguments))
			if want == "lighthouse" {
				want = strings.TrimSuffix(hubtest.UnusualAnswer, "}")
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", arguments, got, want)
			}
		}
		for name, want := range map[string]string{
			"one__look": strings.TrimSuffix(hubtest.UnusualAnswer, "}"), "registry": "Unknown tool: registry",
		} {
			if got := a.InEra(modern, "tools/call", hubtest.Calling(name, `{}`)); !strings.Contains(got, want) {
				t.Errorf("a direct call of %s: %s", name, got)
			}
		}
	})
}

func TestANameMeansTheSameToolForEveryAction(t *testing.T) {
	h := annotated(t)
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "two", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/2/refresh", nil, nil)
	const ambiguous = `2 servers have a tool \"echo\"; use one of mcp__one__echo, mcp__two__echo`
	agents := map[string]*hubtest.Agent{
		"meta": hubtest.Introduced(t, h, hubtest.Meta, "{}"), "registry": hubtest.Introduced(t, h, companion.Entry{}, "{}"),
	}
	for _, row := range []struct{ surface, tool, arguments, want string }{
		{"meta", "find_tool", `{"call_as":"echo"}`, ambiguous},
		{"meta", "call_tool", `{"call_as":"echo","arguments":{"text":"x"}}`, ambiguous},
		{"registry", "registry", `{"action":"get_schema","name":"echo"}`, ambiguous},
		{"registry", "registry", `{"action":"get_schema","name":"echo","server":"two"}`, `mcp__two__echo`},
		{"registry", "registry", `{"action":"get_schema","name":"two.echo"}`, `mcp__two__echo`},
		{"registry", "registry", `{"action":"get_schema","server":"two","tool":"mcp__two__echo"}`, `mcp__two__echo`},
		{"registry", "registry", `{"action":"get_schema","name":"one__echo","server":"two"}`, `"found\": false`},
		{"registry", "registry", `{"action":"proxy_call","call_as":"two.echo","arguments":{"text":"x"}}`, `"text":"x"`},
		{"registry", "registry", `{"action":"toolset","do":"build-toolset","name":"both","tools":["echo"]}`, ambiguous},
		{"meta", "find_tool", `{"call_as":"look"}`, `mcp__one__look`},
	} {
		if got := agents[row.surface].Exchange("tools/call", "{"+hubtest.Calling(row.tool, row.arguments)+"}"); !strings.Contains(got,
			row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.tool, row.arguments, got, row.want)
		}
	}
}

func TestAnUnknownNameHasTheSameSuggestionsForEveryAction(t *testing.T) {
	h := annotated(t)
	agents := map[string]*hubtest.Agent{
		"meta": hubtest.Introduced(t, h, hubtest.Meta, "{}"), "registry": hubtest.Introduced(t, h, companion.Entry{}, "{}"),
		"native": hubtest.Introduced(t, h, companion.Entry{Surface: "native"}, "{}"),
	}
	const name = "nowhere__look_wipes" // resembles wipe, too, but does not sound as dangerous
	for _, row := range []struct{ surface, tool, arguments string }{
		{"meta", "find_tool", `{"call_as":"` + name + `"}`},
		{"meta", "call_tool", `{"call_as":"` + name + `"}`},
		{"meta", "get_tool_details", `{"server":"one","tool":"look_wipes"}`},
		{"native", name, `{}`},
		{"registry", "registry", `{"action":"get_schema","name":"` + name + `"}`},
		{"registry", "registry", `{"action":"proxy_call","call_as":"` + name + `"}`},
		{"registry", "registry", `{"action":"toolset","do":"build-toolset","name":"both","tools":["` + name + `"]}`},
		{"registry", "registry", `{"action":"toolset","do":"add-tool-annotation","name":"both","tool":"` + name + `","note":"x"}`},
	} {
		got := agents[row.surface].Exchange("tools/call", "{"+hubtest.Calling(row.tool, row.arguments)+"}")
		rest := strings.ReplaceAll(got, name, "")
		if !strings.Contains(rest, "did") || !strings.Contains(rest, "look") || strings.Contains(rest, "one__wipe") {
			t.Errorf("%s %s: %s", row.tool, row.arguments, got)
		}
	}
	hubtest.Row{
		Name: "REST", Method: "GET", Path: "/api/tools/resolve?name=" + name, Status: 404,
		Want: []string{"did you mean mcp__one__look?"},
	}.Send(t, h)
}

func TestToolsOfAServerWithoutACommandAreNeitherListedNorFound(t *testing.T) {
	h := annotated(t)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	meta, native := hubtest.Introduced(t, h, hubtest.Meta, "{}"), hubtest.Introduced(t, h, companion.Entry{Surface: "native"}, "{}")
	shown := func() map[string]bool {
		found := meta.Exchange("tools/call", "{"+hubtest.Calling("find_tool", `{"query":"look of a lighthouse"}`)+"}")
		var tools []operations.KnownTool
		hubtest.Do(t, h, "GET", "/api/tools?server=one&name=look&brief=true", nil, &tools)
		return map[string]bool{
			"found":   strings.Contains(found, "mcp__one__look"),
			"listed":  slices.Contains(hubtest.ListedNames(t, native.Exchange("tools/list", "{}")), "one__look"),
			"enabled": slices.ContainsFunc(tools, func(t operations.KnownTool) bool { return t.Enabled }),
		}
	}
	for what, is := range shown() {
		if !is {
			t.Errorf("%s: not with a command", what)
		}
	}
	hubtest.Do(t, h, "PUT", "/api/servers/1", map[string]any{"command": ""}, nil)
	for what, is := range shown() {
		if is {
			t.Errorf("%s: also without a command", what)
		}
	}
}

func TestADisabledServerIsHiddenFromAgents(t *testing.T) {
	h := annotated(t)
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		hubtest.Do(t, h, "POST", "/api/servers/1/disable", nil, nil)
		for _, request := range [][2]string{
			{"tools/call", hubtest.Calling("list_mcp_servers", `{}`)}, {"resources/list", ""}, {"tools/list", ""},
		} {
			if got := a.InEra(modern, request[0], request[1]); strings.Contains(got, "one") && strings.Contains(got, "servers/one") ||
				strings.Contains(got, `\"name\":\"one\"`) || strings.Contains(got, `\"name\": \"one\"`) {
				t.Errorf("%s shows the server: %s", request, got)
			}
		}
	})
}

func TestMetaFindsToolsAndTellsWhatCallsThem(t *testing.T) {
	h := annotated(t)
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		before := a.InEra(modern, "tools/list", "")
		for query, want := range map[string]string{
			`{"query":"look of a lighthouse"}`:         `invoke call_as directly`,
			`{"query":"one__look","limit":1}`:          `by call_read_tool"`,
			`{"query":"one__note","limit":1}`:          `by call_write_tool"`,
			`{"query":"one__blank","limit":1}`:         `by call_tool"`,
			`{"query":"xyzzy plugh"}`:                  `try different keywords`,
			`{"call_as":"mcp__one__look"}`:             `"input_schema\": {`,
			`{"call_as":"mcp__one__none"}`:             `call find_tool first`,
			`{}`:                                       `"text":"query is required","type":"text"}],"isError":true`,
			`{"query":7}`:                              `query must be of type string`,
			`{"query":"look","call_as":"one__look"}`:   `"confidence\":`,
			`{"query":"look","auto_activate":"true"}`:  `call_as`,
			`{"query":"lighthouse","brief":true}`:      `call_as`,
			`{"query":"look of a lighthouse", "x": 1}`: `call_as`,
		} {
			got := a.InEra(modern, "tools/call", hubtest.Calling("find_tool", query))
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), strings.ReplaceAll(want, `\"`, `"`)) ||
				strings.Contains(got, "registry") {
				t.Errorf("%s:\n got %s\nwant %s", query, got, want)
			}
		}
		if after := a.InEra(modern, "tools/list", ""); after != before {
			t.Errorf("after find_tool the list is\n%s\nand was\n%s", after, before)
		}
		for range 50 {
			other := hubtest.ArriveBy(t, h, hubtest.Meta)
			if list := other.InEra(modern, "tools/list", ""); list != before {
				t.Fatalf("another client has the list\n%s", list)
			}
			other.Leave()
		}
		for _, line := range a.Notices {
			t.Errorf("unexpected: %s", line)
		}
	})
}

func TestMetaNamesTheServersAndAnnouncesOthers(t *testing.T) {
	h := annotated(t)
	old, modern := hubtest.Introduced(t, h, hubtest.Meta, `{}`), hubtest.ArriveBy(t, h, hubtest.Meta)
	modern.Write(`{"jsonrpc":"2.0","id":"all","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		hubtest.ModernMeta + `}}`)
	modern.Await("notifications/subscriptions/acknowledged")
	for _, a := range []*hubtest.Agent{old, modern} {
		a.Notices = nil
		if list := a.InEra(a == modern, "tools/list", ""); strings.Count(list, "servers (one)") != 2 || !strings.Contains(list, ": ") {
			t.Errorf("got %s", list)
		}
	}
	if got := modern.Modern("server/discover", ""); !strings.Contains(got,
		`"instructions":"Tools of one: search with find_tool, then invoke with call_tool. `) {
		t.Errorf("got %s", got)
	}
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "harbour", "command": command[0], "args": command[1:]}, nil)
	for _, a := range []*hubtest.Agent{old, modern} {
		a.Await("notifications/tools/list_changed")
		if list := a.InEra(a == modern, "tools/list", ""); strings.Count(list, "servers (harbour, one)") != 2 {
			t.Errorf("with another server: %s", list)
		}
	}
	if got := hubtest.ArriveBy(t, h, hubtest.Meta).Exchange("initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); !strings.Contains(got,
		`"instructions":"Tools of harbour, one: search`) {
		t.Errorf("got %s", got)
	}
}

func TestMetaListsWhatAlwaysListedServersHave(t *testing.T) {
	h := hubtest.Offering(t)
	for _, entry := range []companion.Entry{hubtest.Meta, hubtest.Native} {
		hubtest.InEachEra(t, h, entry, func(t *testing.T, a *hubtest.Agent, modern bool) {
			for method, want := range map[string]string{
				"prompts/list": `"name":"one__greet"`, "resources/list": `"uri":"two+note://2"`,
				"resources/templates/list": `"uriTemplate":"one+note://{n}"`,
				"tools/list":               `"name":"two__echo","description":"Give back the text"`,
			} {
				if got := a.InEra(modern, method, ""); !strings.Contains(got, want) {
					t.Errorf("%s: %s", method, got)
				}
			}
			if got := a.InEra(modern, "resources/read", `"uri":"one+note://1"`); !strings.Contains(got,
				`"contents":[{"uri":"one+note://1"`) {
				t.Errorf("got %s", got)
			}
			if got := a.InEra(modern, "prompts/get", `"name":"one__greet","arguments":{"who":"Ada"}`); !strings.Contains(got, "Greet Ada") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestQuestionsProgressAndCancellationPassThroughMeta(t *testing.T) {
	h := hubtest.Offering(t)
	const ask = `{"call_as":"mcp__one__ask","arguments":{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}}`
	t.Run("legacy", func(t *testing.T) {
		a := hubtest.Introduced(t, h, hubtest.Meta, `{"elicitation":{}}`)
		a.Write(`{"jsonrpc":"2.0","id":"ask","method":"tools/call","params":{` + hubtest.Calling("call_tool", ask) + `}}`)
		a.AnswerNext("elicitation/create", `{"action":"accept","content":{"which":"this"}}`)
		if got := a.AwaitText(`"id":"ask"`); !strings.Contains(got, `\"which\":\"this\"`) {
			t.Errorf("got %s", got)
		}
		if got := a.Exchange("tools/call",
			`{"name":"call_tool","arguments":{"call_as":"one__steps","arguments":{"count":2}},"_meta":{"progressToken":"mine"}}`); !strings.Contains(got,
			`"text":"done"`) {
			t.Errorf("got %s", got)
		}
		for step := range 2 {
			if got := a.Await("notifications/progress"); !strings.Contains(got,
				fmt.Sprintf(`"progressToken":"mine","progress":%d`, step+1)) {
				t.Errorf("got %s", got)
			}
		}
		a.Write(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"call_tool","arguments":{"call_as":"one__hold","arguments":{"key":"k"}},"_meta":{"progressToken":1}}}`)
		a.Await("notifications/progress")
		a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long","reason":"enough"}}`)
		for !strings.Contains(a.Exchange("tools/call", `{"name":"call_tool","arguments":{"call_as":"one__seen"}}`),
			`\"reason\":\"enough\"`) {
			a.Exchange("ping", `{}`)
		}
	})
	t.Run("modern", func(t *testing.T) {
		a := hubtest.ArriveBy(t, hubtest.Offering(t), hubtest.Meta)
		first := hubtest.ReadRequired(t, a.Modern("tools/call", hubtest.Calling("call_tool", ask)))
		if first.Result.ResultType != "input_required" || first.Result.InputRequests["q1"].Method != "elicitation/create" {
			t.Fatalf("got %+v", first)
		}
		retry := func(arguments string) string {
			return a.Modern("tools/call",
				fmt.Sprintf(`%s,"inputResponses":{"q1":{"action":"accept","content":{"which":"this"}}},"requestState":%q`,
					hubtest.Calling("call_tool", arguments), first.Result.RequestState))
		}
		if got := retry(strings.Replace(ask, "Which?", "What?", 1)); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("with other arguments: %s", got)
		}
		if got := retry(ask); !strings.Contains(got, `\"which\":\"this\"`) || !strings.Contains(got, `"resultType":"complete"`) {
			t.Errorf("got %s", got)
		}
	})
	t.Run("modern server", func(t *testing.T) {
		h, _ := hubtest.RunHub(t, hub.Options{})
		hubtest.AddModern(t, h)
		a := hubtest.ArriveBy(t, h, hubtest.Meta)
		call := hubtest.Calling("call_tool",
			strings.Replace(strings.Replace(hubtest.RequireCall, `"name":`, `{"call_as":`, 1), `"arguments":`, `"arguments":`, 1)+"}")
		first := hubtest.ReadRequired(t, a.Modern("tools/call", call))
		if first.Result.ResultType != "input_required" || first.Result.RequestState == "" {
			t.Fatalf("got %+v", first)
		}
		got := a.Modern("tools/call", fmt.Sprintf(`%s,"inputResponses":{"a":{"action":"accept"}},"requestState":%q`, call,
			first.Result.RequestState))
		if !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, "accept") {
			t.Errorf("got %s", got)
		}
	})
}

func TestNativeListsTheToolsOfAlwaysListedServersOnly(t *testing.T) {
	h := annotated(t)
	command := mcptest.Command(t, "-only", "-tool", "zebra=Stripes", "-tool", "ant=Small")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "animals", "command": command[0], "args": command[1:]}, nil)
	hubtest.InEachEra(t, h, hubtest.Native, func(t *testing.T, a *hubtest.Agent, modern bool) {
		if got := a.InEra(modern, "tools/list", ""); !strings.Contains(got, `"tools":[]`) {
			t.Errorf("without always listed servers: %s", got)
		}
	})
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	hubtest.Do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	hubtest.InEachEra(t, h, hubtest.Native, func(t *testing.T, a *hubtest.Agent, modern bool) {
		list := a.InEra(modern, "tools/list", "")
		names := hubtest.ListedNames(t, list)
		if !slices.IsSorted(names) || len(names) < 10 || names[0] != "animals__ant" || names[1] != "animals__zebra" ||
			slices.Contains(names, "registry") || slices.Contains(names, "find_tool") {
			t.Errorf("got %v", names)
		}
		if want := `{"name":"one__look","description":"The look of a lighthouse","inputSchema":{"type":"object","properties":{"lamp":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`; !strings.Contains(list,
			want) {
			t.Errorf("got %s", list)
		}
		for _, row := range []struct{ name, want string }{
			{"one__look", strings.TrimSuffix(hubtest.UnusualAnswer, "}")},
			{"registry", "Unknown tool: registry"},
			{"find_tool", "Unknown tool: find_tool"},
			{"none__such", "The list of tools may have changed: read it again."},
		} {
			if got := a.InEra(modern, "tools/call", hubtest.Calling(row.name, `{}`)); !strings.Contains(got, row.want) {
				t.Errorf("%s: %s", row.name, got)
			}
		}
		if !modern {
			return
		}
		if got := a.Modern("server/discover", ""); !strings.Contains(got,
			`"instructions":"Tools of animals, one, each named server__tool."`) {
			t.Errorf("got %s", got)
		}
	})
	short := hubtest.Introduced(t, h, companion.Entry{Surface: "native", Client: "cursor"}, `{}`)
	for _, name := range hubtest.ListedNames(t, short.Exchange("tools/list", `{}`)) {
		if len(name) > 60 {
			t.Errorf("the name %s is too long for the client", name)
		}
	}
}

func TestFoundToolsAreAddedToListsAsTheSettingSays(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{
		Folder: hubtest.NewDataFolder(t, "session_tools:\n  on: [gemini-cli]\n  off: [cursor, nobody]\n"),
	})
	command := mcptest.Command(t, "-only", "-tool", "look=The lamp of a lighthouse")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	const query = `"arguments":{"action":"find_tool","query":"lamp of a lighthouse"}`
	for _, row := range []struct {
		surface, client string
		added           bool
	}{
		{"meta", "gemini-cli", true},
		{"meta", "claude-code", false},
		{"meta", "", false},
		{"meta", "cursor", false},
		{"registry", "gemini-cli", true},
		{"registry", "claude-code", true},
		{"registry", "", true},
		{"registry", "cursor", false},
	} {
		entry := companion.Entry{Surface: row.surface, Client: row.client}
		find := `"name":"registry",`
		if row.surface == "meta" {
			find = `"name":"find_tool",`
		}
		a := hubtest.Introduced(t, h, entry, `{}`)
		found := a.Exchange("tools/call", "{"+find+query+"}")
		if got := slices.Contains(hubtest.ListedNames(t, a.Exchange("tools/list", `{}`)), "one__look"); got != row.added ||
			strings.Contains(found, "as one__look if listed") != row.added {
			t.Errorf("%+v: %t after %s", row, got, found)
		}
		modern := hubtest.ArriveBy(t, h, entry)
		modern.Modern("tools/call", find+query)
		if list := modern.Modern("tools/list", ""); strings.Contains(list, "one__look") {
			t.Errorf("%+v, modern: %s", row, list)
		}
	}
}

func TestAHubOfMetaCostsFewTokens(t *testing.T) {
	h := annotated(t)
	a := hubtest.ArriveBy(t, h, hubtest.Meta)
	list := a.Modern("tools/list", "")
	definitions := jsonrpc.Get(jsonrpc.Get(json.RawMessage("{"+list+"}"), "result"), "tools") // the rest reaches no model
	if n := tokens.Count(string(definitions)); n < 500 || n >= 600 {
		t.Errorf("the definitions cost %d tokens: %s", n, list)
	}
}
