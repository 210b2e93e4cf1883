// Package proposals is the marketplace for agents: they search it, and propose servers to install. Inputs
// are never guessed: an agent gets the list of the missing ones. Agents are never asked for secrets, because these would pass
// through a model; a person enters them. Unless the settings say otherwise, a proposed server waits until a person has
// approved it, and until then nothing of it is run.
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
	// Page returns a page of the official registry, which is possible if HasRegistry returns true.
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
	Policy func() string
	// Patience is how long an agent waits for a download or an installation, which then goes on without it; 0 means 40
	// seconds, because clients give up after a minute.
	Patience time.Duration
}

// Proposals answers agents. It is safe for concurrent use.
type Proposals struct{ options Options }

// New returns proposals.
func New(o Options) *Proposals {
	o.Patience = cmp.Or(o.Patience, 40*time.Second)
	return &Proposals{o}
}
