package resources

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

// Context is the operation that reports how many tokens tools take in the contexts of models.
type Context struct {
	Use func(context.Context) (gateway.ContextUse, error)
}

// Routes declares the operation.
func (c *Context) Routes(t *route.Table) {
	route.Add(t.Group("tools"), route.Get("/api/context", "Retrieve what tools cost in each client's context, and what is saved"), c.get)
}

// ContextCost is how many tokens the definitions of tools take in the contexts of models.
type ContextCost struct {
	Tools       int             `json:"tools" doc:"Number of known tools of approved servers."`
	WholeTokens int             `json:"whole_tokens" doc:"Tokens of all these tools."`
	EntryTokens int             `json:"entry_tokens" doc:"Tokens of the hub's own tool."`
	Clients     []ClientContext `json:"clients" nullable:"false" doc:"Clients, last seen first."`
}

// ClientContext is how many tokens the definitions of tools take in the context of one MCP client.
type ClientContext struct {
	Name         string `json:"name" doc:"Name that the client gave itself, unchecked, at most 100 characters."`
	Version      string `json:"version"`
	Connected    bool   `json:"connected"`
	FirstSeen    string `json:"first_seen" doc:"RFC 3339."`
	LastSeen     string `json:"last_seen" doc:"RFC 3339; the present for a connected client."`
	ListedTokens int    `json:"listed_tokens" doc:"Tokens of the tools in the client's list: the hub's own, those of active servers, and those the client found."`
	WholeTokens  int    `json:"whole_tokens" doc:"Tokens of the client's list if all servers were configured in the client directly."`
	SavedTokens  int    `json:"saved_tokens" doc:"The difference. It is negative when all servers together cost less than the hub's own tool."`
}

func (c *Context) get(ctx context.Context, _ *struct{}) (*route.Reply[ContextCost], error) {
	use, err := c.Use(ctx)
	if err != nil {
		return nil, err
	}
	out := ContextCost{Tools: use.Tools, WholeTokens: use.Whole, EntryTokens: use.Entry, Clients: make([]ClientContext, len(use.Clients))}
	for i, c := range use.Clients {
		out.Clients[i] = ClientContext{
			Name: c.Name, Version: c.Version, Connected: c.Connected, FirstSeen: rfc3339(c.First), LastSeen: rfc3339(c.Last),
			ListedTokens: c.Listed, WholeTokens: c.Whole, SavedTokens: c.Whole - c.Listed,
		}
	}
	return route.OK(out)
}
