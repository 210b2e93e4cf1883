package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// HubAbout is what a person wants to know of the hub to set things up.
type HubAbout struct {
	Version string `json:"version"`
	Program string `json:"program" doc:"whole path of what an editor starts, with the argument mcp; empty where there is no such file (any more)"`
	AuthOff bool   `json:"auth_off" doc:"this interface asks for no token: AGENT_DISCOVER_AUTH is off"`
}

func (s *server) aboutRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/about", "The hub's version, its program, and whether it asks for a token", s.about)
}

func (s *server) about(context.Context, *struct{}) (*reply[HubAbout], error) {
	return ok(HubAbout{Version: s.Info.Version, Program: process.Sibling("agent-discover"), AuthOff: s.Info.AuthOff})
}
