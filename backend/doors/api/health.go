package api

import (
	"context"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxChecks is how many servers are asked at once when all are.
const maxChecks = 8

func (s *server) healthRoutes(api huma.API) {
	route(api, http.MethodPost, "/api/servers/{id}/health", "Ask a server whether it works", s.checkServer)
	route(api, http.MethodPost, "/api/servers/{id}/reset-errors", "Count its errors anew", s.resetErrors)
	route(api, http.MethodPost, "/api/health", "Ask all servers whether they work", s.checkAll)
}

// CheckReply is what a check found.
type CheckReply struct {
	Status    string `json:"status"`
	LatencyMS int64  `json:"latency_ms"`
	Error     string `json:"error,omitempty"`
}

func (s *server) checkServer(ctx context.Context, in *serverInput) (*reply[CheckReply], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	if s.Upstream.Paused() { // which says nothing about the server
		return nil, upstream.ErrPaused
	}
	return ok(s.check(ctx, v))
}

func (s *server) check(ctx context.Context, v registry.Server) CheckReply {
	latency, err := s.Upstream.Check(ctx, v)
	if err != nil {
		return CheckReply{"unhealthy", latency.Milliseconds(), fault.MessageOf(err)}
	}
	return CheckReply{"healthy", latency.Milliseconds(), ""}
}

type namedCheck struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	CheckReply
}

type checksReply struct {
	Servers []namedCheck `json:"servers"`
}

// checkAll asks every server that a person has approved.
func (s *server) checkAll(ctx context.Context, _ *struct{}) (*reply[checksReply], error) {
	if s.Upstream.Paused() {
		return nil, upstream.ErrPaused
	}
	var all []registry.Server
	for _, v := range s.Registry.List() {
		if v.Approved {
			all = append(all, v)
		}
	}
	out := checksReply{Servers: make([]namedCheck, len(all))}
	slots := make(chan struct{}, maxChecks)
	var checks sync.WaitGroup
	for i, v := range all {
		checks.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out.Servers[i] = namedCheck{v.ID, v.Name, s.check(ctx, v)}
		})
	}
	checks.Wait()
	return ok(out)
}

func (s *server) resetErrors(ctx context.Context, in *serverInput) (*reply[map[string]string], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	_, err = s.Registry.Update(ctx, v.Name, func(v *registry.Server) { v.Health.Errors, v.Health.LastError = 0, "" })
	if err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "reset"})
}
