package oidctest

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// NewAccounts starts a resource that is an MCP server. Its tools whoami and write answer
// with the account of the caller; write needs the scope write.
func NewAccounts(t testing.TB, p *Provider) *Resource {
	s := NewResource(t, p)
	s.Next = mcp.NewStreamableHTTPHandler(accounts, &mcp.StreamableHTTPOptions{Stateless: true})
	return s
}

func accounts(r *http.Request) *mcp.Server {
	account := r.Header.Get("X-Account")
	server := mcp.NewServer(&mcp.Implementation{Name: "accounts", Version: "1"}, nil)
	for _, name := range []string{"whoami", "write"} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you are " + account}}}, nil
			})
	}
	return server
}
