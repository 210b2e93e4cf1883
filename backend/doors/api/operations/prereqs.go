package operations

import (
	"context"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Prereqs holds the operations on programs, roots and packages that servers need.
type Prereqs struct {
	Registry  *registry.Registry
	Programs  *prerequisites.Checker
	Downloads interface {
		Fetch(ctx context.Context, server string) (pkg, skipped string, err error)
	}
	Roots []string // URIs of the MCP roots that servers get
}

// Routes adds the operations with their handlers to a route table.
func (p *Prereqs) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/api/prereqs", "List the programs that servers need, and whether each is installed"), p.prereqs)
	route.Add(g, route.Get("/api/roots", "List the MCP roots that servers get"), p.roots)
	route.Add(g, route.Post("/api/servers/{id}/preinstall", "Download the package that npx or uvx will run").In("servers"), p.preinstall)
}

func (p *Prereqs) prereqs(ctx context.Context, _ *struct{}) (*route.Reply[prerequisites.Prereqs], error) {
	return route.OK(p.Programs.Prereqs(ctx))
}

type roots struct {
	Roots []root `json:"roots"`
}

type root struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

func (p *Prereqs) roots(context.Context, *struct{}) (*route.Reply[roots], error) {
	out := roots{Roots: []root{}}
	for _, uri := range p.Roots {
		out.Roots = append(out.Roots, root{URI: uri, Name: uri})
	}
	return route.OK(out)
}

// warmed is the result of downloading a server's package.
type warmed struct {
	Status  string `json:"status" doc:"downloaded, skipped or failed."`
	Package string `json:"package,omitempty" doc:"The downloaded package."`
	Reason  string `json:"reason,omitempty" doc:"Why the download was skipped."`
	Error   string `json:"error,omitempty" doc:"Why the download failed."`
}

func (p *Prereqs) preinstall(ctx context.Context, in *ServerInput) (*route.Reply[warmed], error) {
	v, err := lookup(p.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	pkg, skipped, err := p.Downloads.Fetch(ctx, v.Name)
	switch {
	case err != nil && fault.KindOf(err).Status() == http.StatusInternalServerError: // npm or uv failed
		return &route.Reply[warmed]{
			Status: http.StatusInternalServerError, Body: warmed{Status: "failed", Error: fault.MessageOf(err)},
		}, nil
	case err != nil:
		return nil, err
	case skipped != "":
		return route.OK(warmed{Status: "skipped", Reason: skipped})
	}
	return route.OK(warmed{Status: "downloaded", Package: pkg})
}
