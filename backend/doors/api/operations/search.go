package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Search holds the operation that reports whether tools can be found by their meaning.
type Search struct {
	Status func() embedding.Status
}

// Routes adds the operation with its handler to a route table.
func (s *Search) Routes(t *route.Table) {
	route.Add(t.Group("tools"), route.Get("/api/search/status", "Retrieve the status of the search by meaning"), s.get)
}

// SearchStatus is the API's view of an embedding.Status.
type SearchStatus struct {
	Provider string `json:"provider" enum:"builtin,none,local,openai" doc:"Provider of embedding vectors. With none, tools are found only by their words."`
	Model    string `json:"model" doc:"The embedding model; empty when provider is none."`
	Tools    int    `json:"tools" doc:"Number of known tools."`
	Ready    int    `json:"ready" doc:"Number of tools that have an embedding vector and can be found by their meaning."`
	Working  bool   `json:"working" doc:"Whether vectors are being computed now."`
	Problem  string `json:"problem" doc:"Why tools can currently be found only by their words, and the remedy; empty if there is no problem."`
}

func (s *Search) get(context.Context, *struct{}) (*route.Reply[SearchStatus], error) {
	now := s.Status()
	return route.OK(SearchStatus{
		Provider: now.Provider, Model: now.Model, Tools: now.Tools, Ready: now.Ready, Working: now.Working, Problem: now.Problem,
	})
}
