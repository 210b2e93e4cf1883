package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// KnownTool is a tool with the server it belongs to.
type KnownTool struct {
	Server string `json:"server"`
	Tool
}

type toolsInput struct {
	Server string `query:"server"`
	Name   string `query:"name"`
}

func (s *server) toolRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/tools", "Known tools, of stopped servers too", s.tools)
}

func (s *server) tools(_ context.Context, in *toolsInput) (*reply[[]KnownTool], error) {
	out, ids := []KnownTool{}, make(map[string]int64)
	for _, v := range s.Registry.List() {
		ids[v.Name] = v.ID
	}
	for _, t := range s.Catalog.Snapshot().Tools {
		if (in.Server == "" || t.Server == in.Server) && (in.Name == "" || t.Name == in.Name) {
			out = append(out, KnownTool{t.Server, toolView(ids[t.Server], t)})
		}
	}
	return ok(out)
}
