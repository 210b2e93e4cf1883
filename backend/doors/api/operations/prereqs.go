package operations

import (
	"context"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/market/preview"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Prereqs holds the operations on programs, roots and packages that servers need.
type Prereqs struct {
	Registry  *registry.Registry
	Programs  *prerequisites.Checker
	Downloads interface {
		Fetch(ctx context.Context, server string) (pkg, skipped string, err error)
	}
	Preview func(ctx context.Context, s registry.Server) (preview.Preview, error)
	Roots   []string // URIs of the MCP roots that servers get
}

// Routes adds the operations with their handlers to a route table.
func (p *Prereqs) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/api/prereqs", "List the programs that servers need, and whether each is installed"), p.prereqs)
	route.Add(g, route.Get("/api/roots", "List the MCP roots that servers get"), p.roots)
	route.Add(g, route.Get("/api/servers/{id}/download", "Describe what npx or uvx would download").In("servers"), p.preview)
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

// Download describes what npx or uvx would download to start a server.
type Download struct {
	Status   string            `json:"status" enum:"nothing,found,unknown" doc:"nothing (npx and uvx download nothing for this server), found (the packages are known) or unknown (warnings say why the packages are not known)."`
	Facts    []string          `json:"facts" doc:"Facts about the packages, as sentences for people."`
	Warnings []string          `json:"warnings" doc:"Reasons for caution before approving the server, as sentences, worst first."`
	Packages []DownloadPackage `json:"packages" doc:"The packages: first those that the command line names, then the others."`
	Omitted  int               `json:"omitted" doc:"How many packages are left out of packages, because there are too many."`
}

// DownloadPackage is a package that npx or uvx would download.
type DownloadPackage struct {
	Name      string   `json:"name" doc:"The name under which other packages look for it."`
	Package   string   `json:"package,omitempty" doc:"Its name in the package registry, if that is another one."`
	Version   string   `json:"version"`
	From      string   `json:"from,omitempty" doc:"The source of the package, unless it is a package registry."`
	Scripts   bool     `json:"scripts" doc:"It runs scripts when it is installed."`
	Commands  []string `json:"commands,omitempty" doc:"These scripts, if they are known."`
	Published string   `json:"published_at,omitempty" doc:"When this version was published, if that is known."`
}

func (p *Prereqs) preview(ctx context.Context, in *ServerInput) (*route.Reply[Download], error) {
	v, err := lookup(p.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	return downloadReply(p.Preview(ctx, v))
}

// downloadReply returns the reply that describes a download.
func downloadReply(found preview.Preview, err error) (*route.Reply[Download], error) {
	if err != nil {
		return nil, err
	}
	out := Download{
		Status: found.Status, Facts: orEmpty(found.Facts), Warnings: orEmpty(found.Warnings), Packages: []DownloadPackage{},
		Omitted: found.Omitted,
	}
	for _, one := range found.Packages {
		shown := DownloadPackage{
			Name: one.Name, Package: one.Package, Version: one.Version, From: one.From, Scripts: one.Scripts, Commands: one.Commands,
		}
		if !one.Published.IsZero() {
			shown.Published = Timestamp(one.Published)
		}
		out.Packages = append(out.Packages, shown)
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
