// Package proposals offers the marketplace to agents: they search it, and propose servers to install. Missing inputs
// are never guessed: the agent gets a list of them. Agents are never asked for secrets, which would pass through a
// model; a person enters them. Unless the setting agents.install is allow, a proposed server waits for approval by a
// person, and nothing of it runs before.
package proposals

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Market finds and installs servers.
type Market interface {
	Search(ctx context.Context, q federation.Query) (federation.Answer, error)
	// Results returns a page of a search.
	Results(ctx context.Context, q federation.Query, cursor string) (page federation.Answer, next string, err error)
	// Page returns a page of the official registry. Call it only if HasRegistry returns true.
	Page(ctx context.Context, text, cursor string, limit int) (marketplace.Page, error)
	HasRegistry() bool
	Plan(ctx context.Context, c marketplace.Choice) (*plan.Plan, error)
	Prepare(ctx context.Context, c marketplace.Choice) (installer.Progress, error)
	Install(ctx context.Context, c marketplace.Choice, o installer.Order) (installer.Progress, error)
	Wait(ctx context.Context, id string) (installer.Result, error)
}

// Registry looks up configured servers.
type Registry interface {
	Get(name string) (registry.Server, error)
}

// Options are the dependencies of Proposals.
type Options struct {
	Market   Market
	Registry Registry
	// Policy returns the setting agents.install: allow, ask or deny.
	Policy func() registry.Permission
	// Patience limits how long an agent waits for a download or an installation, which then continues in the
	// background. 0 means 40 seconds, because clients give up after a minute.
	Patience time.Duration
}

// Proposals handles the searches and proposals of agents. It is safe for concurrent use.
type Proposals struct{ options Options }

// New returns a Proposals with these options.
func New(o Options) *Proposals {
	o.Patience = cmp.Or(o.Patience, 40*time.Second)
	return &Proposals{o}
}
