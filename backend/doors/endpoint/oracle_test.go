package endpoint_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// oracle returns the URL of a server of the MCP Go SDK. stateless selects the modern era, because one URL of the SDK
// serves one era only.
func oracle(t *testing.T, stateless bool) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "oracle", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"},
		func(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
			text, _ := json.Marshal(in)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
		})
	server.AddTool(&mcp.Tool{Name: "weather", InputSchema: json.RawMessage(strings.Replace(schema, `,"x-mcp-header":"N"`, "", 1))},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}

// verdict is the HTTP status of a response and the code of the JSON-RPC error in it. The code is 0 if the response has
// no error.
type verdict struct {
	status int
	code   int64
}

func (d *door) verdict(method, body string, headers ...string) verdict {
	d.t.Helper()
	resp := d.send(d.t.Context(), request{method, "", headers, body})
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var answer struct{ Error struct{ Code int64 } }
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &answer) == nil && answer.Error.Code != 0 {
			return verdict{resp.StatusCode, answer.Error.Code}
		}
	}
	return verdict{resp.StatusCode, 0}
}

// TestMalformedRequestsGetTheVerdictOfTheSDK sends the same requests to the endpoint and to a server of the MCP Go
// SDK. The field why explains intended differences.
func TestMalformedRequestsGetTheVerdictOfTheSDK(t *testing.T) {
	const (
		plain   = "the SDK answers with plain text, without a code"
		version = `"io.modelcontextprotocol/protocolVersion":`
	)
	call := func(members string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + members + `}}`
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	rows := []struct {
		name      string
		modern    bool
		method    string
		headers   []string
		body      string
		ours, sdk verdict
		why       string
	}{
		{name: "GET", modern: true, method: "GET", ours: verdict{405, -32600}, sdk: verdict{405, 0}, why: plain},
		{name: "DELETE", modern: true, method: "DELETE", ours: verdict{405, -32600}, sdk: verdict{405, 0}, why: plain},
		{name: "PUT", modern: true, method: "PUT", ours: verdict{405, -32600}, sdk: verdict{405, 0}, why: plain},
		{
			name: "text", modern: true, headers: modernHeaders("tools/list", "", "Content-Type: text/plain"),
			body: list, ours: verdict{415, -32600}, sdk: verdict{415, 0}, why: plain,
		},
		{
			name: "no Accept", modern: true, headers: modernHeaders("tools/list", "", "Accept:"),
			body: list, ours: verdict{200, 0}, sdk: verdict{400, 0}, why: "Accept is read leniently",
		},
		{
			name: "no JSON", modern: true, headers: modernHeaders("tools/list", ""), body: `{"jsonrpc"`, ours: verdict{400, -32700},
			sdk: verdict{400, 0}, why: plain,
		},
		{
			name: "no message", modern: true, headers: modernHeaders("tools/list", ""), body: `{"jsonrpc":"2.0","id":1}`,
			ours: verdict{400, -32600}, sdk: verdict{202, 0}, why: "the SDK takes it for an answer",
		},
		{
			name: "batch", modern: true, headers: modernHeaders("tools/list", ""), body: "[" + list + "]", ours: verdict{400, -32600},
			sdk: verdict{400, 0}, why: plain,
		},
		{name: "the tools", modern: true, headers: modernHeaders("tools/list", ""), body: list, ours: verdict{200, 0}},
		{name: "no version header", modern: true, headers: []string{"Mcp-Method: tools/list"}, body: list, ours: verdict{400, -32020}},
		{
			name: "no method header", modern: true, headers: []string{"MCP-Protocol-Version: 2026-07-28"},
			body: list, ours: verdict{400, -32020},
		},
		{name: "another method header", modern: true, headers: modernHeaders("prompts/list", ""), body: list, ours: verdict{400, -32020}},
		{
			name: "no name header", modern: true, headers: modernHeaders("tools/call", ""), body: modernCall("1", "echo", "{}"),
			ours: verdict{400, -32020},
		},
		{
			name: "another name header", modern: true, headers: modernHeaders("tools/call", "other"),
			body: modernCall("1", "echo", "{}"), ours: verdict{400, -32020},
		},
		{
			name: "an encoded name header", modern: true, headers: modernHeaders("tools/call", "=?base64?ZWNobw==?="),
			body: modernCall("1", "echo", "{}"), ours: verdict{200, 0}, sdk: verdict{400, -32020}, why: "the SDK does not decode names",
		},
		{
			name: "no argument header", modern: true, headers: modernHeaders("tools/call", "weather"),
			body: modernCall("1", "weather", `{"city":"Oslo"}`), ours: verdict{400, -32020},
		},
		{
			name: "another argument header", modern: true, headers: modernHeaders("tools/call", "weather", "Mcp-Param-City: Rome"),
			body: modernCall("1", "weather", `{"city":"Oslo"}`), ours: verdict{400, -32020},
		},
		{
			name: "an argument header", modern: true, headers: modernHeaders("tools/call", "weather", "Mcp-Param-City: Oslo"),
			body: modernCall("1", "weather", `{"city":"Oslo"}`), ours: verdict{200, 0},
		},
		{
			name: "no _meta", modern: true, headers: modernHeaders("tools/call", "echo"),
			body: call(`"name":"echo"`), ours: verdict{400, -32602},
		},
		{
			name: "no capabilities", modern: true, headers: modernHeaders("tools/call", "echo"),
			body: call(`"name":"echo","_meta":{` + version + `"2026-07-28"}`), ours: verdict{400, -32602},
		},
		{
			name: "another version in the body", modern: true, headers: modernHeaders("tools/call", "echo"),
			body: call(`"name":"echo","_meta":{` + version + `"2025-06-18"}`), ours: verdict{400, -32020},
		},
		{
			name: "a later version", modern: true, headers: []string{
				"MCP-Protocol-Version: 2031-01-01", "Mcp-Method: tools/call", "Mcp-Name: echo",
			}, body: call(`"name":"echo","_meta":{` + version + `"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}`),
			ours: verdict{400, -32022},
		},
		{
			name: "an unknown method", modern: true, headers: modernHeaders("nothing", ""),
			body: `{"jsonrpc":"2.0","id":1,"method":"nothing","params":{` + meta + `}}`, ours: verdict{404, -32601},
		},
		{
			name: "a removed method", modern: true, headers: modernHeaders("ping", ""),
			body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + meta + `}}`, ours: verdict{404, -32601},
		},
		{
			name: "an unknown tool", modern: true, headers: modernHeaders("tools/call", "none"), body: modernCall("1", "none", "{}"),
			ours: verdict{200, -32602}, sdk: verdict{400, -32602}, why: "the request is valid; the specification says no status",
		},
		{
			name: "a notification without a method header", modern: true, headers: []string{"MCP-Protocol-Version: 2026-07-28"},
			body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ours: verdict{400, -32020},
		},
		{
			name: "a notification", modern: true, headers: modernHeaders("notifications/cancelled", ""),
			body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ours: verdict{202, 0},
		},
		{
			name: "a foreign session", modern: true, headers: modernHeaders("tools/list", "", "Mcp-Session-Id: x"),
			body: list, ours: verdict{200, 0},
		},

		{
			name: "GET without a session", method: "GET", headers: []string{"Accept: text/event-stream"}, ours: verdict{405, -32600},
			sdk: verdict{400, 0}, why: "one URL serves both eras, and in the modern one GET is not allowed",
		},
		{
			name: "DELETE without a session", method: "DELETE", ours: verdict{405, -32600}, sdk: verdict{400, 0},
			why: "one URL serves both eras, and in the modern one DELETE is not allowed",
		},
		{
			name: "GET of an unknown session", method: "GET", headers: []string{"Accept: text/event-stream", "Mcp-Session-Id: x"},
			ours: verdict{404, -32600}, sdk: verdict{404, 0}, why: plain,
		},
		{
			name: "DELETE of an unknown session", method: "DELETE", headers: []string{"Mcp-Session-Id: x"}, ours: verdict{404, -32600},
			sdk: verdict{404, 0}, why: plain,
		},
		{
			name: "an unknown session", headers: []string{"Mcp-Session-Id: x"}, body: legacyCall("1", "echo", "{}"),
			ours: verdict{404, -32600}, sdk: verdict{404, 0}, why: plain,
		},
		{
			name: "no session", body: legacyCall("1", "echo", "{}"), ours: verdict{400, -32600}, sdk: verdict{200, 0},
			why: "the SDK begins a session that was never initialized and refuses the method inside it",
		},
		{name: "a session", headers: []string{"SESSION"}, body: legacyCall("1", "echo", "{}"), ours: verdict{200, 0}},
		{
			name: "an unsupported version", headers: []string{"SESSION", "MCP-Protocol-Version: 2024-01-01"},
			body: legacyCall("1", "echo", "{}"), ours: verdict{400, -32600}, sdk: verdict{400, 0}, why: plain,
		},
		{
			name: "another version", headers: []string{"SESSION", "MCP-Protocol-Version: 2025-06-18"},
			body: legacyCall("1", "echo", "{}"), ours: verdict{200, 0},
		},
		{
			name: "no JSON in a session", headers: []string{"SESSION"}, body: `{`, ours: verdict{400, -32700}, sdk: verdict{400, 0},
			why: plain,
		},
		{
			name: "nothing in a session", headers: []string{"SESSION"}, body: ``, ours: verdict{400, -32700}, sdk: verdict{400, 0},
			why: plain,
		},
		{
			name: "a batch in a later session", headers: []string{"SESSION", "MCP-Protocol-Version: 2025-11-25"},
			body: "[" + legacyCall("1", "echo", "{}") + "]", ours: verdict{400, -32600}, sdk: verdict{400, 0}, why: plain,
		},
		{
			name: "an unknown method in a session", headers: []string{"SESSION"}, body: `{"jsonrpc":"2.0","id":1,"method":"nothing"}`,
			ours: verdict{200, -32601}, sdk: verdict{400, 0},
			why: "an error of JSON-RPC has no status before 2026-07-28; clients before SDK 1.7 end their session on any",
		},
		{
			name: "an unknown tool in a session", headers: []string{"SESSION"}, body: legacyCall("1", "none", "{}"),
			ours: verdict{200, -32602},
		},
		{
			name: "an initialized notification", headers: []string{"SESSION"},
			body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ours: verdict{202, 0},
		},
		{
			name: "an unknown event", method: "GET", headers: []string{"Accept: text/event-stream", "SESSION", "Last-Event-ID: x"},
			ours: verdict{400, -32600}, sdk: verdict{400, 0}, why: plain,
		},
		{name: "DELETE", method: "DELETE", headers: []string{"SESSION"}, ours: verdict{204, 0}},
		{
			name: "a deleted session", headers: []string{"SESSION"}, body: legacyCall("1", "echo", "{}"), ours: verdict{404, -32600},
			sdk: verdict{404, 0}, why: plain,
		},
	}
	ours := open(t)
	stateful, stateless := &door{t: t, url: oracle(t, false)}, &door{t: t, url: oracle(t, true)}
	sessions := map[*door]string{}
	for _, d := range []*door{ours, stateful} {
		resp := d.send(t.Context(), request{
			"POST", "", nil,
			`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		})
		_, _ = io.Copy(io.Discard, resp.Body)
		sessions[d] = "Mcp-Session-Id: " + resp.Header.Get("Mcp-Session-Id")
		d.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, sessions[d])
	}
	for _, row := range rows {
		if row.method == "" {
			row.method = "POST"
		}
		theirs := stateful
		if row.modern {
			theirs = stateless
		}
		ask := func(d *door) verdict {
			headers := strings.Split(strings.ReplaceAll(strings.Join(row.headers, "\n"), "SESSION", sessions[d]), "\n")
			return d.verdict(row.method, row.body, headers...)
		}
		if row.why == "" {
			row.sdk = row.ours
		}
		if got := ask(ours); got != row.ours {
			t.Errorf("%s: we answer %v, want %v", row.name, got, row.ours)
		}
		if got := ask(theirs); got != row.sdk {
			t.Errorf("%s: the SDK answers %v, want %v", row.name, got, row.sdk)
		}
	}
}
