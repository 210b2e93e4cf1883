package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// ParsedServers are the servers found in a text.
type ParsedServers struct {
	Servers []importer.Parsed `json:"servers" nullable:"false"`
}

// NameProblems are the answers to proposed server names.
type NameProblems struct {
	Problems []string `json:"problems" nullable:"false" doc:"one for each name, in the order of the request; empty for a name that a new server can have"`
}

type parseFields struct {
	_    struct{} `additionalProperties:"true"`
	Text string   `json:"text" doc:"a configuration of any client, a part of one, a command line, or a URL"`
}

type namesFields struct {
	_     struct{} `additionalProperties:"true"`
	Names []string `json:"names"`
}

// parseRoutes declares the operations that read a configuration before a server
// is added. They change nothing, and no part of a request is logged.
func (s *server) parseRoutes(api huma.API) {
	bodyRoute(api, http.MethodPost, "/api/servers/parse", "Read the servers in a text, with their credentials, without adding them", s.parseServers)
	bodyRoute(api, http.MethodPost, "/api/servers/names", "Check whether new servers can have these names", s.checkNames)
}

func (s *server) parseServers(ctx context.Context, in *bodyInput) (*reply[ParsedServers], error) {
	var body struct {
		Text *string `json:"text"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if body.Text == nil {
		return nil, fault.New(fault.Invalid, "text is required: a configuration, a command line or a URL")
	}
	servers, err := s.Intake.Parse(ctx, *body.Text)
	if err != nil {
		return nil, err
	}
	return ok(ParsedServers{servers})
}

func (s *server) checkNames(_ context.Context, in *bodyInput) (*reply[NameProblems], error) {
	var body struct {
		Names []string `json:"names"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	return ok(NameProblems{s.Intake.CheckNames(body.Names)})
}
