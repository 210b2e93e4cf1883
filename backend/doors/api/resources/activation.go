package resources

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Activation holds the operations that approve servers and put their tools in the lists of clients.
type Activation struct {
	Registry  serversByID
	Lifecycle interface {
		Activate(ctx context.Context, name string) (tools []*catalog.Tool, already bool, err error)
		Deactivate(ctx context.Context, name string) (was bool, err error)
		Approve(ctx context.Context, name, launchHash string) (registry.Server, error)
		Refresh(ctx context.Context, name string) ([]*catalog.Tool, error)
	}
	Views *Views
}

// Routes declares the operations.
func (a *Activation) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Post("/api/servers/{id}/activate", "Activate a server: put its tools in every client's list"), a.activate)
	route.Add(g, route.Post("/api/servers/{id}/deactivate", "Deactivate a server: remove its tools from the lists"), a.deactivate)
	route.Add(g, route.Post("/api/servers/{id}/approve", "Approve a proposed server, which allows it to start"), a.approve)
	route.Add(g, route.Post("/api/servers/{id}/refresh", "Start a server and list its tools again"), a.refresh)
}

type activation struct {
	Status    string `json:"status" doc:"activated, already_active, deactivated, not_active or refreshed."`
	ToolCount *int   `json:"tool_count,omitempty" doc:"Number of tools that the server listed."`
}

func (a *Activation) activate(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	switch remote := v.Transport != "stdio"; {
	case v.Command == "" && !remote:
		return nil, route.BadRequest("No command configured")
	case remote && v.URL == "": // keeps the wording of the original product, although a remote server needs a URL
		return nil, fault.New(fault.Failed, "Server %q has no command configured for stdio transport", v.Name)
	}
	tools, already, err := a.Lifecycle.Activate(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	if already {
		return route.OK(activation{Status: "already_active"})
	}
	count := len(tools)
	return route.OK(activation{Status: "activated", ToolCount: &count})
}

func (a *Activation) deactivate(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	was, err := a.Lifecycle.Deactivate(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	if !was {
		return route.OK(activation{Status: "not_active"})
	}
	return route.OK(activation{Status: "deactivated"})
}

type approvalFields struct {
	LaunchHash string `json:"launch_hash,omitempty" doc:"The launch_hash of the configuration that the person has reviewed. The request fails if the configuration has changed since. Without launch_hash, the current configuration is approved."`
}

type approvalInput struct {
	ServerInput
	route.OptionalObject[approvalFields]
}

func (a *Activation) approve(ctx context.Context, in *approvalInput) (*route.Reply[Server], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	shown, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if v, err = a.Lifecycle.Approve(ctx, v.Name, shown.LaunchHash); err != nil {
		return nil, err
	}
	return route.OK(a.Views.Server(v))
}

func (a *Activation) refresh(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	tools, err := a.Lifecycle.Refresh(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	count := len(tools)
	return route.OK(activation{Status: "refreshed", ToolCount: &count})
}
