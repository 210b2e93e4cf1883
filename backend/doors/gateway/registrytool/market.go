package registrytool

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
)

// Market lets an agent search the marketplace and propose servers from it. The results are sent as JSON.
type Market interface {
	Browse(ctx context.Context, q MarketQuery) (any, error)
	Propose(ctx context.Context, p MarketProposal) (any, error)
}

// MarketQuery is an agent's search of the marketplace. All fields may be empty.
type MarketQuery struct {
	Text, Source, Cursor string
	Limit                int
}

// MarketProposal is a server of the marketplace that an agent wants to install.
type MarketProposal struct {
	Source string // official, npm or pypi; anything else, such as registry, means all sources
	Name   string // name in the source, or SOURCE:NAME
	Server string // name for the server; if empty, it is made from Name
	Inputs map[string][]string
	Client string // describes the agent's client to the person who reviews the proposal
}

// errNoMarket is the error of a hub without a marketplace.
var errNoMarket = fault.New(fault.Unavailable, "there is no marketplace here; install takes name, command and args by hand")

func (t *Tool) browse(ctx context.Context, args arguments.Arguments) (any, error) {
	if t.market == nil {
		return nil, errNoMarket
	}
	return t.market.Browse(ctx, MarketQuery{Text: args.Query, Source: args.Source, Cursor: args.Cursor, Limit: int(args.Limit)})
}

// installListed serves the action install for a server of the marketplace.
func (t *Tool) installListed(ctx context.Context, args arguments.Arguments) (any, error) {
	if t.market == nil {
		return nil, errNoMarket
	}
	return t.market.Propose(ctx, MarketProposal{
		Source: args.Source, Name: args.Name, Server: args.Server, Inputs: args.Inputs, Client: t.proposer(),
	})
}
