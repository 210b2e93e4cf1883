package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// ContextCost is what tools cost in models' contexts, in tokens of their
// definitions.
type ContextCost struct {
	Tools       int             `json:"tools" doc:"that a client could have: all that are known of approved servers"`
	WholeTokens int             `json:"whole_tokens" doc:"what all of them cost"`
	EntryTokens int             `json:"entry_tokens" doc:"what the hub's own tool costs"`
	Clients     []ClientContext `json:"clients" nullable:"false" doc:"the last seen first"`
}

// ClientContext is what tools cost one MCP client.
type ClientContext struct {
	Name         string `json:"name" doc:"that the client gave itself, at most 100 characters; anything may be in it"`
	Version      string `json:"version"`
	Connected    bool   `json:"connected"`
	FirstSeen    string `json:"first_seen" doc:"RFC 3339"`
	LastSeen     string `json:"last_seen" doc:"RFC 3339; now while it is connected"`
	ListedTokens int    `json:"listed_tokens" doc:"what the tools in its list cost, the hub's own with them: active servers' tools and those that it found"`
	WholeTokens  int    `json:"whole_tokens" doc:"what it would cost to have all servers directly"`
	SavedTokens  int    `json:"saved_tokens" doc:"the difference; negative where all servers together cost less than the hub's own tool"`
}

func (s *server) contextRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/context", "What tools cost in each client's context, and what is saved", s.contextCost)
}

func (s *server) contextCost(ctx context.Context, _ *struct{}) (*reply[ContextCost], error) {
	use, err := s.Gateway.Context(ctx)
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
	return ok(out)
}
