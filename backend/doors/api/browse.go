package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// marketplaceRoutes answer for the marketplace, which is not there yet.
func (s *server) marketplaceRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/browse", "Servers that can be installed (none before the marketplace comes)", s.browse)
	route(api, http.MethodGet, "/api/npm-check", "Whether a package exists (not before the marketplace comes)", s.npmCheck)
}

type browseInput struct {
	Query  string `query:"query"`
	Limit  string `query:"limit"`
	Cursor string `query:"cursor"`
}

type browseReply struct {
	Servers    []struct{} `json:"servers"`
	NextCursor *string    `json:"next_cursor"`
}

func (s *server) browse(context.Context, *browseInput) (*reply[browseReply], error) {
	return ok(browseReply{Servers: []struct{}{}})
}

type npmInput struct {
	Package string `query:"package"`
}

type npmReply struct {
	Exists bool `json:"exists"`
}

func (s *server) npmCheck(_ context.Context, in *npmInput) (*reply[npmReply], error) {
	if in.Package == "" {
		return nil, badRequest("package query parameter is required")
	}
	return nil, huma.NewError(http.StatusNotFound,
		"not available yet: packages are looked up once there is a marketplace")
}
