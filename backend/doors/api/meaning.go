package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// SearchStatus is how far tools are found by their meaning.
type SearchStatus struct {
	Provider string `json:"provider" enum:"builtin,none,local,openai" doc:"who makes vectors; with none, tools are found by their words alone"`
	Model    string `json:"model" doc:"empty with none"`
	Tools    int    `json:"tools" doc:"that are known"`
	Ready    int    `json:"ready" doc:"of them that can be found by their meaning"`
	Working  bool   `json:"working" doc:"vectors are being made"`
	Problem  string `json:"problem" doc:"why tools are found by their words alone just now, and what to do; empty when all is well"`
}

func (s *server) meaningRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/search/status", "How far tools are found by their meaning, and by which model", s.searchStatus)
}

func (s *server) searchStatus(context.Context, *struct{}) (*reply[SearchStatus], error) {
	now := s.Meaning.Status()
	return ok(SearchStatus{
		Provider: now.Provider, Model: now.Model, Tools: now.Tools, Ready: now.Ready, Working: now.Working, Problem: now.Problem,
	})
}
