package resources

import (
	"context"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Marketplace holds the operations of the original product's marketplace. There is no marketplace yet, so they find
// nothing.
type Marketplace struct{}

// Routes declares the operations.
func (m *Marketplace) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/browse", "List published servers; always empty, as there is no marketplace yet"), m.browse)
	route.Add(g, route.Get("/api/npm-check", "Check whether an npm package exists; always fails, as there is no marketplace yet").MayMiss(), m.npmCheck)
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

func (m *Marketplace) browse(context.Context, *browseInput) (*route.Reply[browseReply], error) {
	return route.OK(browseReply{Servers: []struct{}{}})
}

type npmInput struct {
	Package string `query:"package" doc:"Name of the package."`
}

type npmReply struct {
	Exists bool `json:"exists"`
}

func (m *Marketplace) npmCheck(_ context.Context, in *npmInput) (*route.Reply[npmReply], error) {
	if in.Package == "" {
		return nil, route.BadRequest("package query parameter is required")
	}
	return nil, route.Fail(http.StatusNotFound, "not available yet: there is no marketplace to look up packages in")
}
