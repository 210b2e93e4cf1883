package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

type serverRoots struct {
	Roots []root `json:"roots" nullable:"false"`
	Fixed bool   `json:"fixed,omitempty" doc:"Whether the roots cannot be changed. This is so for configured servers: all clients share them, so they get the roots of the hub's settings."`
}

func newServerRoots(roots []upstream.Root, fixed bool) serverRoots {
	out := serverRoots{Roots: make([]root, len(roots)), Fixed: fixed}
	for i, one := range roots {
		out.Roots[i] = root(one)
	}
	return out
}

// roots returns the MCP roots that the hub sends to a server.
func (of inspected) roots(_ context.Context, in *ServerInput) (*route.Reply[serverRoots], error) {
	v, err := of.known(in.ID)
	if err != nil {
		return nil, of.missing(err)
	}
	return route.OK(newServerRoots(of.Upstream.Roots(v.Name), v.ID != 0))
}

type rootsFields struct {
	Roots []root `json:"roots" nullable:"false" doc:"The new roots, which replace all others."`
}

type setRootsInput struct {
	ID string `path:"id" doc:"Handle of the transient server."`
	route.Object[rootsFields]
}

func (s *Transient) setRoots(_ context.Context, in *setRootsInput) (*route.Reply[serverRoots], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	roots := make([]upstream.Root, len(body.Roots))
	for i, one := range body.Roots {
		roots[i] = upstream.Root(one)
	}
	if err := s.Inspector.SetRoots(in.ID, roots); err != nil {
		return nil, route.InvalidIsBadRequest(err)
	}
	return route.OK(newServerRoots(roots, false))
}
