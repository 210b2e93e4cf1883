package operations

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// MarketJobs holds the operations on installations that run or have ended, and on the programs that servers need.
type MarketJobs struct {
	Installer *installer.Installer
	Programs  *prerequisites.Checker
}

// Routes adds the operations with their handlers to a route table.
func (m *MarketJobs) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/market/jobs", "List running installations and the last ones that have ended"), m.list)
	route.Add(g, route.Get("/api/market/jobs/{id}", "Retrieve the progress of an installation"), m.get)
	route.Add(g, route.Get("/api/market/jobs/{id}/lines",
		"List the last lines that the programs of an installation have printed"), m.lines)
	route.Add(g, route.Post("/api/market/jobs/{id}/cancel", "Cancel an installation and undo its changes"), m.cancel)
	route.Add(g, route.Get("/api/market/programs", "List the programs that servers need, with the commands that install missing ones"),
		m.programs)
	route.Add(g, route.Post("/api/market/programs/{name}/install",
		"Install a program that servers need, with the package manager of this machine").Accepts(), m.installProgram)
}

// MarketJobList is the list of installations.
type MarketJobList struct {
	Jobs []installer.Progress `json:"jobs" nullable:"false" doc:"The installations, newest first."`
}

func (m *MarketJobs) list(context.Context, *struct{}) (*route.Reply[MarketJobList], error) {
	return route.OK(MarketJobList{m.Installer.Jobs()})
}

type jobInput struct {
	ID string `path:"id"`
}

func (m *MarketJobs) get(_ context.Context, in *jobInput) (*route.Reply[installer.Progress], error) {
	all := m.Installer.Jobs()
	i := slices.IndexFunc(all, func(p installer.Progress) bool { return p.ID == in.ID })
	if i < 0 {
		_, err := m.Installer.Lines(in.ID)
		return nil, err
	}
	return route.OK(all[i])
}

// MarketLines are the lines that the programs of an installation have printed.
type MarketLines struct {
	Lines []string `json:"lines" nullable:"false" doc:"The last lines of output, at most 1,000."`
}

func (m *MarketJobs) lines(_ context.Context, in *jobInput) (*route.Reply[MarketLines], error) {
	lines, err := m.Installer.Lines(in.ID)
	if err != nil {
		return nil, err
	}
	return route.OK(MarketLines{append([]string{}, lines...)})
}

func (m *MarketJobs) cancel(_ context.Context, in *jobInput) (*route.Reply[map[string]string], error) {
	if err := m.Installer.Cancel(in.ID); err != nil {
		return nil, err
	}
	return statusOnly("cancelling")
}

func (m *MarketJobs) programs(ctx context.Context, _ *struct{}) (*route.Reply[prerequisites.Report], error) {
	return route.OK(m.Programs.Check(ctx))
}

type programInput struct {
	Name string `path:"name" enum:"node,npx,uv,uvx,python,docker,podman,dotnet,dnx,cargo"`
}

func (m *MarketJobs) installProgram(ctx context.Context, in *programInput) (*route.Reply[installer.Progress], error) {
	if err := guard.RequirePerson(ctx,
		"only a person may install programs: use the window, the dashboard, or agent-discover in a terminal"); err != nil {
		return nil, err
	}
	return accepted(m.Installer.InstallProgram(in.Name))
}
