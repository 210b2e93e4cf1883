package mcpheader

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// TestTheSDKsServerAgrees sends requests to a server of the SDK and compares its error
// codes with those of Check and Params.Check.
func TestTheSDKsServerAgrees(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "x", InputSchema: json.RawMessage(schema)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	tool, err := ReadParams(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	meta := mcpversion.Meta{ProtocolVersion: "2026-07-28", ClientCapabilities: json.RawMessage(`{}`)}
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	remove := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	none := func(http.Header) {}
	for _, test := range []struct {
		what   string
		params json.RawMessage
		change func(http.Header)
		want   int64
	}{
		{"all headers", meta.Stamp(json.RawMessage(`{"name":"x","arguments":{"region":"é","limit":1e2,"options":{"dry":true}}}`)), none, 0},
		{"no arguments", meta.Stamp(json.RawMessage(`{"name":"x"}`)), none, 0},
		{"another method", meta.Stamp(json.RawMessage(`{"name":"x"}`)), set(Method, "tools/list"), -32020},
		{"no method", meta.Stamp(json.RawMessage(`{"name":"x"}`)), remove(Method), -32020},
		{"another name", meta.Stamp(json.RawMessage(`{"name":"x"}`)), set(Name, "y"), -32020},
		{"no name", meta.Stamp(json.RawMessage(`{"name":"x"}`)), remove(Name), -32020},
		{
			"another argument", meta.Stamp(json.RawMessage(`{"name":"x","arguments":{"region":"eu"}}`)),
			set("Mcp-Param-Region", "us"), -32020,
		},
		{
			"no header of an argument", meta.Stamp(json.RawMessage(`{"name":"x","arguments":{"region":"eu"}}`)),
			remove("Mcp-Param-Region"), -32020,
		},
		{"a header of no argument", meta.Stamp(json.RawMessage(`{"name":"x","arguments":{}}`)), set("Mcp-Param-Region", "us"), -32020},
		{
			"an integer written in another way", meta.Stamp(json.RawMessage(`{"name":"x","arguments":{"limit":7}}`)),
			set("Mcp-Param-Limit", "7.0"), 0,
		},
		{"no capabilities", mcpversion.Meta{ProtocolVersion: "2026-07-28"}.Stamp(json.RawMessage(`{"name":"x"}`)), none, -32602},
		{
			"no version in _meta", json.RawMessage(`{"name":"x","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`),
			set(Version, "2026-07-28"), -32602,
		},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(
			string(jsonrpc.AppendRequest(nil, json.RawMessage("1"), "tools/call", test.params))))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		Set(request.Header, "tools/call", test.params)
		arguments := jsonrpc.Get(test.params, "arguments")
		tool.Set(request.Header, arguments)
		test.change(request.Header)

		own := Check(request.Header, "tools/call", test.params)
		if own == nil {
			_, own = mcpversion.CheckMeta(test.params)
		}
		if own == nil {
			own = tool.Check(request.Header, arguments)
		}
		var code int64
		if own != nil {
			code = own.Code
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		body, _ := io.ReadAll(answer.Body)
		var theirs int64
		if m, err := jsonrpc.Parse(body); err != nil {
			t.Errorf("%s: the SDK answers %d %q", test.what, answer.Code, body)
		} else if m.Error != nil {
			theirs = jsonrpc.ParseError(m.Error).Code
		}
		if code != test.want || theirs != test.want {
			t.Errorf("%s: code %d, the SDK's %d, want %d; headers %v, answer %s", test.what, code, theirs, test.want, request.Header, body)
		}
		if status := mcpversion.Status(theirs); theirs != 0 && theirs != jsonrpc.CodeInvalidParams && status != answer.Code {
			t.Errorf("%s: status %d, the SDK's %d", test.what, status, answer.Code)
		}
	}
}
