package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
)

// Market finds and proposes servers of the marketplace for agents. Its results are sent as JSON.
type Market interface {
	Browse(ctx context.Context, q MarketQuery) (any, error)
	Propose(ctx context.Context, p MarketProposal) (any, error)
}

// MarketQuery is a search of an agent. Empty fields restrict nothing.
type MarketQuery struct {
	Text, Source, Cursor string
	Limit                int
}

// MarketProposal is a server of the marketplace that an agent wants to install.
type MarketProposal struct {
	Source string // registry for all sources
	Name   string // in the source, or with it: SOURCE:NAME
	Server string // name of the server; empty for one that is made from Name
	Inputs map[string][]string
	Client string // in which the agent runs, for the person who decides
}

// errNoMarket is the error of a gateway without a marketplace.
var errNoMarket = fault.New(fault.Unavailable, "there is no marketplace here; install takes name, command and args by hand")

// browse serves the action browse.
func (s *Session) browse(ctx context.Context, args arguments) (any, error) {
	if s.gateway.market == nil {
		return nil, errNoMarket
	}
	return s.gateway.market.Browse(ctx, MarketQuery{Text: args.Query, Source: args.Source, Cursor: args.Cursor, Limit: int(args.Limit)})
}

// installListed serves the action install for a server of the marketplace.
func (s *Session) installListed(ctx context.Context, args arguments) (any, error) {
	if s.gateway.market == nil {
		return nil, errNoMarket
	}
	return s.gateway.market.Propose(ctx, MarketProposal{
		Source: args.Source, Name: args.Name, Server: args.Server, Inputs: args.Inputs, Client: s.proposer(),
	})
}

// inputs are the values that a server of the marketplace needs. A value that is no array is one value.
type inputs map[string][]string

// UnmarshalJSON implements json.Unmarshaler.
func (in *inputs) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	*in = nil
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return err
	}
	*in = make(inputs, len(members))
	for name, value := range members {
		if value[0] != '[' {
			value = append(append(json.RawMessage("["), value...), ']')
		}
		var values loosejson.Strings
		if err := values.UnmarshalJSON(value); err != nil {
			return err
		}
		(*in)[name] = values
	}
	return nil
}
