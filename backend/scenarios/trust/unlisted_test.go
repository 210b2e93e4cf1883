package trust_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// lax runs a hub with the always listed server "one", which carries out calls of tools with any name.
func lax(t *testing.T, settings string, flags ...string) *hubtest.Scenario {
	t.Helper()
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "port: 0\n"+settings)})
	s.Play(
		hubtest.Step{
			Name: "add", Method: "POST", Path: "/api/servers",
			Body: s.Server("one", append([]string{"-lax", "-only", "-tool", "look=Looks at a lighthouse"}, flags...)...), Status: 201,
		},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/1/activate", Status: 200},
	)
	return s
}

// spellings are names that the server does not list. A server may read most of them as delete_file.
var spellings = []string{"delete_file ", "delete_file\u200b", "DELETE_FILE", "ｄelete_file", "hidden_tool", ""}

func TestANameThatNoListHasIsCalledByNoRoad(t *testing.T) {
	s := lax(t, "discovery:\n  tool_rules: [{pattern: delete_file, enabled: false}]\n  approval: {destructive: true}\n",
		"-tool", "delete_file=Deletes a file")
	hubtest.CreateToolset(t, s.Hub, "daily", "one.look")
	s.Play(hubtest.Step{Name: "a copy", Method: "POST", Path: "/api/transient", Body: `{"server":"one"}`, Status: 201, Keep: "handle"})
	refused := func(road, name, got string) {
		t.Helper()
		why := []string{
			"not found", "has no tool", "Unknown tool", "required", "requires either", "must be of the form", "Mcp-Name differs",
		}
		if strings.Contains(got, `ran \"`) || !slices.ContainsFunc(why, func(text string) bool { return strings.Contains(got, text) }) {
			t.Errorf("%s of %q: %s", road, name, got)
		}
	}
	for _, name := range spellings {
		quoted := s.JSON(name)
		for path, body := range map[string]string{
			"/api/servers/1/call": `{"tool":` + quoted + `}`, "/api/servers/1/request": `{"method":"tools/call","params":{"name":` +
				quoted + `}}`,
			"/api/transient/{handle}/call":    `{"tool":` + quoted + `}`,
			"/api/transient/{handle}/request": `{"method":"tools/call","params":{"name":` + quoted + `}}`,
		} {
			_, got := s.Send("POST", strings.NewReplacer(s.Kept...).Replace(path), body)
			refused(path, name, got)
		}
		headers := map[string]string{
			"Accept":       "application/json, text/event-stream",
			"Content-Type": "application/json", "Authorization": "Bearer " + s.Hub.Info().Token,
		}
		hubtest.Row{
			Name: "MCP over HTTP", Method: "POST", Path: "/mcp",
			Body:    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + s.JSON("one__"+name) + `}}`,
			Headers: headers, Status: 400,
		}.Send(t, s.Hub)
	}
	for _, surface := range []string{"native", "registry", "meta", "server:one", "toolset:daily"} {
		hubtest.InEachEra(t, s.Hub, companion.Entry{Surface: surface}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			for _, name := range spellings {
				shown := "one__" + name
				if surface == "server:one" {
					shown = name
				}
				refused(surface, name, a.InEra(modern, "tools/call", `"name":`+s.JSON(shown)))
				refused(surface+", as a task", name, a.InEra(modern, "tools/call", `"name":`+s.JSON(shown)+`,"task":{}`))
				callAs, apart := s.JSON("mcp__one__"+name), `"server":"one","tool":`+s.JSON(name)
				switch surface {
				case "registry":
					refused("proxy_call", name, a.InEra(modern, "tools/call",
						hubtest.Calling("registry", `{"action":"proxy_call","call_as":`+callAs+`}`)))
					refused("proxy_call apart", name,
						a.InEra(modern, "tools/call", hubtest.Calling("registry", `{"action":"proxy_call",`+apart+`}`)))
				case "meta":
					for _, caller := range []string{"call_tool", "call_read_tool", "call_write_tool"} {
						refused(caller, name, a.InEra(modern, "tools/call", hubtest.Calling(caller, `{"call_as":`+callAs+`}`)))
					}
					refused("execute_tool", name, a.InEra(modern, "tools/call", hubtest.Calling("execute_tool", "{"+apart+"}")))
				}
			}
		})
	}
	for _, version := range []string{"2025-11-25", "2026-07-28", "sse"} {
		session := hubtest.WebClient(t, s.Hub, version, s.Hub.Info().Token, nil)
		for _, name := range spellings {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "one__" + name})
			refused("MCP over HTTP, "+version, name, fmt.Sprint(err))
		}
	}
	s.ReachedNothing()
}

func TestANameThatNoListHasIsRefusedWithNamesThatAreMeant(t *testing.T) {
	s := lax(t, "", "-tool", "delete_file=Deletes a file")
	s.Play(
		hubtest.Step{
			Name: "REST", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"LOOK"}`, Status: 200,
			Want: []string{`"text":"MCP error -32602: Tool LOOK not found"`, `"isError":true`, `"did_you_mean":["look"]`},
		},
		hubtest.Step{
			Name: "another name", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"zzz"}`, Status: 200,
			Want: []string{`"text":"MCP error -32602: Tool zzz not found"`, `"isError":true`}, Never: []string{"did_you_mean"},
		},
		hubtest.Step{
			Name: "any request", Method: "POST", Path: "/api/servers/1/request", Body: `{"method":"tools/call","params":{"name":"LOOK"}}`,
			Status: 200, Want: []string{`{"error":{"code":-32602,"message":"Tool LOOK not found","data":{"did_you_mean":["look"]}}}`},
		},
		hubtest.Step{
			Name: "a less dangerous name", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"read_file"}`, Status: 200,
			Never: []string{"did_you_mean"},
		},
		hubtest.Step{
			Name: "the audit log", Method: "GET", Path: "/api/audit", Status: 200,
			Want: []string{`"outcome":"refused"`, `"code":"` + fault.CodeUnlisted + `"`},
		},
	)
	const text = `Tool LOOK not found\ndid_you_mean: mcp__one__look\n`
	for surface, calls := range map[string]map[string]string{
		"native":     {`"name":"one__LOOK"`: `"error":{"code":-32602,"message":"` + text},
		"server:one": {`"name":"LOOK"`: `"error":{"code":-32602,"message":"Tool LOOK not found","data":{"did_you_mean":["look"]}}`},
		"meta": {
			hubtest.Calling("call_tool", `{"call_as":"mcp__one__LOOK"}`): `"error":{"code":-32602,"message":"` + text,
			hubtest.Calling("execute_tool",
				`{"server":"one","tool":"LOOK"}`): `\"code\":\"TOOL_NOT_FOUND\",\"message\":\"server \\\"one\\\" has no tool \\\"LOOK\\\"; did you mean look?\"`,
			hubtest.Calling("execute_tool", `{"server":"one","tool":"one__LOOK"}`):   `has no tool \\\"LOOK\\\"; did you mean look?`,
			hubtest.Calling("call_read_tool", `{"call_as":"mcp__one__read_a_file"}`): `Tool read_a_file not found`,
		},
		"registry": {
			hubtest.Calling("registry", `{"action":"proxy_call","call_as":"mcp__one__LOOK"}`):   `"text":"MCP error -32602: ` + text,
			hubtest.Calling("registry", `{"action":"proxy_call","server":"one","tool":"LOOK"}`): `"text":"MCP error -32602: ` + text,
			hubtest.Calling("registry",
				`{"action":"proxy_call","call_as":"mcp__one__read_files"}`): `"text":"MCP error -32602: Tool read_files not found"`,
		},
	} {
		hubtest.InEachEra(t, s.Hub, companion.Entry{Surface: surface}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			for members, want := range calls {
				if got := a.InEra(modern, "tools/call", members); !strings.Contains(got, want) {
					t.Errorf("%s %s:\n got %s\nwant %s", surface, members, got, want)
				}
			}
		})
	}
	s.ReachedNothing()
}

func TestAHeldToolThatItsServerHidesStaysHeld(t *testing.T) {
	for name, flags := range map[string][]string{
		"announced": {"-tool", "steal=" + poison}, "silent": {"-silent", "-tool", "steal=" + poison},
	} {
		t.Run(name, func(t *testing.T) {
			s := lax(t, "", flags...)
			refresh := hubtest.Step{Name: "refresh", Method: "POST", Path: "/api/servers/1/refresh", Status: 200}
			held := func(listed bool) {
				t.Helper()
				s.Play(hubtest.Step{
					Name: "what is held", Method: "GET", Path: "/api/trust", Status: 200,
					Want: []string{`"name":"steal"`, `"state":"blocked"`, `"listed":` + strconv.FormatBool(listed)},
				})
				if err := hubtest.TryDo(t, s.Hub, "POST", "/api/servers/1/call",
					map[string]any{"tool": "steal"}); !strings.Contains(fault.MessageOf(err), fault.CodeHeld) {
					t.Errorf("listed %v: a call by REST: %v", listed, err)
				}
				for surface, tool := range map[string]string{
					"native": "one__steal", "server:one": "steal", "registry": "one__steal", "meta": "one__steal",
				} {
					a := hubtest.Introduced(t, s.Hub, companion.Entry{Surface: surface}, "{}")
					if got := a.Exchange("tools/call", "{"+hubtest.Calling(tool, "{}")+"}"); !strings.Contains(got, fault.CodeHeld) {
						t.Errorf("listed %v: a call on the surface %s: %s", listed, surface, got)
					}
					a.Leave()
				}
			}
			held(true)
			s.Tool("shrink", `{"name":"steal"}`)
			s.Play(refresh)
			held(false)
			hubtest.Do(t, s.Hub, "POST", "/api/servers/1/restart", nil, nil)
			held(true) // the new process lists it
			s.ReachedNothing()
		})
	}
}

func TestAServerIsAskedOnceForANameThatItDoesNotList(t *testing.T) {
	s := lax(t, "trust: {changes: clean}\nlimits: {refresh_tools: 1h}\n", "-silent")
	before := s.Asked()
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			if err := hubtest.TryDo(t, s.Hub, "POST", "/api/servers/1/call", map[string]any{"tool": fmt.Sprint("none", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if after := s.Asked(); after > before+1 {
		t.Errorf("the server was asked %d times", after-before)
	}
	a := hubtest.Introduced(t, s.Hub, hubtest.Native, "{}")
	for _, late := range []string{"late", "later"} { // a call may have changed the list although the server sends no notification
		s.Tool("grow", `{"name":"`+late+`","text":"Comes late"}`)
		if got := a.Exchange("tools/call", "{"+hubtest.Calling("one__"+late, "{}")+"}"); !strings.Contains(got, `ran \"`+late) {
			t.Errorf("a call of a tool that was added silently: %s", got)
		}
	}
	s.ReachedNothing()
}

func TestAToolIsCalledAsSoonAsItIsAnnounced(t *testing.T) {
	s := lax(t, "trust: {changes: clean}\n")
	a := hubtest.Introduced(t, s.Hub, hubtest.Native, "{}")
	for i := range 2 {
		if got := a.Exchange("tools/call", "{"+hubtest.Calling("one__none", "{}")+"}"); !strings.Contains(got, "Tool none not found") {
			t.Errorf("a call of an unknown tool: %s", got)
		}
		late := fmt.Sprint("late", i)
		s.Tool("grow", `{"name":"`+late+`","text":"Comes late"}`)
		if got := a.Exchange("tools/call", "{"+hubtest.Calling("one__"+late, "{}")+"}"); !strings.Contains(got, `ran \"`+late) {
			t.Errorf("a call of a tool that was announced: %s", got)
		}
	}
	s.ReachedNothing()
}

func TestAServerThatWasNeverStartedIsAskedForItsTools(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "port: 0\n")})
	var n int
	add := func() string {
		n++
		name := fmt.Sprint("new", n)
		s.Play(hubtest.Step{
			Name: "add", Method: "POST", Path: "/api/servers", Body: s.Server(name, "-lax", "-only", "-definition",
				`{"name":"look","inputSchema":{"type":"object","required":["lamp"]},"annotations":{"readOnlyHint":true}}`), Status: 201,
		})
		return name
	}
	a := hubtest.Introduced(t, s.Hub, hubtest.Meta, "{}")
	for _, call := range []func(server string) string{
		func(server string) string {
			return hubtest.Calling("call_read_tool", `{"call_as":"mcp__`+server+`__look","arguments":{"lamp":1}}`)
		},
		func(server string) string {
			return hubtest.Calling("execute_tool", `{"server":"`+server+`","tool":"look","arguments":{"lamp":1}}`)
		},
	} {
		if got := a.Exchange("tools/call", "{"+call(add())+"}"); !strings.Contains(got, `ran \"look`) {
			t.Errorf("%s: %s", call("…"), got)
		}
		without := strings.Replace(call(add()), `"lamp":1`, "", 1)
		if got := a.Exchange("tools/call", "{"+without+"}"); !strings.Contains(got, "lamp is required") {
			t.Errorf("without an argument: %s", got)
		}
	}
	if got := a.Exchange("tools/call",
		"{"+hubtest.Calling("call_read_tool", `{"call_as":"mcp__`+add()+`__shrink","arguments":{"name":"x"}}`)+
			"}"); !strings.Contains(got, "is not annotated as read-only") {
		t.Errorf("a tool that may write: %s", got)
	}
}

func TestToolsThatNoCapabilityDeclaresAreListed(t *testing.T) {
	for name, flags := range map[string][]string{"legacy": {"-undeclared"}, "modern": {"-undeclared", "-modern"}} {
		t.Run(name, func(t *testing.T) {
			s := lax(t, "", flags...)
			s.Play(hubtest.Step{Name: "the server", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"tool_count":5`}})
			a := hubtest.Introduced(t, s.Hub, hubtest.Native, "{}")
			if got := a.Exchange("tools/call", "{"+hubtest.Calling("one__look", "{}")+"}"); !strings.Contains(got, `ran \"look`) {
				t.Errorf("a call: %s", got)
			}
			if got := a.Exchange("tools/call", "{"+hubtest.Calling("one__none", "{}")+"}"); !strings.Contains(got, "Tool none not found") {
				t.Errorf("a call of an unknown tool: %s", got)
			}
			s.ReachedNothing()
		})
	}
}

func TestAHeldPromptOrResourceIsReadUnderNoOtherName(t *testing.T) {
	s := lax(t, "", "-prompt", "greet=Greets", "-prompt", "wipe="+poison, "-resource", "note://secret="+poison, "-resource",
		"note://1=A note", "-template", "file:///private/{path}="+poison)
	a := hubtest.Introduced(t, s.Hub, hubtest.Server("one"), "{}")
	a.Poll("prompts/list", "greet")
	a.Poll("resources/list", "note://1")
	a.Poll("resources/templates/list", "resourceTemplates")
	s.Play(hubtest.Step{Name: "a copy", Method: "POST", Path: "/api/transient", Body: `{"server":"one"}`, Status: 201, Keep: "handle"})
	clean := func(road, got string) {
		t.Helper()
		if strings.Contains(got, `"text":"got `) || strings.Contains(got, `"text":"read `) ||
			!strings.Contains(got, fault.CodeHeld) && !strings.Contains(got, fault.CodeUnlisted) && !strings.Contains(got, "not found") &&
				!strings.Contains(got, "is required") {
			t.Errorf("%s: %s", road, got)
		}
	}
	prompts := []string{"wipe", "wipe ", "WIPE", "wipe\u200b", "ｗipe", "other", ""}
	uris := []string{
		"note://secret", "NOTE://secret", "note://%73ecret", "note://secret/", "note://secret#x", "note://x/../secret", "file:///private/x",
		"file:///PRIVATE/x", "file:///%70rivate/x",
	}
	for _, of := range []string{"/api/servers/1", "/api/transient/{handle}"} {
		of = strings.NewReplacer(s.Kept...).Replace(of)
		for _, name := range prompts {
			_, got := s.Send("POST", of+"/prompt/get", `{"name":`+s.JSON(name)+`}`)
			clean(of+" prompt "+name, got)
			_, got = s.Send("POST", of+"/request", `{"method":"prompts/get","params":{"name":"greet","Name":`+s.JSON(name)+`}}`)
			clean(of+" request for the prompt "+name, got)
			_, got = s.Send("POST", of+"/complete", `{"prompt":`+s.JSON(name)+`,"argument":"who"}`)
			clean(of+" completion of the prompt "+name, got)
		}
		for _, uri := range uris {
			_, got := s.Send("POST", of+"/resource/read", `{"uri":`+s.JSON(uri)+`}`)
			clean(of+" resource "+uri, got)
			_, got = s.Send("POST", of+"/request", `{"method":"resources/read","params":{"uri":`+s.JSON(uri)+`}}`)
			clean(of+" request for the resource "+uri, got)
		}
	}
	for surface, prefix := range map[string][2]string{"server:one": {"", ""}, "native": {"one__", "one+"}} {
		hubtest.InEachEra(t, s.Hub, companion.Entry{Surface: surface}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			for _, name := range prompts {
				clean(surface+" prompt "+name, a.InEra(modern, "prompts/get", `"name":`+s.JSON(prefix[0]+name)))
			}
			for _, uri := range uris {
				clean(surface+" resource "+uri, a.InEra(modern, "resources/read", `"uri":`+s.JSON(prefix[1]+uri)))
			}
			for request, members := range map[string]string{
				"prompts/get": `"name":"` + prefix[0] + `greet"`, "resources/read": `"uri":"` + prefix[1] + `note://1"`,
			} {
				if got := a.InEra(modern, request, members); strings.Contains(got, `"error"`) {
					t.Errorf("%s %s: %s", surface, request, got)
				}
			}
			if got := a.InEra(modern, "resources/read", `"uri":"`+prefix[1]+`note://made/by/a/tool"`); !strings.Contains(got,
				"read note://made/by/a/tool") {
				t.Errorf("%s: a resource that is not listed: %s", surface, got)
			}
		})
	}
	s.ReachedNothing()
}

func TestAServerIsSentOneReadingOfWhatIsRead(t *testing.T) {
	s := lax(t, "", "-resource", "note://1=A note")
	a := hubtest.Introduced(t, s.Hub, hubtest.Server("one"), "{}")
	for _, params := range []string{`{"uri":"note://1","URI":"note://2"}`, `{"URI":"note://2","uri":"note://1"}`} {
		if got := a.Exchange("resources/read", params); !strings.Contains(got, "read note://1") || strings.Contains(got, "note://2") {
			t.Errorf("%s: %s", params, got)
		}
	}
}
