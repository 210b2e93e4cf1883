package operations

import (
	"context"
	"net/http"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
)

// MarketMirror holds the operations on the copy of the official registry.
type MarketMirror struct {
	Mirror *mirror.Mirror
}

// Routes adds the operations with their handlers to a route table.
func (m *MarketMirror) Routes(t *route.Table) {
	g := t.Group("marketplace")
	route.Add(g, route.Get("/api/market/mirror", "Retrieve the state of the hub's copy of the official registry"), m.get)
	route.Add(g, route.Post("/api/market/sync", "Refresh the hub's copy of the official registry in the background").Accepts(), m.sync)
}

// MirrorState is the API's view of the copy of the official registry.
type MirrorState struct {
	Address   string    `json:"address" doc:"Address of the registry; empty if none is configured."`
	Entries   int       `json:"entries" doc:"Number of servers in the copy."`
	Refreshed time.Time `json:"refreshed,omitzero" doc:"When the copy was last refreshed; missing if it never was."`
	Running   bool      `json:"running" doc:"Whether a refresh is running."`
	Read      int       `json:"read,omitempty" doc:"Number of entries that the current refresh has read so far."`
	Began     time.Time `json:"began,omitzero" doc:"When the current refresh or, if none is running, the last one began."`
	Problem   string    `json:"problem,omitempty" doc:"Why the last refresh failed, for people."`
	FailedAt  time.Time `json:"failed_at,omitzero" doc:"When the last refresh failed."`
}

// NewMirrorState returns the API's view of a status.
func NewMirrorState(s mirror.Status) MirrorState {
	return MirrorState{
		Address: s.URL, Entries: s.Entries, Refreshed: s.Refreshed, Running: s.Running, Read: s.Read, Began: s.Began,
		Problem: s.Problem, FailedAt: s.FailedAt,
	}
}

func (m *MarketMirror) get(context.Context, *struct{}) (*route.Reply[MirrorState], error) {
	return route.OK(NewMirrorState(m.Mirror.Status()))
}

func (m *MarketMirror) sync(context.Context, *struct{}) (*route.Reply[MirrorState], error) {
	if err := m.Mirror.Request(); err != nil {
		return nil, err
	}
	return &route.Reply[MirrorState]{Status: http.StatusAccepted, Body: NewMirrorState(m.Mirror.Status())}, nil
}
