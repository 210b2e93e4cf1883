package operations

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxChecks is how many servers are checked at once.
const maxChecks = 8

// Health holds the operations that check whether servers work.
type Health struct {
	Registry *registry.Registry
	Upstream *upstream.Manager
}

// Routes adds the operations with their handlers to a route table.
func (h *Health) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Post("/api/servers/{id}/health", "Check whether a server works"), h.checkOne)
	route.Add(g, route.Post("/api/servers/{id}/reset-errors", "Reset the error count of a server"), h.resetErrors)
	route.Add(g, route.Post("/api/health", "Check whether each approved server works").In("hub"), h.checkAll)
}

// CheckReply is the result of a health check.
type CheckReply struct {
	Status    string `json:"status" doc:"healthy or unhealthy."`
	LatencyMS int64  `json:"latency_ms" doc:"Duration of the check, in milliseconds."`
	Error     string `json:"error,omitempty" doc:"Why the server is unhealthy."`
}

func (h *Health) checkOne(ctx context.Context, in *ServerInput) (*route.Reply[CheckReply], error) {
	v, err := lookup(h.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if h.Upstream.Paused() { // no server can start, so a check would always fail
		return nil, upstream.ErrPaused
	}
	return route.OK(h.check(ctx, v))
}

// noCommand is the error for checking or activating a stdio server without a command. Its wording is that of
// agent-discover 1.4, for compatibility.
const noCommand = "No command configured"

func (h *Health) check(ctx context.Context, v registry.Server) CheckReply {
	latency, err := h.Upstream.Check(ctx, v)
	switch {
	case err != nil && v.Command == "" && v.Transport == "stdio":
		return CheckReply{"unhealthy", latency.Milliseconds(), noCommand}
	case err != nil:
		return CheckReply{"unhealthy", latency.Milliseconds(), fault.MessageOf(err)}
	}
	return CheckReply{"healthy", latency.Milliseconds(), ""}
}

type namedCheck struct {
	ID   int64  `json:"id" doc:"Unique identifier of the server."`
	Name string `json:"name"`
	CheckReply
}

type checksReply struct {
	Servers []namedCheck `json:"servers"`
}

func (h *Health) checkAll(ctx context.Context, _ *struct{}) (*route.Reply[checksReply], error) {
	if h.Upstream.Paused() {
		return nil, upstream.ErrPaused
	}
	var all []registry.Server
	for _, v := range h.Registry.List() {
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
			out.Servers[i] = namedCheck{v.ID, v.Name, h.check(ctx, v)}
		})
	}
	checks.Wait()
	return route.OK(out)
}

func (h *Health) resetErrors(ctx context.Context, in *ServerInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(h.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	_, err = h.Registry.Update(ctx, v.Name,
		func(v *registry.Server) { v.Health.Errors, v.Health.LastError, v.Health.MissingVariable = 0, "", "" })
	if err != nil {
		return nil, err
	}
	return statusOnly("reset")
}
