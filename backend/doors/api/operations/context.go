package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

// Context holds the operation that reports how many tokens tools take in the contexts of models.
type Context struct {
	Use func(context.Context) (gateway.ContextUse, error)
}

// Routes adds the operation with its handler to a route table.
func (c *Context) Routes(t *route.Table) {
	route.Add(t.Group("tools"), route.Get("/api/context",
		"Retrieve how many tokens tools take in each client's context, and how many the hub saves"), c.get)
}

// ContextCost reports how many tokens the definitions of tools take in the contexts of models.
type ContextCost struct {
	Tools       int             `json:"tools" doc:"Number of known tools of approved servers."`
	WholeTokens int             `json:"whole_tokens" doc:"Number of tokens of the definitions of all known tools of approved servers, for a client that loads all definitions at the start."`
	EntryTokens int             `json:"entry_tokens" doc:"Number of tokens of the definition of the hub's own tool."`
	SavedTokens int             `json:"saved_tokens" doc:"whole_tokens minus the tokens of the tools that every client lists."`
	Window      int             `json:"window" doc:"Size of a model's context window, in tokens. Each share is a fraction of it."`
	Servers     []ServerContext `json:"servers" nullable:"false" doc:"Approved servers with tools, sorted by name."`
	Clients     []ClientContext `json:"clients" nullable:"false" doc:"MCP clients, the most recently seen first."`
}

// ServerContext reports how many tokens the definitions of a server's tools take.
type ServerContext struct {
	Server    string  `json:"server"`
	Tools     int     `json:"tools" doc:"Number of tools."`
	Tokens    int     `json:"tokens" doc:"Number of tokens of the definitions of the tools."`
	Uncounted int     `json:"uncounted" doc:"Number of tools whose tokens are not counted yet."`
	Share     float64 `json:"share" doc:"tokens as a fraction of the member window of the response."`
}

// ClientContext reports how many tokens the definitions of tools take in the context of one MCP client.
type ClientContext struct {
	Name         string  `json:"name" doc:"Name that the client sent when it connected, at most 100 characters. It is not verified."`
	Version      string  `json:"version"`
	Connected    bool    `json:"connected"`
	FirstSeen    string  `json:"first_seen" doc:"When the client first connected, in RFC 3339."`
	LastSeen     string  `json:"last_seen" doc:"When the client was last connected, in RFC 3339; the current time for a connected client."`
	ListedTokens int     `json:"listed_tokens" doc:"Number of tokens of the tools in the client's list: the hub's own tool, tools of always listed servers, and tools that the client found."`
	WholeTokens  int     `json:"whole_tokens" doc:"Number of tokens that the definitions of all tools would take at the start of a conversation if all servers were configured in the client. If the client loads definitions only on demand, number of tokens of the tools' names."`
	Share        float64 `json:"share" doc:"listed_tokens as a fraction of the member window of the response."`
	SavedTokens  int     `json:"saved_tokens" doc:"whole_tokens minus listed_tokens. It is negative when the tools of all servers take fewer tokens than the client's list."`
}

func (c *Context) get(ctx context.Context, _ *struct{}) (*route.Reply[ContextCost], error) {
	use, err := c.Use(ctx)
	if err != nil {
		return nil, err
	}
	out := ContextCost{
		Tools: use.Tools, WholeTokens: use.Whole, EntryTokens: use.Entry, SavedTokens: tokens.Saved(use.Whole, use.Listed),
		Clients: make([]ClientContext, len(use.Clients)),
	}
	out.Window, out.Servers = tokens.Window, make([]ServerContext, len(use.Servers))
	for i, s := range use.Servers {
		out.Servers[i] = ServerContext{Server: s.Server, Tools: s.Tools, Tokens: s.Tokens, Uncounted: s.Uncounted, Share: s.Share}
	}
	for i, c := range use.Clients {
		out.Clients[i] = ClientContext{
			Name: c.Name, Version: c.Version, Connected: c.Connected, FirstSeen: rfc3339(c.First), LastSeen: rfc3339(c.Last),
			ListedTokens: c.Listed, WholeTokens: c.Whole, Share: tokens.Share(c.Listed), SavedTokens: tokens.Saved(c.Whole, c.Listed),
		}
	}
	return route.OK(out)
}
