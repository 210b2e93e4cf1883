package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/prefetch"
)

type roots struct {
	Roots []root `json:"roots"`
}

type root struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// warmed is what became of a download.
type warmed struct {
	Status  string `json:"status"` // downloaded, skipped or failed
	Package string `json:"package,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (s *server) prereqRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/prereqs", "Programs that servers are started with", s.prereqs)
	route(api, http.MethodGet, "/api/roots", "Roots that shared servers are told", s.roots)
	route(api, http.MethodPost, "/api/servers/{id}/preinstall", "Download what npx or uvx will run", s.preinstall)
}

func (s *server) prereqs(ctx context.Context, _ *struct{}) (*reply[prefetch.Prereqs], error) {
	return ok(s.Prefetcher.Prereqs(ctx))
}

func (s *server) roots(context.Context, *struct{}) (*reply[roots], error) {
	out := roots{Roots: []root{}}
	for _, uri := range s.Roots {
		out.Roots = append(out.Roots, root{URI: uri, Name: uri})
	}
	return ok(out)
}

func (s *server) preinstall(ctx context.Context, in *serverInput) (*reply[warmed], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	pkg, skipped, err := s.Prefetcher.Fetch(ctx, v.Name)
	switch {
	case fault.KindOf(err) == fault.Denied:
		return nil, err
	case err != nil:
		return &reply[warmed]{Status: http.StatusInternalServerError, Body: warmed{Status: "failed", Error: fault.MessageOf(err)}}, nil
	case skipped != "":
		return ok(warmed{Status: "skipped", Reason: skipped})
	}
	return ok(warmed{Status: "downloaded", Package: pkg})
}
