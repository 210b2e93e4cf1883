package proposals

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
)

// Found is the result of a search. It is small, because a model reads it.
type Found struct {
	Servers    []Server `json:"servers"`
	NextCursor *string  `json:"next_cursor"`       // of the next page; nil on the last one
	Missing    []string `json:"missing,omitempty"` // sources that did not answer, each with the reason
}

// Server is a server that was found.
type Server struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Version     string    `json:"version"`
	Repository  *string   `json:"repository"`
	Packages    []Package `json:"packages"`
	Installed   bool      `json:"installed,omitempty"`
	Deprecated  bool      `json:"deprecated,omitempty"`
}

// Package is a way to run a server.
type Package struct {
	Name    string `json:"name"`
	Runtime string `json:"runtime"`
	Version string `json:"version"`
}

const (
	standardLimit  = 10
	maxLimit       = 50
	maxDescription = 160
	// searchWait limits the wait for slow sources once one source has found something.
	searchWait = 3 * time.Second
)

// Query is a search by an agent.
type Query struct {
	Text   string // empty to list the official registry
	Source string // official, npm or pypi; anything else means all
	Cursor string // cursor of the next page
	Limit  int    // maximum number of servers; 0 means standardLimit
}

// Browse searches all sources, or lists the official registry page by page.
func (p *Proposals) Browse(ctx context.Context, q Query) (Found, error) {
	if q.Limit <= 0 {
		q.Limit = standardLimit
	}
	var failure error // why the official registry has returned no page
	if q.Limit = min(q.Limit, maxLimit); !marketplace.OfSearch(q.Cursor) &&
		(q.Cursor != "" || q.Text == "" && q.Source == "" && p.options.Market.HasRegistry()) {
		found, err := p.page(ctx, q)
		if err == nil || q.Cursor != "" {
			return found, err
		}
		failure = err
	} // without the registry, the other sources may still answer
	if !isSource(q.Source) {
		q.Source = "" // for example registry, which means all sources in the original product
	}
	search := federation.Query{Text: q.Text, Source: q.Source, Limit: q.Limit, Wait: searchWait}
	answer, next, err := p.options.Market.Results(ctx, search, q.Cursor)
	if err != nil {
		return Found{}, err
	}
	out := Found{Servers: []Server{}}
	if next != "" {
		out.NextCursor = &next
	}
	for i := range answer.Results {
		found := serverOf(&answer.Results[i].Listing)
		found.Installed = answer.Results[i].Installed
		out.Servers = append(out.Servers, found)
	}
	for _, s := range answer.Sources {
		if s.Source == listing.Official && failure != nil {
			s.Problem = fault.MessageOf(failure)
		}
		if s.Problem != "" {
			out.Missing = append(out.Missing, s.Source+": "+line(s.Problem, maxDescription))
		}
	}
	return out, nil
}

// page returns a page of the official registry.
func (p *Proposals) page(ctx context.Context, q Query) (Found, error) {
	page, err := p.options.Market.Page(ctx, q.Text, q.Cursor, q.Limit)
	if err != nil {
		return Found{}, err
	}
	out := Found{Servers: []Server{}}
	for i := range page.Listings {
		out.Servers = append(out.Servers, serverOf(&page.Listings[i]))
	}
	if page.Next != "" {
		out.NextCursor = &page.Next
	}
	return out, nil
}

func isSource(name string) bool {
	return slices.Contains([]string{listing.Official, listing.NPM, listing.PyPI}, name)
}

func serverOf(r *listing.Listing) Server {
	s := Server{
		ID: line(r.ID(), 300), Name: line(r.Name, 300), Description: line(r.Description, maxDescription), Version: line(r.Version, 100),
		Packages: []Package{}, Deprecated: r.Status == listing.Deprecated,
	}
	if r.Repository != "" {
		address := line(r.Repository, 300)
		s.Repository = &address
	}
	for _, own := range r.Packages {
		s.Packages = append(s.Packages, Package{line(own.Identifier, 300), own.Kind.Runtime(), line(own.Version, 100)})
	}
	for _, remote := range r.Remotes {
		s.Packages = append(s.Packages, Package{s.Name, line(remote.Type, 40), s.Version})
	}
	return s
}

// line returns a foreign text on one line of at most n characters, without hidden characters.
func line(text string, n int) string { return safetext.Clip(safetext.Label(text), n) }
