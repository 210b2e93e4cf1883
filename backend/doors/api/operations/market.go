package operations

import (
	"context"
	"net/http"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/preview"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Market holds the operations that find servers of the marketplace and install them.
type Market struct {
	Market  *marketplace.Marketplace
	Preview func(ctx context.Context, s registry.Server) (preview.Preview, error)
}

// Routes adds the operations with their handlers to a route table.
func (m *Market) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/market/search", "Search all sources of servers"), m.search)
	route.Add(g, route.Get("/api/market/start", "List well-known servers and all categories; this works without network access"), m.start)
	route.Add(g, route.Get("/api/market/details", "Retrieve a server of the marketplace with its README").MayMiss(), m.details)
	route.Add(g, route.Post("/api/market/plan", "Make the plan of an installation; nothing is downloaded").MayMiss(), m.plan)
	route.Add(g, route.Post("/api/market/download", "Describe what npx or uvx would download").MayMiss(), m.download)
	route.Add(g,
		route.Post("/api/market/prepare",
			"Download the bundle or the container image that the hub must read before it can complete the plan").MayMiss().Accepts(), m.prepare)
	route.Add(g, route.Post("/api/market/install", "Install a server according to its plan").MayMiss().Accepts(), m.install)
}

type marketSearchInput struct {
	Query    string `query:"query"`
	Source   string `query:"source" enum:"official,npm,pypi" doc:"Only servers of this source."`
	Runtime  string `query:"runtime" enum:"npm,pypi,oci,nuget,mcpb,cargo,remote" doc:"Only servers that can be run in this way."`
	Category string `query:"category" doc:"Only servers of this category; see /api/market/start."`
	Limit    int    `query:"limit" minimum:"0" maximum:"100" doc:"Largest number of results; 30 by default."`
	WaitMS   int    `query:"wait_ms" minimum:"0" maximum:"20000" doc:"Maximum time to wait for results, in milliseconds. The response contains the results found so far; if its member done is false, send the same request again. By default, the hub waits until all sources have answered, for at most 15 seconds."`
}

func (m *Market) search(ctx context.Context, in *marketSearchInput) (*route.Reply[federation.Answer], error) {
	answer, err := m.Market.Search(ctx, federation.Query{
		Text: in.Query, Source: in.Source, Runtime: in.Runtime, Category: in.Category, Limit: in.Limit,
		Within: time.Duration(in.WaitMS) * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	return route.OK(answer)
}

func (m *Market) start(ctx context.Context, _ *struct{}) (*route.Reply[marketplace.Start], error) {
	return route.OK(m.Market.Start(ctx))
}

type marketDetailsInput struct {
	ID      string `query:"id" required:"true" doc:"Identifier of the listing: SOURCE:NAME."`
	Version string `query:"version" doc:"Version of the listing; the latest one by default."`
}

// MarketDetails are the API's view of a server of the marketplace.
type MarketDetails struct {
	federation.Details
	Options []plan.Option `json:"options" nullable:"false" doc:"Ways to run the server, the preferred one first. Empty if there is none; see problem."`
	Problem string        `json:"problem,omitempty" doc:"Why the server cannot be installed."`
	Servers []int64       `json:"servers" nullable:"false" doc:"Identifiers of the configured servers that were installed from this listing or from a listing of the same server in another source."`
}

func (m *Market) details(ctx context.Context, in *marketDetailsInput) (*route.Reply[MarketDetails], error) {
	details, err := m.Market.Details(ctx, in.ID, in.Version)
	if err != nil {
		return nil, err
	}
	out := MarketDetails{Details: details, Options: []plan.Option{}, Servers: m.Market.Servers(ctx, details.IDs)}
	switch p, err := m.Market.Plan(ctx, marketplace.Choice{ID: in.ID, Version: in.Version}); {
	case err != nil:
		out.Problem = fault.MessageOf(err)
	default:
		out.Options = p.Options
	}
	return route.OK(out)
}

type choiceInput struct {
	route.Object[marketplace.Choice]
}

func (m *Market) plan(ctx context.Context, in *choiceInput) (*route.Reply[plan.Plan], error) {
	choice, err := in.Decode()
	if err != nil {
		return nil, err
	}
	p, err := m.Market.Plan(ctx, choice)
	if err != nil {
		return nil, err
	}
	return route.OK(*p)
}

func (m *Market) download(ctx context.Context, in *choiceInput) (*route.Reply[Download], error) {
	choice, err := in.Decode()
	if err != nil {
		return nil, err
	}
	p, err := m.Market.Plan(ctx, choice)
	if err != nil {
		return nil, err
	}
	s := registry.Server{Name: p.Name, Env: p.Env}.Guarded() // p.Server is empty while answers are missing
	if len(p.Command) > 0 {
		s.Transport, s.Command, s.Args = "stdio", p.Command[0], p.Command[1:]
	}
	return downloadReply(m.Preview(ctx, s))
}

func (m *Market) prepare(ctx context.Context, in *choiceInput) (*route.Reply[installer.Progress], error) {
	choice, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return accepted(m.Market.Prepare(ctx, choice))
}

type installFields struct {
	Request marketplace.Choice `json:"request" doc:"Server to install, with the answers to its questions."`
	Hash    string             `json:"hash" doc:"The hash of the plan that the person has reviewed. The installation fails if the plan has changed since."`
}

type marketInstallInput struct{ route.Object[installFields] }

func (m *Market) install(ctx context.Context, in *marketInstallInput) (*route.Reply[installer.Progress], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Hash == "" {
		return nil, fault.New(fault.Invalid, "hash is required: send the hash of the plan that was reviewed")
	}
	return accepted(m.Market.Install(ctx, body.Request, installer.Order{Hash: body.Hash, Unseen: !guard.ByPerson(ctx)}))
}

// accepted returns the response to a request that has started a job.
func accepted(p installer.Progress, err error) (*route.Reply[installer.Progress], error) {
	if err != nil {
		return nil, err
	}
	return &route.Reply[installer.Progress]{Status: http.StatusAccepted, Body: p}, nil
}
