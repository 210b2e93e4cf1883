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
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestTwoCompanionsShareOneServerProcess(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	a, b := h.Attach(), h.Attach()
	if one, other := a.PID("fake"), b.PID("fake"); one != other {
		t.Errorf("one companion uses process %d, the other %d", one, other)
	}
	if servers := h.Processes("mcptest"); len(servers) != 1 {
		t.Errorf("processes of the server: %v", servers)
	}
}

func TestServerKilledDuringACallIsNamedAndRestarted(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child := c.PID("fake")
	id := c.Hold("fake", "k")

	programtest.Signal(t, child, syscall.SIGKILL)

	r := c.ToolResult(id)
	if !r.IsError {
		t.Fatalf("the call returned %+v, want an error", r)
	}
	programtest.Contains(t, r.Text(), `server "fake"`, `tool "hold"`, "signal: killed", "took effect is unknown",
		"starts again with the next call")
	if again := c.PID("fake"); again == child {
		t.Errorf("process %d was not replaced", again)
	}
}

func TestErrorQuotesAServerThatExitsDuringACall(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	text := c.FailingTool("fake__die", `{"code":7,"text":"panic: out of cheese"}`)
	programtest.Contains(t, text, `server "fake"`, `tool "die"`, "exit status 7", "panic: out of cheese", "starts again")
	programtest.Contains(t, h.Server("fake").Stderr, "panic: out of cheese")
	if got := c.Tool("fake__echo", `{"text":"alive"}`); got != "alive" {
		t.Errorf("echo returned %q", got)
	}
}

// unusualResult is a result that clients accept, but that libraries with typed results
// would change.
const unusualResult = `{"content":[{"type":"text","text":"","beam":{"z":[1e400,-0]}},{"type":"image","data":"bm\u00390","mimeType":"image/png"},` +
	`{"type":"text","text":"a\u00e9\/b","annotations":{"priority":1.0,"level":9007199254740993}}],"structuredContent":{"n":9007199254740993,"d":1.10},` +
	`"isError":false, "future":{"x":null},"_meta":{"vendor/trace":"t-1"}}`

// unusualTool is a valid definition with members that libraries do not know.
const unusualTool = `{"name":"odd","title":"Odd","description":"Answers with something unheard of","inputSchema":{"properties":{"n":{"type":"integer"}},"x-order":9007199254740993},` +
	`"execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true},"x-vendor":{"a":[]}}`

func TestUnusualResultIsPassedUnchanged(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t, "-definition", unusualTool, "-result", unusualResult))
	c := h.Attach()
	for name, params := range map[string]string{
		"proxied":    `{"name":"fake__odd","arguments":{}}`,
		"by call_as": `{"name":"mcp__fake__odd"}`,
		"proxy_call": `{"name":"registry","arguments":{"action":"proxy_call","call_as":"mcp__fake__odd"}}`,
	} {
		id := c.Start("tools/call", params)
		if got, want := c.Answer(id).Line, `{"jsonrpc":"2.0","id":`+id+`,"result":`+unusualResult+`}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestArgumentsReachTheServerUnchanged(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	arguments := `{"n":9007199254740993,  "f":1.10,"e":1e400,"s":"\u00e9\/<>&","twice":1,"twice":2,"nested":{"z":null,"a":[ ]}}`
	for _, params := range []string{
		`{"name":"fake__arguments","arguments":` + arguments + `}`,
		`{"name":"registry","arguments":{"action":"proxy_call","server":"fake","tool":"arguments","arguments":` + arguments + `}}`,
	} {
		if got := c.ToolResult(c.Start("tools/call", params)).Text(); got != arguments {
			t.Errorf("the server received\n%s\nwant\n%s", got, arguments)
		}
	}
}

func TestErrorOfAServerIsPassedUnchanged(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t, "-only", "-tool", "refused=A tool that the server does not know"))
	m := h.Attach().Ask("tools/call", `{"name":"fake__refused","arguments":{}}`)
	if m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, "Unknown tool: refused") {
		t.Fatalf("got %s", m.Line)
	}
	programtest.Contains(t, string(m.Error.Data), `"made":"by mcptest"`)
}

func TestSessionMayHave64CallsInFlight(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c, other := h.Attach(), h.Attach()
	var ids []string
	for range 64 {
		ids = append(ids, c.Hold("fake", "k"))
	}

	m := c.Ask("tools/call", programtest.ToolParams("fake__echo", `{"text":"one too many"}`))

	if m.Error == nil || m.Error.Code != -31001 {
		t.Fatalf("the 65th call was answered with %s", m.Line)
	}
	programtest.Contains(t, m.Error.Message, "64 calls", "in flight")
	if got := other.Tool("fake__echo", `{"text":"another session"}`); got != "another session" {
		t.Errorf("a call in another session returned %q", got)
	}
	other.Tool("fake__release", `{"key":"k"}`)
	for _, id := range ids {
		if got := c.ToolResult(id).Text(); got != "released k" {
			t.Errorf("call %s returned %q", id, got)
		}
	}
	if got := c.Tool("fake__echo", `{"text":"accepted again"}`); got != "accepted again" {
		t.Errorf("echo returned %q", got)
	}
	programtest.Contains(t, h.Must("logs", "--tool", "echo"), "refused")
}

func TestCancellationReachesTheServerAndGetsNoAnswer(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	id := c.Hold("fake", "k")
	c.Notify("notifications/cancelled", `{"requestId":`+id+`,"reason":"the user changed \"their\" mind","x-why":9007199254740993}`)
	var seen string
	programtest.Eventually(t, "the server receives the cancellation", func() bool {
		seen = c.Tool("fake__seen", `{}`)
		return strings.Contains(seen, "notifications/cancelled")
	})
	programtest.Contains(t, seen, `"reason":"the user changed \"their\" mind"`, `"x-why":9007199254740993`)
	c.Tool("fake__release", `{"key":"k"}`)
	c.Ask("ping", `{}`)
	for _, m := range c.Messages() {
		if m.Method == "" && string(m.ID) == id {
			t.Errorf("the cancelled call was answered: %s", m.Line)
		}
	}
	programtest.Contains(t, h.Must("logs", "--tool", "hold"), "cancelled")
}

func TestProgressKeepsItsToken(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	first, second := h.Attach(), h.Attach()
	const params = `{"name":"fake__steps","arguments":{"count":3},"_meta":{"progressToken":%s}}`
	tokens := []string{`"tok-\u00e9"`, `7`, `9007199254740993`}
	for _, token := range tokens {
		// Two clients may use the same progress token at the same time.
		ids := []string{first.Start("tools/call", fmt.Sprintf(params, token)), second.Start("tools/call", fmt.Sprintf(params, token))}
		for i, c := range []*programtest.Client{first, second} {
			if got := c.ToolResult(ids[i]).Text(); got != "done" {
				t.Fatalf("steps returned %q", got)
			}
			var steps []string
			for _, m := range c.Messages() {
				if m.Method == "notifications/progress" && string(m.ID) == "" {
					steps = append(steps, m.Line)
				}
				if m.Method == "" && string(m.ID) == ids[i] {
					break // progress after the answer does not count
				}
			}
			for step := 1; step <= 3; step++ {
				want := fmt.Sprintf(
					`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":3,"message":"step %d"}}`,
					token, step, step,
				)
				if !slices.Contains(steps, want) {
					t.Errorf("%s is not among %v", want, steps)
				}
			}
		}
	}
}

func TestRequestOfAServerIsPassedToItsOnlyCaller(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Companion()
	c.Open(`{"sampling":{},"elicitation":{}}`)
	for method, bodies := range map[string][2]string{
		"sampling/createMessage": {
			`{"messages":[],"maxTokens":9007199254740993,"x":[1.10]}`,
			`{"role":"assistant","content":{"type":"hologram"},"n":9007199254740993}`,
		},
		"elicitation/create": {`{"message":"Sure?","requestedSchema":{"type":"object"}}`, `{"action":"accept","content":{"n":1.10}}`},
	} {
		id := c.StartTool("fake__ask", `{"method":"`+method+`","params":`+bodies[0]+`}`)
		if m := c.Requested(method, bodies[1]); string(m.Params) != bodies[0] {
			t.Errorf("%s arrived with the parameters %s", method, m.Params)
		}
		if got := c.ToolResult(id).Text(); got != bodies[1] {
			t.Errorf("%s: the server received the answer %s", method, got)
		}
	}
}

func TestRequestOfAServerIsRefusedWithoutASingleCaller(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c, other := h.Companion(), h.Companion()
	c.Open(`{"sampling":{}}`)
	other.Open(`{"sampling":{}}`)
	const ask = `{"method":"sampling/createMessage","params":{"messages":[]}}`
	id := other.Hold("fake", "k")
	programtest.Contains(t, c.Tool("fake__ask", ask), "error", "-32601", "2 calls of 2 clients are in flight")
	c.Tool("fake__release", `{"key":"k"}`)
	other.ToolResult(id)
	h.Add("own", mcptest.Command(t))
	programtest.Contains(t, c.Tool("own__ask", `{"method":"elicitation/create"}`), "error", `does not support it`, "test-editor")

	// The server sends a request on SIGUSR1, while no call is in flight.
	programtest.Signal(t, c.PID("fake"), syscall.SIGUSR1)
	programtest.Eventually(t, "the server receives the answer",
		func() bool { return strings.Contains(h.Server("fake").Stderr, "answer: ") })
	programtest.Contains(t, h.Server("fake").Stderr, "no call is in flight, and several clients have called the server")
	for _, c := range []*programtest.Client{c, other} {
		c.Ask("ping", `{}`)
		if n := c.Count("sampling/createMessage") + c.Count("elicitation/create"); n != 0 {
			t.Errorf("a client received %d requests, want none", n)
		}
	}
}

func TestServerReceivesTheConfiguredRoots(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("roots: [\"file:///one\", \"file:///two\"]\n")
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	var answer struct {
		Roots []struct{ URI string } `json:"roots"`
	}
	text := h.Attach().Tool("fake__ask", `{"method":"roots/list"}`)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Roots) != 2 || answer.Roots[1].URI != "file:///two" {
		t.Errorf("the server received %s", text)
	}
}

func TestFailedCallSuggestsSimilarTools(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	m := c.Ask("tools/call", programtest.ToolParams("fake__echo_text", `{}`))
	if m.Error == nil || m.Error.Code != -32602 {
		t.Fatalf("got %s", m.Line)
	}
	programtest.Contains(t, m.Error.Message, "Tool echo_text not found", "did_you_mean: ", "mcp__fake__echo")
	text := c.FailingTool("registry", `{"action":"proxy_call","call_as":"echo"}`)
	programtest.Contains(t, text, "call_as must be of the form")
	m = c.Ask("tools/call", programtest.ToolParams("nowhere__echo", `{}`))
	if m.Error == nil {
		t.Fatalf("got %s", m.Line)
	}
	programtest.Contains(t, m.Error.Message, "nowhere__echo", "mcp__fake__echo", "find_tool")
}

func TestCallOfAnUnknownToolIsLogged(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	c := h.Attach()
	if m := c.Ask("tools/call", programtest.ToolParams("nowhere", `{"text":"x"}`)); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("the call was answered with %s", m.Line)
	}
	programtest.Contains(t, h.Must("logs", "--json"), `"tool": "nowhere"`, `"outcome": "refused"`)
}
