package upstream_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func newSDKServer(*http.Request) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "3"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "ask", InputSchema: schema},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text := "nobody was asked"
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: 1,
			}); err != nil {
				return nil, err
			}
			if answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Sure?", RequestedSchema: schema}); err == nil {
				text = answer.Action
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	return server
}

func TestServersOfTheGoSDKWork(t *testing.T) {
	for name, row := range map[string]struct {
		transport string
		handler   http.Handler
	}{
		"streams":   {"streamable-http", mcp.NewStreamableHTTPHandler(newSDKServer, nil)},
		"stateless": {"streamable-http", mcp.NewStreamableHTTPHandler(newSDKServer, &mcp.StreamableHTTPOptions{Stateless: true})},
		"JSON":      {"streamable-http", mcp.NewStreamableHTTPHandler(newSDKServer, &mcp.StreamableHTTPOptions{JSONResponse: true})},
		"SSE":       {"sse", mcp.NewSSEHandler(newSDKServer, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			listener := httptest.NewServer(row.handler)
			t.Cleanup(listener.Close)
			b := start(t, settings.Limits{})
			s := b.addRemote("s", row.transport, listener.URL, nil)
			if err := b.Start(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if tools := b.tools.Snapshot().Of("s"); len(tools) != 1 || tools[0].Name != "ask" {
				t.Errorf("its tools are %v", tools)
			}
			progress := make(chan string, 10)
			result, err := b.Call(t.Context(), s, "", answering(`{"action":"accept"}`), jsonrpc.Call{
				Method: "tools/call", Params: json.RawMessage(`{"name":"ask","arguments":{},"_meta":{"progressToken":"mine"}}`),
				Progress: func(p json.RawMessage) { progress <- string(p) },
			})
			want := "accept"
			if name == "stateless" {
				want = "nobody was asked" // this transport cannot carry requests of the server
			}
			if err != nil || !strings.Contains(string(result.JSON), want) {
				t.Errorf("got %s, %v", result.JSON, err)
			}
			if got := <-progress; !strings.Contains(got, `"mine"`) {
				t.Errorf("progress is %s", got)
			}
			b.Stop("s")
			if b.State("s").Running {
				t.Error("the server still runs")
			}
		})
	}
}

// bothEras is a server of both eras, made with the two handlers that the Go SDK needs for them. Only tools of the
// legacy handler can ask questions.
func bothEras() http.Handler {
	legacy := mcp.NewStreamableHTTPHandler(newSDKServer, nil)
	modern := mcp.NewStreamableHTTPHandler(newSDKServer, &mcp.StreamableHTTPOptions{Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") == "2026-07-28" {
			modern.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	})
}

// declaring is a caller whose client is of the modern era.
type declaring struct{ *caller }

func (declaring) Declared() upstream.Declared {
	return upstream.Declared{Modern: true, Capabilities: json.RawMessage(`{"elicitation":{}}`)}
}

func TestALegacyClientUsesTheLegacyEraOfARemoteServerOfBoth(t *testing.T) {
	listener := httptest.NewServer(bothEras())
	t.Cleanup(listener.Close)
	b := start(t, settings.Limits{})
	s := b.addRemote("s", "streamable-http", listener.URL, nil)
	for range 2 {
		for _, row := range []struct {
			who    upstream.Caller
			want   string
			modern bool
		}{
			{declaring{answering(`{"action":"accept"}`)}, "nobody was asked", true},
			{answering(`{"action":"accept"}`), "accept", false},
		} {
			result, err := b.Call(t.Context(), s, "", row.who,
				jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"ask","arguments":{}}`)})
			if err != nil || !strings.Contains(string(result.JSON), row.want) || result.Modern != row.modern {
				t.Errorf("modern is %v: got %s, %v", row.modern, result.JSON, err)
			}
		}
		if n := b.State("s").Sessions; n != 0 {
			t.Errorf("%d clients have the server for themselves", n)
		}
	}
	b.Stop("s")
	if b.State("s").Running {
		t.Error("the server still runs")
	}
}
