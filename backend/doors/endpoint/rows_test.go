package endpoint_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestChecksHaveTheirStatusAndCode has a row for each check of a request, in the order of the checks.
func TestChecksHaveTheirStatusAndCode(t *testing.T) {
	d := open(t)
	old, middle := d.initialize("2025-03-26"), d.initialize("2025-06-18")
	const list = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`
	const discover = `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{` + meta + `}}`
	with := func(method, members string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + members + `}}`
	}
	const version = `"io.modelcontextprotocol/protocolVersion":`
	for _, row := range []struct {
		name    string
		method  string
		path    string
		headers []string
		body    string
		status  int
		want    string // text in the body or the headers
	}{
		{"GET without a session", "GET", "", nil, "", 405, "Allow: POST"},
		{"GET of the modern era", "GET", "", []string{"MCP-Protocol-Version: 2026-07-28", middle}, "", 405, "Allow: POST"},
		{"DELETE without a session", "DELETE", "", nil, "", 405, "Allow: POST"},
		{"DELETE of the modern era", "DELETE", "", []string{"MCP-Protocol-Version: 2026-07-28", middle}, "", 405, "Allow: POST"},
		{"PUT", "PUT", "", nil, "{}", 405, "Allow: POST"},
		{"another server than the token's", "POST", "/mcp/other", []string{"Authorization: Bearer guest"}, discover, 403, ""},
		{
			"another server than the bound token's", "POST", "/mcp/two",
			append([]string{"Authorization: Bearer bound"}, modernHeaders("server/discover", "")...), discover, 403, "",
		},
		{
			"the bound token's server", "POST", "/mcp/one",
			append([]string{"Authorization: Bearer bound"}, modernHeaders("server/discover", "")...), discover, 200, `"result"`,
		},
		{
			"a bound token without a server", "POST", "/mcp",
			append([]string{"Authorization: Bearer bound"}, modernHeaders("server/discover", "")...), discover, 200, `"result"`,
		},
		{"an unknown server", "POST", "/mcp/two", modernHeaders("server/discover", ""), discover, 404, `"code":-32600`},
		{"a session of another server", "POST", "/mcp/one", []string{middle}, list, 403, ""},
		{"a path below a server", "POST", "/mcp/a/b", nil, discover, 404, ""},

		{"text", "POST", "", []string{"Content-Type: text/plain"}, list, 415, `"code":-32600`},
		{"no media type", "POST", "", []string{"Content-Type:"}, list, 415, `"code":-32600`},
		{
			"a parameter of the media type", "POST", "", []string{
				"Content-Type: Application/JSON; charset=utf-8", middle,
			}, list, 200, `"result"`,
		},
		{"no Accept", "POST", "", []string{"Accept:", middle}, list, 200, `"result"`},
		{"another Accept", "POST", "", []string{"Accept: text/html", middle}, list, 200, `"result"`},
		{
			"a stream preferred", "POST", "", []string{
				"Accept: text/event-stream, application/json", middle,
			}, list, 200, "data: {\"jsonrpc\"",
		},
		{
			"M: a stream preferred", "POST", "", modernHeaders("tools/list", "", "Accept: text/event-stream, application/json"),
			with("tools/list", meta), 200, "data: {\"jsonrpc\"",
		},
		{
			"M: an error although a stream is preferred", "POST", "", modernHeaders("no/method", "",
				"Accept: text/event-stream, application/json"), with("no/method", meta), 404, `"code":-32601`,
		},

		{"no JSON", "POST", "", []string{middle}, `{"jsonrpc"`, 400, `"id":null,"error":{"code":-32700`},
		{"nothing", "POST", "", []string{middle}, ``, 400, `"code":-32700`},
		{"not UTF-8", "POST", "", []string{middle}, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400, `"code":-32700`},
		{
			"a line break in a string", "POST", "",
			[]string{middle},
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}", 400, `"code":-32700`,
		},
		{"a string", "POST", "", []string{middle}, `"ping"`, 400, `"code":-32600`},
		{"neither method nor result", "POST", "", []string{middle}, `{"jsonrpc":"2.0","id":3}`, 400, `"id":3,"error":{"code":-32600`},
		{"an object as id", "POST", "", []string{middle}, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, `"code":-32600`},
		{"batch without a session", "POST", "", nil, `[` + list + `]`, 400, `"code":-32600`},
		{"batch of the modern era", "POST", "", []string{"MCP-Protocol-Version: 2026-07-28", old}, `[` + list + `]`, 400, `"code":-32600`},
		{"batch in a later session", "POST", "", []string{middle}, `[` + list + `]`, 400, `"code":-32600`},
		{"batch in a session", "POST", "", []string{old}, `[` + list + `]`, 200, `[{"jsonrpc":"2.0","id":7,"result"`},
		{"batch in an unknown session", "POST", "", []string{"Mcp-Session-Id: x"}, `[` + list + `]`, 404, ""},
		{"empty batch", "POST", "", []string{old}, `[]`, 400, `"code":-32600`},
		{"broken batch", "POST", "", []string{old}, `[{]`, 400, `"code":-32700`},
		{"a wrong message in a batch", "POST", "", []string{old}, `[{"id":8}]`, 400, `"code":-32600`},

		{
			"M: a later version in both", "POST", "", []string{
				"MCP-Protocol-Version: 2031-01-01", "Mcp-Method: tools/list",
			}, with("tools/list", `"_meta":{`+version+`"2031-01-01"}`), 400, `"code":-32022`,
		},
		{
			"M: a later version in the header", "POST", "",
			[]string{"MCP-Protocol-Version: 2031-01-01"},
			list, 400, `"requested":"2031-01-01"`,
		},
		{
			"M: a later version in the body", "POST", "", modernHeaders("tools/list", ""),
			with("tools/list", `"_meta":{`+version+`"2031-01-01"}`), 400, `"code":-32020`,
		},
		{
			"M: an old version in the body", "POST", "", modernHeaders("tools/list", ""),
			with("tools/list", `"_meta":{`+version+`"2025-06-18"}`), 400, `"code":-32020`,
		},
		{
			"M: no version header", "POST", "",
			[]string{"Mcp-Method: tools/list"},
			with("tools/list", meta), 400,
			`"id":7,"error":{"code":-32020`,
		},
		{"M: no version anywhere", "POST", "", []string{"Mcp-Method: server/discover"}, with("server/discover", ""), 400, `"code":-32020`},
		{"M: no method header", "POST", "", []string{"MCP-Protocol-Version: 2026-07-28"}, with("tools/list", meta), 400, `"code":-32020`},
		{"M: another method in the header", "POST", "", modernHeaders("prompts/list", ""), with("tools/list", meta), 400, `"code":-32020`},
		{"M: no name header", "POST", "", modernHeaders("tools/call", ""), modernCall("7", "echo", "{}"), 400, `"code":-32020`},
		{
			"M: another name in the header", "POST", "", modernHeaders("tools/call", "other"), modernCall("7", "echo", "{}"), 400,
			`"code":-32020`,
		},
		{
			"M: an encoded name", "POST", "", modernHeaders("tools/call", "=?base64?ZWNobw==?="),
			modernCall("7", "echo", "{}"), 200, `"result"`,
		},
		{"M: headers before _meta", "POST", "", modernHeaders("prompts/list", ""), with("tools/list", ""), 400, `"code":-32020`},
		{"M: no _meta", "POST", "", modernHeaders("tools/list", ""), with("tools/list", ""), 400, `"code":-32602`},
		{
			"M: no params", "POST", "", modernHeaders("tools/list", ""),
			`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, 400, `"code":-32602`,
		},
		{
			"M: no capabilities", "POST", "", modernHeaders("tools/list", ""), with("tools/list", `"_meta":{`+version+`"2026-07-28"}`), 400,
			`"code":-32602`,
		},
		{
			"M: _meta before the method", "POST", "", modernHeaders("nothing", ""),
			with("nothing", `"_meta":{`+version+`"2026-07-28"}`), 400, `"code":-32602`,
		},
		{"M: an unknown method", "POST", "", modernHeaders("nothing", ""), with("nothing", meta), 404, `"code":-32601`},
		{"M: a removed method", "POST", "", modernHeaders("ping", ""), with("ping", meta), 404, `"code":-32601`},
		{"M: initialize", "POST", "", modernHeaders("initialize", ""), with("initialize", meta), 404, `"code":-32601`},
		{"M: an unknown tool", "POST", "", modernHeaders("tools/call", "none"), modernCall("7", "none", "{}"), 200, `"code":-32602`},
		{
			"M: no argument header", "POST", "", modernHeaders("tools/call", "weather"),
			modernCall("7", "weather", `{"city":"Oslo"}`), 400, `"code":-32020`,
		},
		{
			"M: another argument header", "POST", "", modernHeaders("tools/call", "weather", "Mcp-Param-City: Rome"),
			modernCall("7", "weather", `{"city":"Oslo"}`), 400, `"code":-32020`,
		},
		{
			"M: an argument header", "POST", "", modernHeaders("tools/call", "weather", "Mcp-Param-City: Oslo"),
			modernCall("7", "weather", `{"city":"Oslo"}`), 200, `Oslo`,
		},
		{
			"M: the tools", "POST", "", modernHeaders("tools/list", ""), with("tools/list", meta), 200,
			`"city":{"type":"string","x-mcp-header":"City"},"n":{"type":"number"}`,
		},
		{
			"M: a session of nobody", "POST", "", modernHeaders("server/discover", "", "Mcp-Session-Id: x"),
			discover, 200, `"resultType":"complete"`,
		},
		{
			"M: a notification", "POST", "", modernHeaders("notifications/cancelled", ""),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, "",
		},
		{
			"M: an answer", "POST", "",
			[]string{"MCP-Protocol-Version: 2026-07-28"},
			`{"jsonrpc":"2.0","id":1,"result":{}}`, 400,
			`"code":-32600`,
		},

		{"L: no session", "POST", "", []string{"MCP-Protocol-Version: 2025-06-18"}, list, 400, `"code":-32600`},
		{"no era and no session", "POST", "", nil, list, 400, `"code":-32600`},
		{"L: an unknown session", "POST", "", []string{"Mcp-Session-Id: x"}, list, 404, `"code":-32600`},
		{"L: another token's session", "POST", "", []string{middle, "Authorization: Bearer guest"}, list, 403, `"code":-32600`},
		{"L: GET of another token's session", "GET", "", []string{middle, "Authorization: Bearer guest"}, "", 403, ""},
		{"L: DELETE of another token's session", "DELETE", "", []string{middle, "Authorization: Bearer guest"}, "", 403, ""},
		{
			"L: an answer to another token's session", "POST", "",
			[]string{middle, "Authorization: Bearer guest"},
			`{"jsonrpc":"2.0","id":1,"result":{}}`, 403, "",
		},
		{"L: GET of an unknown session", "GET", "", []string{"Mcp-Session-Id: x"}, "", 404, ""},
		{"L: a notification", "POST", "", []string{middle}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"L: an answer to nothing", "POST", "", []string{middle}, `{"jsonrpc":"2.0","id":"x","result":{}}`, 202, ""},
		{"L: an unsupported version", "POST", "", []string{middle, "MCP-Protocol-Version: 2024-01-01"}, list, 400, `"code":-32600`},
		{"L: no version", "POST", "", []string{middle}, list, 200, `"result"`},
		{"L: another version than the session's", "POST", "", []string{middle, "MCP-Protocol-Version: 2025-11-25"}, list, 200, `"result"`},
		{
			"L: the header decides the era", "POST", "",
			[]string{middle, "MCP-Protocol-Version: 2025-06-18"},
			with("ping", meta), 200, `"result":{}`,
		},
		{"L: an unknown method", "POST", "", []string{middle}, with("nothing", ""), 200, `"code":-32601`},
		{
			"L: pretty JSON", "POST", "",
			[]string{middle},
			"{\n\"jsonrpc\":\"2.0\",\r\n\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\n}}}", 200,
			`"text":"{ }"`,
		},
		{"SSE: a message without a session", "POST", "/sse", nil, list, 400, `"code":-32600`},
		{"SSE: a message to an unknown session", "POST", "/sse?session=x", nil, list, 404, `"code":-32600`},
		{
			"SSE: a message to a session of /mcp", "POST", "/sse?session=" + strings.TrimPrefix(middle, "Mcp-Session-Id: "), nil, list, 404,
			`"code":-32600`,
		},
		{"SSE: DELETE", "DELETE", "/sse", nil, "", 405, "Allow: GET, POST"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &door{d.script, t, d.endpoint, d.url}
			resp := d.send(t.Context(), request{row.method, row.path, row.headers, row.body})
			var all strings.Builder
			_ = resp.Header.Write(&all)
			buffer := make([]byte, 4096)
			for n, err := resp.Body.Read(buffer); ; n, err = resp.Body.Read(buffer) {
				all.Write(buffer[:n])
				if err != nil {
					break
				}
			}
			if resp.StatusCode != row.status || !strings.Contains(all.String(), row.want) {
				t.Errorf("status %d, want %d with %s:\n%s", resp.StatusCode, row.status, row.want, all.String())
			}
		})
	}
}

func TestASessionWithoutInitializeEnds(t *testing.T) {
	d := open(t)
	resp, body := d.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","fail":true}}`)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "the server does not start") {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	<-d.closed
	if resp, _ := d.post(legacyCall("1", "echo", "{}"),
		"Mcp-Session-Id: "+resp.Header.Get("Mcp-Session-Id")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the session afterwards: %d", resp.StatusCode)
	}
}

func TestSessionsOfOneServerAreOpenedWithIt(t *testing.T) {
	d := open(t)
	resp := d.send(t.Context(), request{"POST", "/mcp/one", modernHeaders("tools/call", "echo"), modernCall("1", "echo", "{}")})
	d.post(modernCall("1", "echo", "{}"), modernHeaders("tools/call", "echo")...)
	if resp.StatusCode != http.StatusOK || len(d.opened) != 2 || d.opened[0].Surface != "server:one" || d.opened[1].Surface != "" ||
		d.opened[0].ID == d.opened[1].ID {
		t.Errorf("status %d, opened %+v", resp.StatusCode, d.opened)
	}
}

func TestADeletedSessionIsUnknown(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	stream := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""}))
	waiting := make(chan string, 1)
	go func() {
		_, body := d.post(legacyCall("1", "wait", "{}"), session)
		waiting <- body
	}()
	running := d.next()
	if resp := d.send(t.Context(), request{http.MethodDelete, "", []string{session}, ""}); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %d", resp.StatusCode)
	}
	<-running.ctx.Done()
	if body := <-waiting; !strings.Contains(body, `"code":-31002`) {
		t.Errorf("the call got %s", body)
	}
	stream.rest()
	for _, method := range []string{http.MethodDelete, http.MethodGet} {
		if resp := d.send(t.Context(), request{method, "", []string{session}, ""}); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s afterwards: %d", method, resp.StatusCode)
		}
	}
	if id := <-d.closed; id != d.opened[0].ID {
		t.Errorf("%s was closed", id)
	}
}

func TestABodyHasALimit(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	const limit = 64 << 20
	frame := legacyCall("1", "echo", `"PAD"`)
	body := strings.Replace(frame, "PAD", strings.Repeat("x", limit-len(frame)+3), 1)
	if resp, answer := d.post(body, session); resp.StatusCode != http.StatusOK || len(answer) < limit-1000 {
		t.Errorf("a body of 64 MiB: status %d, %d bytes", resp.StatusCode, len(answer))
	}
	if resp, answer := d.post(body+" ", session); resp.StatusCode != http.StatusRequestEntityTooLarge ||
		!strings.Contains(answer, `"code":-32600`) {
		t.Errorf("one byte more: status %d, %s", resp.StatusCode, answer)
	}
}
