package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

type health struct {
	Status  string  `json:"status"`
	Version string  `json:"version"`
	Uptime  float64 `json:"uptime" doc:"seconds"`
}

type status struct {
	ActiveCount int            `json:"active_count"`
	Paused      bool           `json:"paused,omitempty" doc:"the user lets no server run"`
	Servers     []activeServer `json:"servers"`
}

type activeServer struct {
	Name      string   `json:"name"`
	ToolCount int      `json:"tool_count"`
	Tools     []string `json:"tools"`
}

type helloInput struct {
	Nonce   string `query:"nonce" maxLength:"256" doc:"random, of the asker's own"`
	Session string `query:"session" maxLength:"64" doc:"of a page that wants session_proof, too"`
}

func (s *server) hubRoutes(api huma.API) {
	route(api, http.MethodGet, "/health", "Whether the hub is there", s.health)
	route(api, http.MethodGet, "/hello", "The hub's proof that it knows the token", s.hello)
	route(api, http.MethodGet, "/api/status", "Active servers and their tools", s.status)
	route(api, http.MethodGet, "/api/clients", "Connected MCP clients", s.clients)
	route(api, http.MethodPost, "/api/pause", "End all servers gently, and start none until resumed", s.pause)
	route(api, http.MethodPost, "/api/resume", "Let servers start again", s.resume)
	route(api, http.MethodPost, "/api/stop", "End the hub gently", s.stop)
}

func (s *server) health(context.Context, *struct{}) (*reply[health], error) {
	return ok(health{Status: "ok", Version: s.Info.Version, Uptime: time.Since(s.began).Round(time.Millisecond).Seconds()})
}

func (s *server) hello(_ context.Context, in *helloInput) (*reply[instance.Hello], error) {
	nonce := instance.NewSecret()
	hello := instance.Hello{
		Nonce: nonce, Version: s.Info.Version, Protocol: s.Info.Protocol, AuthOff: s.Info.AuthOff,
		Proof: instance.Proof(s.Info.Token, "hub", s.Info.Address(), in.Nonce, nonce),
	}
	if key, known := s.passes.named(in.Session); known {
		hello.SessionProof = instance.Proof(string(key[:]), "session", s.Info.Address(), in.Nonce, nonce)
	}
	return ok(hello)
}

func (s *server) status(context.Context, *struct{}) (*reply[status], error) {
	out := status{Servers: []activeServer{}}
	for _, v := range s.Registry.List() {
		if !v.Enabled {
			continue
		}
		row := activeServer{Name: v.Name, Tools: []string{}}
		for _, t := range s.Catalog.Snapshot().Of(v.Name) {
			row.Tools = append(row.Tools, t.Name)
		}
		row.ToolCount = len(row.Tools)
		out.Servers = append(out.Servers, row)
	}
	out.ActiveCount, out.Paused = len(out.Servers), s.Upstream.Paused()
	return ok(out)
}

func (s *server) clients(context.Context, *struct{}) (*reply[[]gateway.Client], error) {
	return ok(s.Clients())
}

type pauseReply struct {
	Paused bool `json:"paused"`
}

// pause answers when all servers have ended.
func (s *server) pause(context.Context, *struct{}) (*reply[pauseReply], error) {
	if err := s.Upstream.Pause(); err != nil {
		return nil, err
	}
	return ok(pauseReply{true})
}

func (s *server) resume(context.Context, *struct{}) (*reply[pauseReply], error) {
	if err := s.Upstream.Resume(); err != nil {
		return nil, err
	}
	return ok(pauseReply{false})
}

func (s *server) stop(context.Context, *struct{}) (*reply[map[string]string], error) {
	s.Stop()
	return ok(map[string]string{"status": "stopping"})
}
