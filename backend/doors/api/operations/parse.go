package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// Parse holds the operations that check a configuration before its servers are added. They change nothing, and log no
// part of a request, because configurations contain credentials.
type Parse struct {
	Importer *importer.Importer
}

// Routes adds the operations with their handlers to a route table.
func (p *Parse) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Post("/api/servers/parse",
		"Parse server configurations in a text, including credentials, without adding the servers"), p.parse)
	route.Add(g, route.Post("/api/servers/names", "Check whether new servers can have these names"), p.checkNames)
}

type parseFields struct {
	Text *string `json:"text" nullable:"false" doc:"Configuration of any MCP client, a part of one, a command line, or a URL."`
}

type parseInput struct{ route.Object[parseFields] }

// parsedServers are the servers found in a text.
type parsedServers struct {
	Servers []importer.Parsed `json:"servers" nullable:"false"`
}

func (p *Parse) parse(ctx context.Context, in *parseInput) (*route.Reply[parsedServers], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Text == nil {
		return nil, fault.New(fault.Invalid, "text is required: a configuration, a command line or a URL")
	}
	servers, err := p.Importer.Parse(ctx, *body.Text)
	if err != nil {
		return nil, err
	}
	return route.OK(parsedServers{servers})
}

type namesFields struct {
	Names []string `json:"names" doc:"Proposed names."`
}

type namesInput struct{ route.Object[namesFields] }

// nameProblems reports which proposed names cannot be used.
type nameProblems struct {
	Problems []string `json:"problems" nullable:"false" doc:"For each name, in the order of the request, why no new server can have the name; empty if a new server can have it."`
}

func (p *Parse) checkNames(_ context.Context, in *namesInput) (*route.Reply[nameProblems], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return route.OK(nameProblems{p.Importer.CheckNames(body.Names)})
}
