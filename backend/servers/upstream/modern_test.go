package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// client is a caller with capabilities. It answers each question with the method and params of the question.
type client struct {
	declared upstream.Declared

	mu       sync.Mutex
	notified []string
}

func (c *client) Declared() upstream.Declared { return c.declared }

func (c *client) Ask(_ context.Context, q upstream.Question) (json.RawMessage, error) {
	answer := jsonrpc.Set(nil, "asked", jsonrpc.Quote(q.Method))
	if q.Params != nil {
		answer = jsonrpc.Set(answer, "params", q.Params)
	}
	return answer, nil
}

func (c *client) Notify(_ context.Context, method string, params json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notified = append(c.notified, method+" "+string(params))
}

// callAs calls a tool of the server s for a client. more is appended to the params.
func (b *bench) callAs(c upstream.Caller, tool, arguments, more string) (upstream.Result, error) {
	s, err := b.servers.Get("s")
	if err != nil {
		b.t.Fatal(err)
	}
	params := json.RawMessage(`{"name":"` + tool + `","arguments":` + arguments + more + `}`)
	return b.Call(b.t.Context(), s, "", c, jsonrpc.Call{Method: "tools/call", Params: params})
}

func TestAServerOfTheModernEraIsUsedByLegacyClients(t *testing.T) {
	b := start(t, settings.Limits{})
	b.add("s", "-modern")
	c := &client{declared: upstream.Declared{
		Capabilities: json.RawMessage(`{"sampling":{},"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":{},"x/y":{}}}`),
		LogLevel:     "info",
	}}
	result, err := b.callAs(c, "meta", `{}`, `,"_meta":{"traceparent":"00-1","io.modelcontextprotocol/clientInfo":{"name":"forged"}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`clientCapabilities\":{\"sampling\":{},\"extensions\":{\"x/y\":{}}}`, `\"traceparent\":\"00-1\"`, `logLevel\":\"info\"`,
		`clientInfo\":{\"name\":\"agent-discover\"`, `"_meta":{"own":1}`,
	} {
		if !strings.Contains(string(result.JSON), want) {
			t.Errorf("%s is missing in %s", want, result.JSON)
		}
	}
	for _, never := range []string{"resultType", "ttlMs", "cacheScope", "forged"} {
		if strings.Contains(string(result.JSON), never) {
			t.Errorf("%s is in %s", never, result.JSON)
		}
	}
	d, _ := b.Describe("s")
	if d.ProtocolVersion != "2026-07-28" || d.Name != "mcptest" || d.Title != "Modern" || d.Version != "1.2.3" ||
		d.Instructions != "Be kind." || len(d.Tools) == 0 {
		t.Errorf("the server is described as %+v", d)
	}
	s, _ := b.servers.Get("s")
	if _, err := b.Check(t.Context(), s); err != nil {
		t.Errorf("check: %v", err)
	}
}

func TestALegacyClientIsAskedWhatAModernServerRequires(t *testing.T) {
	b := start(t, settings.Limits{})
	b.add("s", "-modern")
	c := &client{declared: upstream.Declared{Capabilities: json.RawMessage(`{"sampling":{},"elicitation":{"form":{},"url":{}}}`)}}
	result, err := b.callAs(c, "require",
		`{"state":"\"st\"","requests":{"b":{"method":"sampling/createMessage","params":{"n":1.0}},"a":{"method":"elicitation/create","params":{"mode":"url","url":"http://x"}},"r":{"method":"roots/list"}}}`,
		"")
	if err != nil {
		t.Fatal(err)
	}
	got := string(result.JSON)
	for _, want := range []string{
		`{\"b\":{\"asked\":\"sampling/createMessage\",\"params\":{\"n\":1.0}},\"a\":`, `\"elicitationId\":`, `\"r\":{\"roots\":[]}}`,
		`\"\\\"st\\\"\"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if len(c.notified) != 1 || !strings.HasPrefix(c.notified[0], `notifications/elicitation/complete {"elicitationId":"`) {
		t.Errorf("the client was told %v", c.notified)
	}
	// A client with roots is asked for them.
	c.declared.Capabilities = json.RawMessage(`{"roots":{}}`)
	if result, err = b.callAs(c, "require", `{"requests":{"r":{"method":"roots/list"}}}`, ""); err != nil ||
		!strings.Contains(string(result.JSON), `\"asked\":\"roots/list\"`) {
		t.Errorf("got %s, %v", result.JSON, err)
	}
	// The hub retries a call whose result has a state and no requests, but only a few times.
	if result, err = b.callAs(c, "require", `{"state":"only"}`, ""); err != nil || !strings.Contains(string(result.JSON), `\"only\"`) {
		t.Errorf("a state only: %s, %v", result.JSON, err)
	}
	if _, err = b.callAs(c, "require", `{"state":"only","always":true}`, ""); err == nil ||
		!strings.Contains(fault.MessageOf(err), "again and again") {
		t.Errorf("a state without end: %v", err)
	}
}

func TestAModernClientGetsTheResultsOfAModernServerUnchanged(t *testing.T) {
	b := start(t, settings.Limits{})
	b.add("s", "-modern")
	c := &client{declared: upstream.Declared{Modern: true, Capabilities: json.RawMessage(`{"elicitation":{}}`)}}
	const requests = `{"a":{"method":"elicitation/create","params":{"message":"Sure?"}}}`
	result, err := b.callAs(c, "require", `{"state":"st","requests":`+requests+`}`, "")
	if want := `{"resultType":"input_required","inputRequests":` + requests + `,"requestState":"st"}`; err != nil ||
		string(result.JSON) != want || !result.Modern {
		t.Errorf("got %+v, %v; want %s", result, err, want)
	}
	result, err = b.callAs(c, "require", `{}`, `,"inputResponses":{"a":{"action":"accept"}},"requestState":"st"`)
	if err != nil || !strings.Contains(string(result.JSON), `{\"a\":{\"action\":\"accept\"}}\"st\"`) {
		t.Errorf("the retry: %s, %v", result.JSON, err)
	}
	// A legacy server gets neither the members of a retry nor the metadata of the modern era.
	b.add("old")
	old, _ := b.servers.Get("old")
	result, err = b.Call(t.Context(), old, "", c,
		jsonrpc.Call{
			Method: "tools/call",
			Params: json.RawMessage(`{"name":"echo","arguments":{"text":"hi"},"requestState":"st","inputResponses":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`),
		})
	if err != nil || result.Modern || !strings.Contains(string(result.JSON), "hi") {
		t.Errorf("a legacy server: %+v, %v", result, err)
	}
}

func TestResourcesOfAModernServerAreSubscribedTo(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-modern")
	updates, stop := events.Subscribe[upstream.Announced](b.bus, 64)
	defer stop()
	ask := func(method, uri string) error {
		_, err := b.Call(t.Context(), s, "", nil, jsonrpc.Call{Method: method, Params: json.RawMessage(`{"uri":"` + uri + `"}`)})
		return err
	}
	next := func(want string) {
		t.Helper()
		if got := <-updates; string(got.Params) != want || got.Method != "notifications/resources/updated" {
			t.Errorf("got %s %s, want %s", got.Method, got.Params, want)
		}
	}
	if err := ask("resources/subscribe", "note://1"); err != nil {
		t.Fatal(err)
	}
	next(`{"uri":"note://1"}`)
	if err := ask("resources/subscribe", "note://2"); err != nil {
		t.Fatal(err)
	}
	next(`{"uri":"note://1"}`) // the second listen request names both resources
	next(`{"uri":"note://2"}`)
	if err := ask("resources/subscribe", "note://refused"); err == nil || !strings.Contains(err.Error(), "did not accept") {
		t.Errorf("a refused subscription: %v", err)
	}
	if err := ask("resources/unsubscribe", "note://2"); err != nil {
		t.Fatal(err)
	}
	until := func(uri string) {
		t.Helper()
		for got := range updates {
			if string(got.Params) == `{"uri":"`+uri+`"}` {
				return
			}
		}
	}
	if err := ask("resources/subscribe", "note://3"); err != nil {
		t.Fatal(err)
	}
	until("note://3")
	// When the server ends the listen request, the hub opens another and assumes a change.
	if _, err := b.call(s, "release", `{"key":"listen"}`); err != nil {
		t.Fatal(err)
	}
	until("note://3")
	until("note://3")
	b.Stop("s")
	if state := b.State("s"); state.Running {
		t.Errorf("after Stop: %+v", state)
	}
}

func TestALegacyServerThatEndsAtAnUnknownRequestIsUsed(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-strict")
	for range 2 {
		if got, err := b.call(s, "echo", `{"text":"hi"}`); err != nil || !strings.Contains(string(got), "hi") {
			t.Fatalf("got %s, %v", got, err)
		}
		b.Stop("s")
	}
	lines, _ := b.Traces.Output("s", 100, 0)
	refused := 0
	for _, line := range lines {
		if strings.Contains(line.Text, "expected initialize") {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("the server was asked %d times for the modern era, want once: %v", refused, lines)
	}
}

func TestALegacyServerThatIgnoresUnknownRequestsIsUsed(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-deaf")
	if got, err := b.call(s, "echo", `{"text":"hi"}`); err != nil || !strings.Contains(string(got), "hi") {
		t.Fatalf("got %s, %v", got, err)
	}
	b.Stop("s")
	if _, err := b.call(s, "echo", `{"text":"hi"}`); err != nil {
		t.Fatal(err)
	}
	if short, _ := b.exchanged("s"); strings.Contains(strings.Join(short, ","), "server/discover") {
		t.Errorf("the second start asks for the modern era again: %v", short)
	}
}

// modernHTTP is an HTTP server of the modern era. It lists two tools: find, whose argument city
// is repeated in a header, and bad. A call of find waits until its client is gone.
type modernHTTP struct {
	t      *testing.T
	called chan struct{}
	gone   chan struct{}
}

func (f *modernHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name string
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	if r.Method != http.MethodPost {
		f.t.Errorf("the client sent %s", r.Method)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	h := r.Header
	if m.Method == "notifications/cancelled" || h.Get("Mcp-Session-Id") != "" || h.Get("Mcp-Method") != m.Method ||
		h.Get("Mcp-Name") != m.Params.Name ||
		h.Get("MCP-Protocol-Version") != "2026-07-28" || m.Params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil {
		f.t.Errorf("%s came with the headers %v and the metadata %s", m.Method, h, m.Params.Meta)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Mcp-Session-Id", "ignored")
	switch m.Method {
	case "server/discover":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, m.ID)
	case "tools/list":
		const schema = `{"type":"object","properties":{"city":{"type":"%s","x-mcp-header":"City"}}}`
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"find","inputSchema":`+schema+`},{"name":"bad","inputSchema":`+
			schema+`}]}}`, m.ID, "string", "object")
	case "tools/call":
		if m.Params.Name == "bad" {
			f.t.Error("the tool bad was called")
			return
		}
		if got := h.Get("Mcp-Param-City"); got != "=?base64?TMO8YmVjaw==?=" {
			f.t.Errorf("the header of the argument is %q", got)
		}
		w.(http.Flusher).Flush()
		close(f.called)
		<-r.Context().Done()
		close(f.gone)
	}
}

func TestARemoteServerOfTheModernEraGetsItsHeaders(t *testing.T) {
	f := &modernHTTP{t, make(chan struct{}), make(chan struct{})}
	web := httptest.NewServer(f)
	defer web.Close()
	b := start(t, settings.Limits{})
	s := b.addRemote("s", "streamable-http", web.URL, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := b.Call(ctx, s, "", nil,
			jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"find","arguments":{"city":"Lübeck"}}`)})
		failed <- err
	}()
	<-f.called
	cancel() // closes the response
	<-f.gone
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
	if result, err := b.ask(s, "tools/call", `{"name":"bad","arguments":{"city":{}}}`); err == nil ||
		!strings.Contains(err.Error(), `Tool "bad" cannot be called`) {
		t.Errorf("a call of the other tool: %s, %v", result, err)
	}
	if d, _ := b.Describe("s"); len(d.Tools) != 1 || d.ProtocolVersion != "2026-07-28" {
		t.Errorf("the server is described as %+v", d)
	}
}

func TestAVersionThatAServerOffersIsTriedAgain(t *testing.T) {
	for name, row := range map[string]struct {
		refusals int32
		offered  string
		version  string // version of the session
	}{
		"offered":          {1, "2026-07-28", "2026-07-28"},
		"another offered":  {1, "2025-11-25", "2025-03-26"},
		"refused for ever": {100, "2026-07-28", "2025-03-26"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32 // requests are handled concurrently
			url := fake(t, answers{"server/discover": func(w http.ResponseWriter, id string) {
				if asked.Add(1) <= row.refusals {
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprintf(w,
						`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":[%q]}}}`,
						id,
						row.offered)
					return
				}
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`, id)
			}})
			b := start(t, settings.Limits{})
			if err := b.Start(t.Context(), b.addRemote("s", "streamable-http", url, nil)); err != nil {
				t.Fatal(err)
			}
			if d, _ := b.Describe("s"); d.ProtocolVersion != row.version || asked.Load() > 2 {
				t.Errorf("the version is %q after %d requests", d.ProtocolVersion, asked.Load())
			}
		})
	}
}

func TestAServerThatRefusesAnEraItNamesIsUsedInTheOther(t *testing.T) {
	unknown := make(chan string, 10)
	url := fake(t, answers{
		"server/discover": func(w http.ResponseWriter, id string) {
			fmt.Fprintf(w,
				`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"logging":{}}}}`, id)
		},
		"initialize": func(w http.ResponseWriter, id string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"Unsupported protocol version"}}`, id)
		},
		"logging/setLevel": func(_ http.ResponseWriter, _ string) { unknown <- "logging/setLevel" },
	})
	b := start(t, settings.Limits{})
	s := b.addRemote("s", "streamable-http", url, nil)
	if result, err := b.Call(t.Context(), s, "", &client{}, jsonrpc.Call{
		Method: "tools/call", Params: json.RawMessage(`{"name":"x"}`),
	}); err != nil || string(result.JSON) != "{}" {
		t.Errorf("the call: %s, %v", result.JSON, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if result, err := b.Request(ctx, s, "", nil, jsonrpc.Call{
		Method: "logging/setLevel", Params: json.RawMessage(`{"level":"info"}`),
	}); err != nil {
		t.Errorf("the level: %s, %v", result.JSON, err)
	}
	if len(unknown) > 0 {
		t.Errorf("the server got %s", <-unknown)
	}
}
