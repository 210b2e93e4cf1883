package operations

import (
	"context"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
)

// Marketplace holds the operations of the original product's marketplace.
type Marketplace struct {
	Market *marketplace.Marketplace
}

// Routes adds the operations with their handlers to a route table.
func (m *Marketplace) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/browse",
		"List published servers: with a query, the servers of all sources that match it; without, pages of the official registry"), m.browse)
	route.Add(g, route.Get("/api/npm-check", "Check whether an npm package exists"), m.npmCheck)
}

type browseInput struct {
	Query  string `query:"query"`
	Limit  string `query:"limit" doc:"Largest number of servers, from 1 to 100; 20 by default."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page, for the same query."`
}

// PublishedServer is a server that a registry or package index offers, in the format of the original product.
type PublishedServer struct {
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Version     string             `json:"version"`
	Repository  *string            `json:"repository"`
	Packages    []PublishedPackage `json:"packages" nullable:"false"`
	ID          string             `json:"listing" doc:"Identifier of the server in /api/market/details."`
}

// PublishedPackage is a way to run or to reach a published server.
type PublishedPackage struct {
	Registry string  `json:"registry_name" doc:"npm, pypi, oci, nuget, mcpb or cargo; for a remote server, its transport."`
	Name     string  `json:"name"`
	Version  string  `json:"version"`
	Runtime  string  `json:"runtime" doc:"node, python, docker, dotnet, mcpb or cargo; for a remote server, its transport."`
	License  *string `json:"license"`
	URL      *string `json:"url"`
}

type browseReply struct {
	Servers    []PublishedServer `json:"servers" nullable:"false"`
	NextCursor *string           `json:"next_cursor"`
	Missing    []string          `json:"missing,omitempty" doc:"Sources that could not be searched, as SOURCE: REASON."`
}

const (
	standardPage = 20
	maxPage      = 100
)

func (m *Marketplace) browse(ctx context.Context, in *browseInput) (*route.Reply[browseReply], error) {
	limit, err := strconv.Atoi(in.Limit)
	if err != nil || limit < 1 {
		limit = standardPage
	}
	limit = min(limit, maxPage)
	if in.Cursor == "" && (in.Query != "" || !m.Market.HasRegistry()) || marketplace.OfSearch(in.Cursor) {
		return m.search(ctx, in, limit, nil)
	}
	page, err := m.Market.Page(ctx, in.Query, in.Cursor, limit)
	switch {
	case err != nil && in.Cursor == "": // the other sources may answer
		return m.search(ctx, in, limit, err)
	case err != nil:
		return nil, err
	}
	out := browseReply{Servers: []PublishedServer{}}
	for i := range page.Listings {
		out.Servers = append(out.Servers, newPublished(&page.Listings[i]))
	}
	out.NextCursor = optional(page.Next)
	return route.OK(out)
}

// searchWait limits how long a search waits for more sources after one has found something.
const searchWait = 5 * time.Second

// search searches all sources. failure is the error of an earlier request to the official registry, nil if there was
// none.
func (m *Marketplace) search(ctx context.Context, in *browseInput, limit int, failure error) (*route.Reply[browseReply], error) {
	answer, next, err := m.Market.Results(ctx, federation.Query{Text: in.Query, Limit: limit, Wait: searchWait}, in.Cursor)
	if err != nil {
		return nil, err
	}
	out := browseReply{Servers: []PublishedServer{}, NextCursor: optional(next)}
	for i := range answer.Results {
		out.Servers = append(out.Servers, newPublished(&answer.Results[i].Listing))
	}
	for _, s := range answer.Sources {
		if s.Source == listing.Official && failure != nil {
			s.Problem = fault.MessageOf(failure)
		}
		if s.Problem != "" {
			out.Missing = append(out.Missing, s.Source+": "+s.Problem)
		}
	}
	return route.OK(out)
}

func newPublished(l *listing.Listing) PublishedServer {
	out := PublishedServer{
		Name: l.Name, Description: l.Description, Version: l.Version, Repository: optional(l.Repository), Packages: []PublishedPackage{},
		ID: l.ID(),
	}
	license := optional(l.License)
	for _, p := range l.Packages {
		out.Packages = append(out.Packages, PublishedPackage{string(p.Kind), p.Identifier, p.Version, p.Kind.Runtime(), license, nil})
	}
	for _, r := range l.Remotes {
		out.Packages = append(out.Packages, PublishedPackage{r.Type, l.Name, l.Version, r.Type, license, optional(r.URL)})
	}
	return out
}

type npmInput struct {
	Package string `query:"package" doc:"Name of the package."`
}

type npmReply struct {
	Exists bool `json:"exists"`
}

func (m *Marketplace) npmCheck(ctx context.Context, in *npmInput) (*route.Reply[npmReply], error) {
	if in.Package == "" {
		return nil, route.BadRequest("package query parameter is required")
	}
	exists, err := m.Market.OnNPM(ctx, in.Package)
	if err != nil {
		return nil, err
	}
	return route.OK(npmReply{exists})
}
