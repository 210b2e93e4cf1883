package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// MarketUpdates holds the operations on the versions of servers that were installed from the marketplace.
type MarketUpdates struct {
	Updates *updates.Updates
	Policy  func() registry.Permission // what agents may install without a person
}

// Routes adds the operations with their handlers to a route table.
func (m *MarketUpdates) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/market/updates",
		"List installed servers with the current and newest versions that the last check found"), m.list)
	route.Add(g, route.Post("/api/market/updates/check", "Check now which installed servers have a newer version"), m.check)
	route.Add(g, route.Get("/api/market/updates/{server}",
		"Retrieve the last comparison of a server's current version with its newest one"),
		m.comparison)
	route.Add(g, route.Post("/api/market/updates/{server}/compare",
		"Run the newest version of a server beside the current one, and compare their tools").Accepts(), m.compare)
	route.Add(g, route.Post("/api/market/updates/{server}/apply", "Update a server to its newest version").Accepts(), m.apply)
	route.Add(g, route.Post("/api/market/updates/{server}/rollback", "Return a server to its previous version").Accepts(), m.rollback)
}

// MarketUpdateList is the list of installed servers.
type MarketUpdateList struct {
	Servers []updates.Server `json:"servers" nullable:"false" doc:"The installed servers, sorted by name."`
}

func (m *MarketUpdates) list(ctx context.Context, _ *struct{}) (*route.Reply[MarketUpdateList], error) {
	all, err := m.Updates.List(ctx)
	if err != nil {
		return nil, err
	}
	return route.OK(MarketUpdateList{all})
}

func (m *MarketUpdates) check(ctx context.Context, _ *struct{}) (*route.Reply[MarketUpdateList], error) {
	all, err := m.Updates.Check(ctx)
	if err != nil {
		return nil, err
	}
	return route.OK(MarketUpdateList{all})
}

// UpdateInput is the input of an operation on an installed server. It is exported because huma ignores embedded
// structs of unexported types.
type UpdateInput struct {
	Server string `path:"server" doc:"Name of the server."`
}

func (m *MarketUpdates) comparison(_ context.Context, in *UpdateInput) (*route.Reply[updates.Comparison], error) {
	c, err := m.Updates.Comparison(in.Server)
	if err != nil {
		return nil, err
	}
	return route.OK(c)
}

type compareFields struct {
	Answers map[string][]string `json:"answers,omitempty" doc:"Answers to the inputs that only the newest version asks for."`
	Hash    string              `json:"hash,omitempty" doc:"The hash of the comparison that the person has reviewed. Without this hash, the newest version is not run if it is started in another way than the current one, so the tools are not compared."`
	Replay  bool                `json:"replay,omitempty" doc:"Whether to repeat recorded calls with the newest version. Unless tools names others, only tools that both versions declare to be read-only are called."`
	Tools   []string            `json:"tools,omitempty" doc:"Names of further tools whose recorded calls are repeated although not both versions declare them to be read-only. Only a person may send these names."`
	Limit   int                 `json:"limit,omitempty" doc:"Largest number of calls to repeat; 20 by default, at most 200."`
}

type compareInput struct {
	UpdateInput
	route.Object[compareFields]
}

func (m *MarketUpdates) compare(ctx context.Context, in *compareInput) (*route.Reply[installer.Progress], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := m.mayRun(ctx); err != nil {
		return nil, err
	}
	if len(body.Tools) > 0 {
		if err := guard.RequirePerson(ctx,
			"only a person may choose tools that change something: use the window, the dashboard, or agent-discover in a terminal"); err != nil {
			return nil, err
		}
	}
	o := updates.CompareOrder{Answers: body.Answers, Hash: body.Hash}
	if body.Replay || len(body.Tools) > 0 {
		o.Replay = &updates.ReplayOrder{Tools: body.Tools, Limit: body.Limit}
	}
	return accepted(m.Updates.Compare(ctx, in.Server, o))
}

type applyFields struct {
	Hash    string              `json:"hash" doc:"The hash of the comparison that the person has reviewed. If the comparison would have another hash now, the server is not updated."`
	Answers map[string][]string `json:"answers,omitempty" doc:"Answers to the inputs that only the newest version asks for. By default, the answers given when the comparison with this hash was made, which are kept for an hour."`
}

type applyUpdateInput struct {
	UpdateInput
	route.Object[applyFields]
}

func (m *MarketUpdates) apply(ctx context.Context, in *applyUpdateInput) (*route.Reply[installer.Progress], error) {
	body, err := in.Decode()
	switch {
	case err != nil:
		return nil, err
	case body.Hash == "":
		return nil, fault.New(fault.Invalid, "hash is required: send the hash of the comparison that was reviewed")
	}
	if err := m.mayRun(ctx); err != nil {
		return nil, err
	}
	return accepted(m.Updates.Apply(ctx, in.Server, updates.ApplyOrder{Hash: body.Hash, Answers: body.Answers}))
}

func (m *MarketUpdates) rollback(ctx context.Context, in *UpdateInput) (*route.Reply[installer.Progress], error) {
	if err := m.mayRun(ctx); err != nil {
		return nil, err
	}
	return accepted(m.Updates.Rollback(ctx, in.Server))
}

// mayRun returns an error if the sender of a request is not allowed to run another version of a server.
func (m *MarketUpdates) mayRun(ctx context.Context) error {
	if guard.ByPerson(ctx) || m.Policy().Alone() {
		return nil
	}
	return fault.New(fault.Denied,
		"only a person may run another version of a server: use the window, the dashboard, or agent-discover in a terminal")
}
