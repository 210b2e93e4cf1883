package eras_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestClientsOverHTTPUseServers(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "sse"} {
		t.Run(version, func(t *testing.T) {
			h := hubtest.Offering(t) // a hub per version: with two clients, a shared server cannot tell which one to ask
			progress := make(chan string, 8)
			session := hubtest.WebClient(t, h, version, h.Info().Token, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"which": "this"}}, nil
				},
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					progress <- r.Params.Message
				},
			})
			want := version
			if version == "sse" {
				want = "2025-11-25"
			}
			if got := session.InitializeResult().ProtocolVersion; got != want {
				t.Errorf("negotiated %s", got)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || tools.Tools[0].Name != "registry" {
				t.Fatalf("tools: %+v, %v", tools, err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "one__echo", Arguments: map[string]any{"text": "hello"}})
			if err != nil || result.Content[0].(*mcp.TextContent).Text != "hello" {
				t.Errorf("echo: %+v, %v", result, err)
			}
			result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "one__ask", Arguments: map[string]any{
				"method": "elicitation/create", "params": map[string]any{
					"message": "Which?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}},
				},
			}})
			if err != nil || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, `"which":"this"`) {
				t.Errorf("ask: %+v, %v", result, err)
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "one+note://1"})
			if err != nil || read.Contents[0].Text != "a note" {
				t.Errorf("read: %+v, %v", read, err)
			}
		})
	}
}
