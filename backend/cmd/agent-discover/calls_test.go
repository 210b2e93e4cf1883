//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTwoCompanionsShareOneChild(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	a, b := h.attach(), h.attach()
	if one, other := a.pid("fake"), b.pid("fake"); one != other {
		t.Errorf("one companion got process %d, the other %d", one, other)
	}
	if servers := h.processes("mcptest"); len(servers) != 1 {
		t.Errorf("processes of the server: %v", servers)
	}
}

func TestFoundToolIsLentToOneSessionOnly(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	a, b := h.attach(), h.attach()
	before := b.tools()

	if got := a.find("give back the text"); got != "mcp__fake__echo" {
		t.Fatalf("found %q", got)
	}

	a.awaitCount(listChanged, 1)
	if tools := a.tools(); !slices.Contains(tools, "fake__echo") {
		t.Errorf("the asking session lists %v", tools)
	}
	a.find("give back the text") // nothing new is lent: nothing is told
	b.ask("ping", `{}`)
	if after := b.tools(); !slices.Equal(after, before) {
		t.Errorf("the other session lists %v, before %v", after, before)
	}
	for who, c := range map[string]*client{"other": b, "asking": a} {
		if n, want := c.count(listChanged), map[string]int{"asking": 1}[who]; n != want {
			t.Errorf("the %s session was told %d times that its list changed, not %d", who, n, want)
		}
	}
	// A change that shows in no list is told to nobody; the next one that does
	// follows it, so that a wrong notification would have come.
	h.must("servers", "add", "unseen", "--no-start", "--", "true")
	h.must("servers", "activate", "fake")
	b.awaitCount(listChanged, 1)
	b.tools()
	if n := b.count(listChanged); n != 1 {
		t.Errorf("the other session was told %d times that its list changed, not once", n)
	}
}

func TestNewToolOfAnActiveServerReachesEverySession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	a, b := h.attach(), h.attach()
	h.must("servers", "activate", "fake")
	b.awaitCount(listChanged, 1)
	a.awaitCount(listChanged, 1)
	b.tools()
	a.tool("fake__grow", `{"name":"fresh","text":"Counts sheep"}`)
	b.awaitCount(listChanged, 2)
	if tools := b.tools(); !slices.Contains(tools, "fake__fresh") {
		t.Errorf("the other session lists %v", tools)
	}
	if got := a.find("counts sheep"); got != "mcp__fake__fresh" {
		t.Errorf("found %q", got)
	}
}

func TestChildKilledInMidCallIsNamedAndStartsAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child := c.pid("fake")
	id := c.hold("fake", "k")

	signal(t, child, syscall.SIGKILL)

	r := c.endTool(id)
	if !r.IsError {
		t.Fatalf("the call gave %+v", r)
	}
	contains(t, r.text(), `server "fake"`, `tool "hold"`, "signal: killed", "took effect is unknown", "starts again with the next call")
	if again := c.pid("fake"); again == child {
		t.Errorf("process %d again", again)
	}
}

func TestServerThatExitsInMidCallIsQuoted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	text := c.failing("fake__die", `{"code":7,"text":"panic: out of cheese"}`)
	contains(t, text, `server "fake"`, `tool "die"`, "exit status 7", "panic: out of cheese", "starts again")
	contains(t, h.show("fake").Stderr, "panic: out of cheese")
	if got := c.tool("fake__echo", `{"text":"alive"}`); got != "alive" {
		t.Errorf("echo gave %q", got)
	}
}

// oddResult is a valid result that every typed client library damages.
const oddResult = `{"content":[{"type":"hologram","beam":{"z":[1e400,-0]}},{"type":"image","data":"not//base64!*","mimeType":"image/png"},` +
	`{"type":"text","text":"a\u00e9\/b","annotations":{"priority":9007199254740993}}],"structuredContent":{"n":9007199254740993,"d":1.10},` +
	`"isError":false, "future":{"x":null},"_meta":{"vendor/trace":"t-1"}}`

const oddTool = `{"name":"odd","title":"Odd","description":"Answers with something unheard of","inputSchema":{"properties":{"n":{"type":"integer"}},"x-order":9007199254740993},` +
	`"execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true},"x-vendor":{"a":[]}}`

func TestOddResultPassesByteForByte(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t, "-definition", oddTool, "-result", oddResult))
	c := h.attach()
	for name, params := range map[string]string{
		"proxied":    `{"name":"fake__odd","arguments":{}}`,
		"by call_as": `{"name":"mcp__fake__odd"}`,
		"proxy_call": `{"name":"registry","arguments":{"action":"proxy_call","call_as":"mcp__fake__odd"}}`,
	} {
		id := c.start("tools/call", params)
		if got, want := c.answer(id).line, `{"jsonrpc":"2.0","id":`+id+`,"result":`+oddResult+`}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestArgumentsReachTheServerByteForByte(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	arguments := `{"n":9007199254740993,  "f":1.10,"e":1e400,"s":"\u00e9\/<>&","twice":1,"twice":2,"nested":{"z":null,"a":[ ]}}`
	for _, params := range []string{
		`{"name":"fake__arguments","arguments":` + arguments + `}`,
		`{"name":"registry","arguments":{"action":"proxy_call","server":"fake","tool":"arguments","arguments":` + arguments + `}}`,
	} {
		if got := c.endTool(c.start("tools/call", params)).text(); got != arguments {
			t.Errorf("the server got\n%s\nof\n%s", got, arguments)
		}
	}
}

func TestServersOwnErrorPassesUnchanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t, "-only", "-tool", "one=The only one"))
	m := h.attach().ask("tools/call", `{"name":"fake__absent","arguments":{}}`)
	if m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, "Unknown tool: absent") {
		t.Fatalf("got %s", m.line)
	}
	contains(t, string(m.Error.Data), `"made":"by mcptest"`)
}

func TestToolWithoutASchemaTypeIsListedWithAllItsFields(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t, "-only", "-definition", oddTool, "-definition", `{"name":"bare"}`, "-definition", `{"name":"null","inputSchema":null}`))
	h.must("servers", "activate", "fake")
	want := strings.Replace(oddTool, `"name":"odd"`, `"name":"fake__odd"`, 1)
	want = strings.Replace(want, `"x-order":9007199254740993}`, `"x-order":9007199254740993,"type":"object"}`, 1)
	contains(t, h.attach().ask("tools/list", `{}`).line, want,
		`{"name":"fake__bare","inputSchema":{"type":"object"}}`, `{"name":"fake__null","inputSchema":{"type":"object"}}`)
}

func TestToolListWithoutEndIsBounded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	for _, pages := range []struct {
		how   string
		tools int
	}{{"same", 2}, {"new", 200}} {
		h.add(pages.how, mcptest.Command(t, "-pages", pages.how))
		if v := h.show(pages.how); v.ToolCount != pages.tools {
			t.Errorf("%s cursor: %d tools, want %d", pages.how, v.ToolCount, pages.tools)
		}
	}
	if got := h.attach().tool("same__echo", `{"text":"usable"}`); got != "usable" {
		t.Errorf("the server gave %q", got)
	}
}

func TestSixtyFourCallsAreInFlightAndTheNextIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c, other := h.attach(), h.attach()
	var ids []string
	for range 64 {
		ids = append(ids, c.hold("fake", "k"))
	}

	m := c.ask("tools/call", toolParams("fake__echo", `{"text":"one too many"}`))

	if m.Error == nil || m.Error.Code != -32000 {
		t.Fatalf("the 65th call got %s", m.line)
	}
	contains(t, m.Error.Message, "64 calls", "in flight")
	if got := other.tool("fake__echo", `{"text":"another session"}`); got != "another session" {
		t.Errorf("another session got %q", got)
	}
	other.tool("fake__release", `{"key":"k"}`)
	for _, id := range ids {
		if got := c.endTool(id).text(); got != "released k" {
			t.Errorf("call %s gave %q", id, got)
		}
	}
	if got := c.tool("fake__echo", `{"text":"room again"}`); got != "room again" {
		t.Errorf("echo gave %q", got)
	}
	contains(t, h.must("logs", "--tool", "echo"), "refused")
}

func TestCancelReachesTheServerWithItsReasonAndNothingIsAnswered(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	id := c.hold("fake", "k")
	c.notify("notifications/cancelled", `{"requestId":`+id+`,"reason":"the user changed \"their\" mind","x-why":9007199254740993}`)
	var seen string
	eventually(t, "the server is told", func() bool {
		seen = c.tool("fake__seen", `{}`)
		return strings.Contains(seen, "notifications/cancelled")
	})
	contains(t, seen, `"reason":"the user changed \"their\" mind"`, `"x-why":9007199254740993`)
	c.tool("fake__release", `{"key":"k"}`)
	c.ask("ping", `{}`)
	c.mu.Lock()
	for _, m := range c.received {
		if m.Method == "" && string(m.ID) == id {
			t.Errorf("the cancelled call was answered: %s", m.line)
		}
	}
	c.mu.Unlock()
	contains(t, h.must("logs", "--tool", "hold"), "cancelled")
}

func TestProgressKeepsItsToken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	a, b := h.attach(), h.attach()
	const params = `{"name":"fake__steps","arguments":{"count":3},"_meta":{"progressToken":%s}}`
	tokens := []string{`"tok-\u00e9"`, `7`, `9007199254740993`}
	for _, token := range tokens {
		// Two clients may use the same token at the same time.
		ids := []string{a.start("tools/call", fmt.Sprintf(params, token)), b.start("tools/call", fmt.Sprintf(params, token))}
		for i, c := range []*client{a, b} {
			if got := c.endTool(ids[i]).text(); got != "done" {
				t.Fatalf("steps gave %q", got)
			}
			c.mu.Lock()
			var steps []string
			for _, m := range c.received {
				if m.Method == "notifications/progress" && string(m.ID) == "" {
					steps = append(steps, m.line)
				}
				if m.Method == "" && string(m.ID) == ids[i] {
					break // progress after the answer does not count
				}
			}
			c.mu.Unlock()
			for step := 1; step <= 3; step++ {
				want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":3,"message":"step %d"}}`, token, step, step)
				if !slices.Contains(steps, want) {
					t.Errorf("%s is not among %v", want, steps)
				}
			}
		}
	}
}

// requested waits for a request of the hub and answers it.
func (c *client) requested(method, result string) message {
	c.t.Helper()
	m := c.await("a request "+method, func(m message) bool { return m.Method == method && m.ID != nil })
	c.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
	return m
}

func TestServersRequestPassesToTheSoleCaller(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.companion()
	c.open(`{"sampling":{},"elicitation":{}}`)
	for method, bodies := range map[string][2]string{
		"sampling/createMessage": {`{"messages":[],"maxTokens":9007199254740993,"x":[1.10]}`, `{"role":"assistant","content":{"type":"hologram"},"n":9007199254740993}`},
		"elicitation/create":     {`{"message":"Sure?","requestedSchema":{"type":"object"}}`, `{"action":"accept","content":{"n":1.10}}`},
	} {
		id := c.beginTool("fake__ask", `{"method":"`+method+`","params":`+bodies[0]+`}`)
		if m := c.requested(method, bodies[1]); string(m.Params) != bodies[0] {
			t.Errorf("%s came with %s", method, m.Params)
		}
		if got := c.endTool(id).text(); got != bodies[1] {
			t.Errorf("%s: the server was answered %s", method, got)
		}
	}
}

func TestServersRequestIsRefusedWhenNobodyCanBeMeant(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c, other := h.companion(), h.companion()
	c.open(`{"sampling":{}}`)
	other.open(`{"sampling":{}}`)
	const ask = `{"method":"sampling/createMessage","params":{"messages":[]}}`
	id := other.hold("fake", "k")
	contains(t, c.tool("fake__ask", ask), "error", "-32600", "calls of several clients")
	c.tool("fake__release", `{"key":"k"}`)
	other.endTool(id)

	contains(t, c.tool("fake__ask", `{"method":"elicitation/create"}`), "error", `does not support it`, "test-editor")

	// With no call in flight there is nobody at all.
	signal(t, c.pid("fake"), syscall.SIGUSR1)
	eventually(t, "the server has its answer", func() bool { return strings.Contains(h.show("fake").Stderr, "answer: ") })
	contains(t, h.show("fake").Stderr, "no call, or calls of several clients")
	for _, c := range []*client{c, other} {
		c.ask("ping", `{}`)
		if n := c.count("sampling/createMessage") + c.count("elicitation/create"); n != 0 {
			t.Errorf("a client was asked %d times", n)
		}
	}
}

func TestServerIsToldTheConfiguredRoots(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("roots: [\"file:///one\", \"file:///two\"]\n")
	h.serve()
	h.add("fake", mcptest.Command(t))
	var answer struct {
		Roots []struct{ URI string } `json:"roots"`
	}
	text := h.attach().tool("fake__ask", `{"method":"roots/list"}`)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Roots) != 2 || answer.Roots[1].URI != "file:///two" {
		t.Errorf("the server was told %s", text)
	}
}

func TestFailedCallSuggestsTheNearestTools(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	m := c.ask("tools/call", toolParams("fake__echo_text", `{}`))
	if m.Error == nil || m.Error.Code != -32602 {
		t.Fatalf("got %s", m.line)
	}
	contains(t, m.Error.Message, "Unknown tool: echo_text", "did_you_mean: ", "mcp__fake__echo")
	text := c.failing("registry", `{"action":"proxy_call","call_as":"echo"}`)
	contains(t, text, "call_as must be of the form")
	m = c.ask("tools/call", toolParams("nowhere__echo", `{}`))
	if m.Error == nil {
		t.Fatalf("got %s", m.line)
	}
	contains(t, m.Error.Message, "nowhere__echo", "mcp__fake__echo", "find_tool")
}

func TestToolsAreCalledByTheNameUnderWhichTheyAreListed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("odd", mcptest.Command(t, "-only", "-result", `{"content":[{"type":"text","text":"called"}]}`,
		"-tool", "_private=Begins with an underscore", "-tool", "a__b=Holds two", "-tool", "mcp__x=Looks like ours"))
	h.must("servers", "activate", "odd")
	c := h.attach()
	for _, name := range c.tools() {
		if name == "registry" {
			continue
		}
		if got := c.tool(name, `{}`); got != "called" {
			t.Errorf("%s: %s", name, got)
		}
		if got := c.tool("mcp__"+name, `{}`); got != "called" {
			t.Errorf("call_as of %s: %s", name, got)
		}
	}
}

func TestCallOfAnUnknownToolIsInTheLog(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	c := h.attach()
	if m := c.ask("tools/call", toolParams("nowhere", `{"text":"x"}`)); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("the call was answered %s", m.line)
	}
	contains(t, h.must("logs", "--json"), `"tool": "nowhere"`, `"outcome": "refused"`)
}
