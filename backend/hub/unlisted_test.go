package hub_test

import (
	"encoding/json"
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
)

// lax runs a hub with the active server one, which carries out requests with any name.
func lax(t *testing.T, settings string, flags ...string) *scenario {
	t.Helper()
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "port: 0\n"+settings)})
	s.play(
		step{name: "add", method: "POST", path: "/api/servers", body: s.server("one", append([]string{"-lax", "-only", "-tool", "look=Looks at a lighthouse"}, flags...)...), status: 201},
		step{name: "activate", method: "POST", path: "/api/servers/1/activate", status: 200},
	)
	return s
}

// tool calls a tool of server one, and returns the text of the result.
func (s *scenario) tool(name, arguments string) string {
	s.t.Helper()
	var result struct{ Content []struct{ Text string } }
	do(s.t, s.hub, "POST", "/api/servers/1/call", map[string]any{"tool": name, "args": json.RawMessage(arguments)}, &result)
	if len(result.Content) == 0 {
		s.t.Fatalf("%s answers nothing", name)
	}
	return result.Content[0].Text
}

// reached checks that server one has carried out nothing under a name that no list has.
func (s *scenario) reachedNothing() {
	s.t.Helper()
	if got := s.tool("ran", "{}"); got != "[]" {
		s.t.Errorf("the server has carried out %s", got)
	}
}

// asked returns how often server one was asked for its tools.
func (s *scenario) asked() int {
	s.t.Helper()
	n, err := strconv.Atoi(s.tool("asked", "{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// spellings are names that a server may read as delete_file, and others that no list has.
var spellings = []string{"delete_file ", "delete_file\u200b", "DELETE_FILE", "ｄelete_file", "hidden_tool", ""}

func TestANameThatNoListHasIsCalledByNoRoad(t *testing.T) {
	s := lax(t, "discovery:\n  toolRules: [{pattern: delete_file, enabled: false}]\n  approval: {destructive: true}\n", "-tool", "delete_file=Deletes a file")
	createToolset(t, s.hub, "daily", "one.look")
	s.play(step{name: "a copy", method: "POST", path: "/api/transient", body: `{"server":"one"}`, status: 201, keep: "handle"})
	refused := func(road, name, got string) {
		t.Helper()
		why := []string{"not found", "has no tool", "Unknown tool", "required", "requires either", "must be of the form", "Mcp-Name differs"}
		if strings.Contains(got, `ran \"`) || !slices.ContainsFunc(why, func(text string) bool { return strings.Contains(got, text) }) {
			t.Errorf("%s of %q: %s", road, name, got)
		}
	}
	for _, name := range spellings {
		quoted := s.json(name)
		for path, body := range map[string]string{
			"/api/servers/1/call": `{"tool":` + quoted + `}`, "/api/servers/1/request": `{"method":"tools/call","params":{"name":` + quoted + `}}`,
			"/api/transient/{handle}/call": `{"tool":` + quoted + `}`, "/api/transient/{handle}/request": `{"method":"tools/call","params":{"name":` + quoted + `}}`,
		} {
			_, got := s.send("POST", strings.NewReplacer(s.kept...).Replace(path), body)
			refused(path, name, got)
		}
		headers := map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "Authorization": "Bearer " + s.hub.Info().Token}
		row{name: "MCP over HTTP", method: "POST", path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + s.json("one__"+name) + `}}`, headers: headers, status: 400}.send(t, s.hub)
	}
	for _, surface := range []string{"native", "registry", "meta", "server:one", "toolset:daily"} {
		inEachEra(t, s.hub, companion.Entry{Surface: surface}, func(t *testing.T, a *agent, modern bool) {
			for _, name := range spellings {
				shown := "one__" + name
				if surface == "server:one" {
					shown = name
				}
				refused(surface, name, a.inEra(modern, "tools/call", `"name":`+s.json(shown)))
				refused(surface+", as a task", name, a.inEra(modern, "tools/call", `"name":`+s.json(shown)+`,"task":{}`))
				callAs, apart := s.json("mcp__one__"+name), `"server":"one","tool":`+s.json(name)
				switch surface {
				case "registry":
					refused("proxy_call", name, a.inEra(modern, "tools/call", calling("registry", `{"action":"proxy_call","call_as":`+callAs+`}`)))
					refused("proxy_call apart", name, a.inEra(modern, "tools/call", calling("registry", `{"action":"proxy_call",`+apart+`}`)))
				case "meta":
					for _, caller := range []string{"call_tool", "call_read_tool", "call_write_tool"} {
						refused(caller, name, a.inEra(modern, "tools/call", calling(caller, `{"call_as":`+callAs+`}`)))
					}
					refused("execute_tool", name, a.inEra(modern, "tools/call", calling("execute_tool", "{"+apart+"}")))
				}
			}
		})
	}
	for _, version := range []string{"2025-11-25", "2026-07-28", "sse"} {
		session := webClient(t, s.hub, version, s.hub.Info().Token, nil)
		for _, name := range spellings {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "one__" + name})
			refused("MCP over HTTP, "+version, name, fmt.Sprint(err))
		}
	}
	s.reachedNothing()
}

func TestANameThatNoListHasIsRefusedWithNamesThatAreMeant(t *testing.T) {
	s := lax(t, "", "-tool", "delete_file=Deletes a file")
	s.play(
		step{name: "REST", method: "POST", path: "/api/servers/1/call", body: `{"tool":"LOOK"}`, status: 200, want: []string{`"text":"MCP error -32602: Tool LOOK not found"`, `"isError":true`, `"did_you_mean":["look"]`}},
		step{name: "another name", method: "POST", path: "/api/servers/1/call", body: `{"tool":"zzz"}`, status: 200, want: []string{`"text":"MCP error -32602: Tool zzz not found"`, `"isError":true`}, never: []string{"did_you_mean"}},
		step{name: "any request", method: "POST", path: "/api/servers/1/request", body: `{"method":"tools/call","params":{"name":"LOOK"}}`, status: 200, want: []string{`{"error":{"code":-32602,"message":"Tool LOOK not found","data":{"did_you_mean":["look"]}}}`}},
		step{name: "a less dangerous name", method: "POST", path: "/api/servers/1/call", body: `{"tool":"read_file"}`, status: 200, never: []string{"did_you_mean"}},
		step{name: "the audit log", method: "GET", path: "/api/audit", status: 200, want: []string{`"outcome":"refused"`, `"code":"` + fault.CodeUnlisted + `"`}},
	)
	const text = `Tool LOOK not found\ndid_you_mean: mcp__one__look\n`
	for surface, calls := range map[string]map[string]string{
		"native":     {`"name":"one__LOOK"`: `"error":{"code":-32602,"message":"` + text},
		"server:one": {`"name":"LOOK"`: `"error":{"code":-32602,"message":"Tool LOOK not found","data":{"did_you_mean":["look"]}}`},
		"meta": {
			calling("call_tool", `{"call_as":"mcp__one__LOOK"}`):             `"error":{"code":-32602,"message":"` + text,
			calling("execute_tool", `{"server":"one","tool":"LOOK"}`):        `\"code\":\"TOOL_NOT_FOUND\",\"message\":\"server \\\"one\\\" has no tool \\\"LOOK\\\"; did you mean look?\"`,
			calling("execute_tool", `{"server":"one","tool":"one__LOOK"}`):   `has no tool \\\"LOOK\\\"; did you mean look?`,
			calling("call_read_tool", `{"call_as":"mcp__one__read_a_file"}`): `Tool read_a_file not found`,
		},
		"registry": {
			calling("registry", `{"action":"proxy_call","call_as":"mcp__one__LOOK"}`):       `"text":"MCP error -32602: ` + text,
			calling("registry", `{"action":"proxy_call","server":"one","tool":"LOOK"}`):     `"text":"MCP error -32602: ` + text,
			calling("registry", `{"action":"proxy_call","call_as":"mcp__one__read_files"}`): `"text":"MCP error -32602: Tool read_files not found"`,
		},
	} {
		inEachEra(t, s.hub, companion.Entry{Surface: surface}, func(t *testing.T, a *agent, modern bool) {
			for members, want := range calls {
				if got := a.inEra(modern, "tools/call", members); !strings.Contains(got, want) {
					t.Errorf("%s %s:\n got %s\nwant %s", surface, members, got, want)
				}
			}
		})
	}
	s.reachedNothing()
}

func TestAHeldToolThatItsServerHidesStaysHeld(t *testing.T) {
	for name, flags := range map[string][]string{"announced": {"-tool", "steal=" + poison}, "silent": {"-silent", "-tool", "steal=" + poison}} {
		t.Run(name, func(t *testing.T) {
			s := lax(t, "", flags...)
			refresh := step{name: "refresh", method: "POST", path: "/api/servers/1/refresh", status: 200}
			held := func(listed bool) {
				t.Helper()
				s.play(step{name: "what is held", method: "GET", path: "/api/trust", status: 200, want: []string{`"name":"steal"`, `"state":"blocked"`, `"listed":` + strconv.FormatBool(listed)}})
				if err := tryDo(t, s.hub, "POST", "/api/servers/1/call", map[string]any{"tool": "steal"}); !strings.Contains(fault.MessageOf(err), fault.CodeHeld) {
					t.Errorf("listed %v: a call by REST: %v", listed, err)
				}
				for surface, tool := range map[string]string{"native": "one__steal", "server:one": "steal", "registry": "one__steal", "meta": "one__steal"} {
					a := introduced(t, s.hub, companion.Entry{Surface: surface}, "{}")
					if got := a.exchange("tools/call", "{"+calling(tool, "{}")+"}"); !strings.Contains(got, fault.CodeHeld) {
						t.Errorf("listed %v: a call on the surface %s: %s", listed, surface, got)
					}
					a.leave()
				}
			}
			held(true)
			s.tool("shrink", `{"name":"steal"}`)
			s.play(refresh)
			held(false)
			do(t, s.hub, "POST", "/api/servers/1/restart", nil, nil)
			held(true) // the new process lists it
			s.reachedNothing()
		})
	}
}

func TestAServerIsAskedOnceForANameThatItDoesNotList(t *testing.T) {
	s := lax(t, "trust: {changes: clean}\nlimits: {refresh_tools: 1h}\n", "-silent")
	before := s.asked()
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			if err := tryDo(t, s.hub, "POST", "/api/servers/1/call", map[string]any{"tool": fmt.Sprint("none", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if after := s.asked(); after > before+1 {
		t.Errorf("the server was asked %d times", after-before)
	}
	a := introduced(t, s.hub, native, "{}")
	for _, late := range []string{"late", "later"} { // a call may have changed the list, although the server says nothing of it
		s.tool("grow", `{"name":"`+late+`","text":"Comes late"}`)
		if got := a.exchange("tools/call", "{"+calling("one__"+late, "{}")+"}"); !strings.Contains(got, `ran \"`+late) {
			t.Errorf("a call of a tool that was added silently: %s", got)
		}
	}
	s.reachedNothing()
}

func TestAToolIsCalledAsSoonAsItIsAnnounced(t *testing.T) {
	s := lax(t, "trust: {changes: clean}\n")
	a := introduced(t, s.hub, native, "{}")
	for i := range 2 {
		if got := a.exchange("tools/call", "{"+calling("one__none", "{}")+"}"); !strings.Contains(got, "Tool none not found") {
			t.Errorf("a call of an unknown tool: %s", got)
		}
		late := fmt.Sprint("late", i)
		s.tool("grow", `{"name":"`+late+`","text":"Comes late"}`)
		if got := a.exchange("tools/call", "{"+calling("one__"+late, "{}")+"}"); !strings.Contains(got, `ran \"`+late) {
			t.Errorf("a call of a tool that was announced: %s", got)
		}
	}
	s.reachedNothing()
}

func TestAServerThatWasNeverStartedIsAskedForItsTools(t *testing.T) {
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "port: 0\n")})
	var n int
	add := func() string {
		n++
		name := fmt.Sprint("new", n)
		s.play(step{name: "add", method: "POST", path: "/api/servers", body: s.server(name, "-lax", "-only", "-definition", `{"name":"look","inputSchema":{"type":"object","required":["lamp"]},"annotations":{"readOnlyHint":true}}`), status: 201})
		return name
	}
	a := introduced(t, s.hub, meta, "{}")
	for _, call := range []func(server string) string{
		func(server string) string {
			return calling("call_read_tool", `{"call_as":"mcp__`+server+`__look","arguments":{"lamp":1}}`)
		},
		func(server string) string {
			return calling("execute_tool", `{"server":"`+server+`","tool":"look","arguments":{"lamp":1}}`)
		},
	} {
		if got := a.exchange("tools/call", "{"+call(add())+"}"); !strings.Contains(got, `ran \"look`) {
			t.Errorf("%s: %s", call("…"), got)
		}
		without := strings.Replace(call(add()), `"lamp":1`, "", 1)
		if got := a.exchange("tools/call", "{"+without+"}"); !strings.Contains(got, "lamp is required") {
			t.Errorf("without an argument: %s", got)
		}
	}
	if got := a.exchange("tools/call", "{"+calling("call_read_tool", `{"call_as":"mcp__`+add()+`__shrink","arguments":{"name":"x"}}`)+"}"); !strings.Contains(got, "is not annotated as read-only") {
		t.Errorf("a tool that may write: %s", got)
	}
}

func TestToolsThatNoCapabilityDeclaresAreListed(t *testing.T) {
	for name, flags := range map[string][]string{"legacy": {"-undeclared"}, "modern": {"-undeclared", "-modern"}} {
		t.Run(name, func(t *testing.T) {
			s := lax(t, "", flags...)
			s.play(step{name: "the server", method: "GET", path: "/api/servers/1", status: 200, want: []string{`"tool_count":5`}})
			a := introduced(t, s.hub, native, "{}")
			if got := a.exchange("tools/call", "{"+calling("one__look", "{}")+"}"); !strings.Contains(got, `ran \"look`) {
				t.Errorf("a call: %s", got)
			}
			if got := a.exchange("tools/call", "{"+calling("one__none", "{}")+"}"); !strings.Contains(got, "Tool none not found") {
				t.Errorf("a call of an unknown tool: %s", got)
			}
			s.reachedNothing()
		})
	}
}

func TestAHeldPromptOrResourceIsReadUnderNoOtherName(t *testing.T) {
	s := lax(t, "", "-prompt", "greet=Greets", "-prompt", "wipe="+poison, "-resource", "note://secret="+poison, "-resource", "note://1=A note", "-template", "file:///private/{path}="+poison)
	a := introduced(t, s.hub, server("one"), "{}")
	a.poll("prompts/list", "greet")
	a.poll("resources/list", "note://1")
	a.poll("resources/templates/list", "resourceTemplates")
	s.play(step{name: "a copy", method: "POST", path: "/api/transient", body: `{"server":"one"}`, status: 201, keep: "handle"})
	clean := func(road, got string) {
		t.Helper()
		if strings.Contains(got, `"text":"got `) || strings.Contains(got, `"text":"read `) || !strings.Contains(got, fault.CodeHeld) && !strings.Contains(got, fault.CodeUnlisted) && !strings.Contains(got, "not found") && !strings.Contains(got, "is required") {
			t.Errorf("%s: %s", road, got)
		}
	}
	prompts := []string{"wipe", "wipe ", "WIPE", "wipe\u200b", "ｗipe", "other", ""}
	uris := []string{"note://secret", "NOTE://secret", "note://%73ecret", "note://secret/", "note://secret#x", "note://x/../secret", "file:///private/x", "file:///PRIVATE/x", "file:///%70rivate/x"}
	for _, of := range []string{"/api/servers/1", "/api/transient/{handle}"} {
		of = strings.NewReplacer(s.kept...).Replace(of)
		for _, name := range prompts {
			_, got := s.send("POST", of+"/prompt/get", `{"name":`+s.json(name)+`}`)
			clean(of+" prompt "+name, got)
			_, got = s.send("POST", of+"/request", `{"method":"prompts/get","params":{"name":"greet","Name":`+s.json(name)+`}}`)
			clean(of+" request for the prompt "+name, got)
			_, got = s.send("POST", of+"/complete", `{"prompt":`+s.json(name)+`,"argument":"who"}`)
			clean(of+" completion of the prompt "+name, got)
		}
		for _, uri := range uris {
			_, got := s.send("POST", of+"/resource/read", `{"uri":`+s.json(uri)+`}`)
			clean(of+" resource "+uri, got)
			_, got = s.send("POST", of+"/request", `{"method":"resources/read","params":{"uri":`+s.json(uri)+`}}`)
			clean(of+" request for the resource "+uri, got)
		}
	}
	for surface, prefix := range map[string][2]string{"server:one": {"", ""}, "native": {"one__", "one+"}} {
		inEachEra(t, s.hub, companion.Entry{Surface: surface}, func(t *testing.T, a *agent, modern bool) {
			for _, name := range prompts {
				clean(surface+" prompt "+name, a.inEra(modern, "prompts/get", `"name":`+s.json(prefix[0]+name)))
			}
			for _, uri := range uris {
				clean(surface+" resource "+uri, a.inEra(modern, "resources/read", `"uri":`+s.json(prefix[1]+uri)))
			}
			for request, members := range map[string]string{"prompts/get": `"name":"` + prefix[0] + `greet"`, "resources/read": `"uri":"` + prefix[1] + `note://1"`} {
				if got := a.inEra(modern, request, members); strings.Contains(got, `"error"`) {
					t.Errorf("%s %s: %s", surface, request, got)
				}
			}
			if got := a.inEra(modern, "resources/read", `"uri":"`+prefix[1]+`note://made/by/a/tool"`); !strings.Contains(got, "read note://made/by/a/tool") {
				t.Errorf("%s: a resource that is not listed: %s", surface, got)
			}
		})
	}
	s.reachedNothing()
}
