package surfaces_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// daily is the entry of an editor that is shown the toolset "daily".
var daily = companion.Entry{Surface: "toolset:daily"}

// equipping runs a hub with the servers "one", "two" and "three", of which only "two" is always listed. The toolset
// "daily" has two tools of "one" and one tool of "three". equipping returns after the hub has read all lists of the
// servers.
func equipping(t *testing.T, settings string) *hub.Hub {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, settings)})
	for i, name := range []string{"one", "two", "three"} {
		command := mcptest.Command(t, "-offers", "-tool", "extra="+name)
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
		hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/refresh", i+1), nil, nil)
	}
	hubtest.Do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	hubtest.CreateToolset(t, h, "daily", "one.steps", "three.echo", "one.echo")
	for surface, servers := range map[companion.Entry][]string{daily: {"one", "three"}, {}: {"two"}} {
		waiting := hubtest.Introduced(t, h, surface, "{}")
		for _, name := range servers {
			waiting.AwaitList("resources/templates/list", name+"+")
		}
		waiting.Leave()
	}
	return h
}

// reaches reports whether an answer comes from the server "two", which the toolset does not contain.
func reaches(answer string) bool {
	return strings.Contains(answer, `"text":"leak"`) ||
		strings.Contains(answer, "two") && !strings.Contains(answer, `"error"`) && !strings.Contains(answer, `"isError":true`)
}

// inDaily calls f with clients of both eras that are shown the toolset "daily".
func inDaily(t *testing.T, f func(t *testing.T, h *hub.Hub, a *hubtest.Agent, modern bool)) {
	h := equipping(t, "")
	hubtest.InEachEra(t, h, daily, func(t *testing.T, a *hubtest.Agent, modern bool) { f(t, h, a, modern) })
}

// refusing checks that the hub refuses the requests of a client, and that its answers contain nothing from the server
// "two".
func refusing(t *testing.T, a *hubtest.Agent, modern bool, requests ...[2]string) {
	t.Helper()
	for _, r := range requests {
		got := a.InEra(modern, r[0], r[1])
		if !strings.Contains(got, `"error":{"code":-32602`) || reaches(got) || strings.Contains(got, "did you mean") {
			t.Errorf("%s %s: %s", r[0], r[1], got)
		}
	}
}

func TestAToolsetListsExactlyItsTools(t *testing.T) {
	inDaily(t, func(t *testing.T, h *hub.Hub, a *hubtest.Agent, modern bool) {
		list := a.InEra(modern, "tools/list", "")
		if names := hubtest.ListedNames(t, list); !slices.Equal(names, []string{"one__steps", "three__echo", "one__echo"}) {
			t.Errorf("the list is %v", names)
		}
		if modern && !strings.Contains(list, `"ttlMs":60000,"cacheScope":"private"`) {
			t.Errorf("got %s", list)
		}
		if got := a.InEra(modern, "tools/call", hubtest.Calling("three__echo", `{"text":"hello"}`)); !strings.Contains(got,
			`"text":"hello"`) {
			t.Error(got)
		}
		if again := a.InEra(modern, "tools/list", ""); again != list {
			t.Errorf("after a call the list is %s", again)
		}
		if modern {
			if got := a.Modern("server/discover", ""); !strings.Contains(got, "toolset daily") || strings.Contains(got, "two") {
				t.Error(got)
			}
		}
	})
}

func TestAToolsetHidesOtherToolsByTheirProxiedNames(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		refusing(t, a, modern,
			[2]string{"tools/call", hubtest.Calling("two__echo", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("mcp__two__echo", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("two.echo", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("one__extra", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("mcp__one__extra", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("extra", `{"text":"leak"}`)},
			[2]string{"tools/call", hubtest.Calling("echo", `{"text":"leak"}`)},
		)
	})
}

func TestAToolsetHidesOtherToolsByNamesThatOnlyTheServerReads(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		// The server decodes with encoding/json, which ignores the case of names and takes the last member.
		for _, member := range []string{`"Name":"extra"`, `"NAME":"extra"`, `"n\u0041me":"extra"`} {
			got := a.InEra(modern, "tools/call", hubtest.Calling("one__echo", `{"text":"hello"}`)+","+member)
			if !strings.Contains(got, `"text":"hello"`) {
				t.Errorf("%s: %s", member, got)
			}
		}
	})
}

func TestAToolsetHasNoProxyCall(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		refusing(t, a, modern,
			[2]string{
				"tools/call", hubtest.Calling("registry", `{"action":"proxy_call","call_as":"mcp__two__echo","arguments":{"text":"leak"}}`),
			},
			[2]string{"tools/call", hubtest.Calling("registry", `{"action":"activate","name":"two"}`)},
			[2]string{"tools/call", hubtest.Calling("registry", `{"action":"toolset","command":"unequip-toolset"}`)},
		)
	})
}

func TestAToolsetHasNoCallTool(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		for _, caller := range []string{"call_tool", "call_write_tool", "call_read_tool"} {
			refusing(t, a, modern, [2]string{
				"tools/call", hubtest.Calling(caller, `{"call_as":"mcp__two__echo","arguments":{"text":"leak"}}`),
			})
		}
	})
}

func TestAToolsetHasNoExecuteTool(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		for _, tool := range []string{"execute_tool", "get_tool_details", "list_tools", "list_mcp_servers"} {
			refusing(t, a, modern, [2]string{
				"tools/call", hubtest.Calling(tool, `{"server":"two","tool":"echo","arguments":{"text":"leak"}}`),
			})
		}
	})
}

func TestAToolsetHasNoSearch(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		refusing(t, a, modern,
			[2]string{"tools/call", hubtest.Calling("find_tool", `{"query":"two__echo"}`)},
			[2]string{"tools/call", hubtest.Calling("search_tools", `{"query":"two__echo"}`)},
			[2]string{"tools/call", hubtest.Calling("registry", `{"action":"find_tool","query":"two__echo"}`)},
		)
	})
}

func TestAToolsetHidesPromptsOfOtherServers(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		if list := a.InEra(modern, "prompts/list", ""); !strings.Contains(list, `"one__greet"`) ||
			!strings.Contains(list, `"three__greet"`) || strings.Contains(list, "two") {
			t.Errorf("prompts/list: %s", list)
		}
		if got := a.InEra(modern, "prompts/get", `"name":"one__greet","arguments":{"who":"Ada"}`); !strings.Contains(got, "Greet Ada") {
			t.Error(got)
		}
		refusing(t, a, modern, [2]string{"prompts/get", `"name":"two__greet","arguments":{"who":"Ada"}`})
	})
}

func TestAToolsetHidesResourcesOfOtherServers(t *testing.T) {
	inDaily(t, func(t *testing.T, h *hub.Hub, a *hubtest.Agent, modern bool) {
		for _, method := range []string{"resources/list", "resources/templates/list"} {
			if list := a.InEra(modern, method, ""); strings.Contains(list, "two+") || !strings.Contains(list, "one+note") {
				t.Errorf("%s: %s", method, list)
			}
		}
		if got := a.InEra(modern, "resources/read", `"uri":"one+note://1"`); !strings.Contains(got, "a note") {
			t.Error(got)
		}
		refusing(t, a, modern, [2]string{"resources/read", `"uri":"two+note://1"`})
		if !modern {
			refusing(t, a, modern, [2]string{"resources/subscribe", `"uri":"two+note://1"`})
			return
		}
		a.Write(
			`{"jsonrpc":"2.0","id":"all","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["one+note://1","two+note://1"]},` +
				hubtest.ModernMeta +
				`}}`,
		)
		if got := a.Await("notifications/subscriptions/acknowledged"); strings.Contains(got, "two") ||
			!strings.Contains(got, "one+note://1") {
			t.Error(got)
		}
	})
}

func TestAToolsetHidesCompletionOfOtherServers(t *testing.T) {
	inDaily(t, func(t *testing.T, _ *hub.Hub, a *hubtest.Agent, modern bool) {
		complete := func(ref string) [2]string {
			return [2]string{"completion/complete", `"ref":` + ref + `,"argument":{"name":"who","value":"A"}`}
		}
		own := complete(`{"type":"ref/prompt","name":"one__greet"}`)
		if got := a.InEra(modern, own[0], own[1]); !strings.Contains(got, "completion") {
			t.Error(got)
		}
		refusing(t, a, modern, complete(`{"type":"ref/prompt","name":"two__greet"}`),
			complete(`{"type":"ref/resource","uri":"two+note://{n}"}`))
	})
}

func TestATokenOfAToolsetOpensNothingElse(t *testing.T) {
	h := equipping(t, "")
	s := &hubtest.Scenario{T: t, Hub: h}
	status, body := s.SendAsPerson("POST", "/api/tokens", `{"name":"ci","surface":"toolset:daily"}`)
	if status != http.StatusCreated {
		t.Fatalf("%d: %s", status, body)
	}
	_, after, _ := strings.Cut(body, `"token":"`)
	token, _, _ := strings.Cut(after, `"`)
	bound := map[string]string{
		"Authorization": "Bearer " + token, "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
	}
	modern := func(method, name, members string) (map[string]string, string) {
		headers := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
		for k, v := range bound {
			headers[k] = v
		}
		return headers, `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + members + `,` + hubtest.ModernMeta + `}}`
	}
	own, ownBody := modern("tools/call", "one__echo", hubtest.Calling("one__echo", `{"text":"hello"}`))
	other, otherBody := modern("tools/call", "two__echo", hubtest.Calling("two__echo", `{"text":"leak"}`))
	elsewhere := map[string]string{"Agent-Discover-Toolset": "other"}
	for k, v := range own {
		elsewhere[k] = v
	}
	hubtest.CreateToolset(t, h, "other", "two.echo")
	for _, r := range []hubtest.Row{
		{Name: "an own tool", Method: "POST", Path: "/mcp", Body: ownBody, Headers: own, Status: 200, Want: []string{`"text":"hello"`}},
		{
			Name: "another tool", Method: "POST", Path: "/mcp", Body: otherBody, Headers: other, Status: 200,
			Want: []string{"Unknown tool"}, Never: []string{`"text":"leak"`},
		},
		{Name: "another server", Method: "POST", Path: "/mcp/two", Body: otherBody, Headers: other, Status: 403},
		{Name: "another toolset", Method: "POST", Path: "/mcp", Body: ownBody, Headers: elsewhere, Status: 403},
		{Name: "the REST API", Method: "POST", Path: "/api/servers/2/call", Body: `{"tool":"echo"}`, Headers: bound, Status: 401},
		{Name: "the toolsets", Method: "GET", Path: "/api/toolsets", Headers: bound, Status: 401},
		{Name: "an equipment", Method: "POST", Path: "/api/toolsets/other/equip", Headers: bound, Status: 401},
	} {
		r.Send(t, h)
	}
	hubtest.Do(t, h, "DELETE", "/api/toolsets/daily", nil, nil)
	hubtest.CreateToolset(t, h, "daily", "two.echo")
	hubtest.Row{Name: "a later toolset of the name", Method: "POST", Path: "/mcp", Body: otherBody, Headers: other, Status: 401}.Send(t, h)
}

func TestAHeaderLimitsAClientToAToolset(t *testing.T) {
	h := equipping(t, "")
	call := func(toolset, tool string) map[string]string {
		return map[string]string{
			"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool, "Agent-Discover-Toolset": toolset,
		}
	}
	body := func(tool string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + hubtest.Calling(tool,
			`{"text":"hello"}`) + `,` + hubtest.ModernMeta + `}}`
	}
	for _, r := range []hubtest.Row{
		{
			Name: "without", Method: "POST", Path: "/mcp", Body: body("two__echo"), Headers: call("", "two__echo"), Status: 200,
			Want: []string{`"text":"hello"`},
		},
		{
			Name: "own", Method: "POST", Path: "/mcp", Body: body("one__echo"), Headers: call("daily", "one__echo"), Status: 200,
			Want: []string{`"text":"hello"`},
		},
		{
			Name: "other", Method: "POST", Path: "/mcp", Body: body("two__echo"), Headers: call("daily", "two__echo"), Status: 200,
			Want: []string{"Unknown tool"},
		},
		{
			Name: "unknown", Method: "POST", Path: "/mcp", Body: body("two__echo"), Headers: call("none", "two__echo"), Status: 404,
			Want: []string{"no toolset"},
		},
		{
			Name: "in the header's case only", Method: "POST", Path: "/mcp",
			Body:    strings.Replace(body("one__echo"), `"arguments"`, `"Name":"extra","arguments"`, 1),
			Headers: call("daily", "one__echo"), Status: 200, Want: []string{`"text":"hello"`},
		},
		{Name: "on a server", Method: "POST", Path: "/mcp/two", Body: body("echo"), Headers: call("daily", "echo"), Status: 403},
	} {
		r.Send(t, h)
	}
}

func TestAProjectLimitsAClientAndNeverWidens(t *testing.T) {
	h := equipping(t, "")
	hubtest.CreateToolset(t, h, "other", "two.echo")
	project := func(surface, toolset string) companion.Entry {
		return companion.Entry{
			Surface: surface, Project: companion.Project{Toolset: toolset, File: "/home/me/project/.agent-discover.json"},
		}
	}
	for _, row := range []struct {
		entry companion.Entry
		names []string
	}{
		{project("", "daily"), []string{"one__steps", "three__echo", "one__echo"}},
		{project("meta", "other"), []string{"two__echo"}},
		{project("toolset:other", "daily"), []string{"two__echo"}},
		{project("meta", "none"), metaNames},
	} {
		hubtest.InEachEra(t, h, row.entry, func(t *testing.T, a *hubtest.Agent, modern bool) {
			if names := hubtest.ListedNames(t, a.InEra(modern, "tools/list", "")); !slices.Equal(names[:min(len(names), len(row.names))],
				row.names) || row.entry.Toolset != "none" && len(names) != len(row.names) {
				t.Errorf("%+v: the list is %v", row.entry, names)
			}
		})
	}
	one := hubtest.Introduced(t, h, project("server:one", "other"), `{}`)
	if got := one.Exchange("tools/list", `{}`); strings.Contains(got, "two") || !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("a server alone: %s", got)
	}
}
