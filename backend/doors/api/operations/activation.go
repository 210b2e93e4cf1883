package operations

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Activation holds the operations that approve servers and put their tools in the lists of clients.
type Activation struct {
	Registry  *registry.Registry
	Lifecycle *lifecycle.Manager
	Intake    *intake.Intake
	// Accept records that a person has approved the launch of a server as it is configured now. If clean is true, it
	// also approves the items of a proposed server in which the scan finds nothing.
	Accept func(ctx context.Context, server string, clean bool) error
	Views  *Views
}

// Routes adds the operations with their handlers to a route table.
func (a *Activation) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Post("/api/servers/{id}/activate", "Activate a server: add its tools to every client's list"), a.activate)
	route.Add(g, route.Post("/api/servers/{id}/deactivate",
		"Deactivate a server: remove its tools from the lists of all clients"), a.deactivate)
	route.Add(g, route.Post("/api/servers/{id}/enable", "Enable a server that was disabled"), a.enable)
	route.Add(g, route.Post("/api/servers/{id}/disable",
		"Disable a server: stop it, and do not start it or show it to agents until it is enabled"), a.disable)
	route.Add(g, route.Post("/api/servers/{id}/rename",
		"Rename a server: its approvals, secrets, toolsets, rules and records then belong to the new name"), a.rename)
	route.Add(g, route.Post("/api/servers/{id}/approve", "Approve a proposed server, which allows it to start"), a.approve)
	route.Add(g, route.Post("/api/servers/{id}/code", "Retrieve the code with which a program can approve a proposed server"), a.code)
	route.Add(g, route.Post("/api/servers/{id}/refresh", "Start a server and list its tools again"), a.refresh)
	route.Add(g, route.Post("/api/servers/{id}/start", "Start a server"), a.start)
	route.Add(g, route.Post("/api/servers/{id}/restart", "Stop a server and start it again"), a.restart)
	route.Add(g, route.Post("/api/servers/{id}/stop", "Stop a server; the next call starts it again"), a.stop)
}

type activation struct {
	Status    string `json:"status" doc:"Outcome: activated, already_active, deactivated, not_active, refreshed, started, restarted, stopped, enabled, already_enabled, disabled or already_disabled."`
	ToolCount *int   `json:"tool_count,omitempty" doc:"Number of tools that the server listed."`
}

type renameFields struct {
	Name string `json:"name" doc:"The new name, as for a new server. Tools of the server are then called as name__tool."`
}

func (a *Activation) rename(ctx context.Context, in *serverBody[renameFields]) (*route.Reply[Server], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	by := intake.Script
	if guard.ByPerson(ctx) {
		by = intake.Person
	}
	if body.Name != v.Name {
		if err := a.Intake.CheckName(by, body.Name); err != nil {
			return nil, err
		}
	}
	now, err := a.Lifecycle.Rename(ctx, v.Name, body.Name)
	if err != nil {
		return nil, err
	}
	view := a.Views.Server(now)
	if now.Source == registry.FromFile {
		view.Notes = append(view.Notes, fmt.Sprintf("The setup file declares the server as %s. Change the name there, too; otherwise "+
			"the next sync adds it again.", v.Name))
	}
	return route.OK(view)
}

func (a *Activation) activate(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	// Both errors have the status and the wording of the original product, although the second one says command where a
	// remote server needs a URL. All other operations use the wording of Server.Usable.
	switch remote := v.Transport != "stdio"; {
	case v.Command == "" && !remote:
		return nil, route.BadRequest(noCommand)
	case remote && v.URL == "":
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

func (a *Activation) enable(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	if err := guard.RequirePerson(ctx,
		"only a person may enable a server: ask the user to enable it on its page or with: "+
			"agent-discover servers enable NAME"); err != nil {
		return nil, err
	}
	return a.set(ctx, in, a.Lifecycle.Enable, "enabled")
}

func (a *Activation) disable(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	return a.set(ctx, in, a.Lifecycle.Disable, "disabled")
}

// set runs an action that reports whether it has changed the server.
func (a *Activation) set(ctx context.Context, in *ServerInput, do func(context.Context, string) (bool, error),
	status string,
) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	changed, err := do(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	if !changed {
		status = "already_" + status
	}
	return route.OK(activation{Status: status})
}

type approvalFields struct {
	LaunchHash string `json:"launch_hash,omitempty" doc:"The launch_hash of the configuration that the person has reviewed. The request fails if the configuration has changed since."`
	Code       string `json:"code,omitempty" doc:"The code that the tray and the dashboard show for this server. It is needed unless the request has the token of a session."`
	Tools      string `json:"tools,omitempty" enum:"clean,wait" doc:"Treatment of the tools and other items in the first lists of the server. clean: items in which the scan finds nothing are approved together with the server. wait (the default): all items are held until a person approves them."`
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
	defer a.Lifecycle.Configure()()
	if guard.ByPerson(ctx) {
		v, err = a.Lifecycle.Approve(ctx, v.Name, shown.LaunchHash)
	} else {
		v, err = a.Lifecycle.ApproveWithCode(ctx, v.Name, shown.LaunchHash, shown.Code)
	}
	if err != nil {
		return nil, err
	}
	if err := a.Accept(ctx, v.Name, shown.Tools == "clean"); err != nil {
		return nil, err
	}
	return route.OK(a.Views.Server(v))
}

type codeView struct {
	Code      string    `json:"code" doc:"The code. It can be used once, to approve the current configuration of the server."`
	ExpiresAt time.Time `json:"expires_at"`
}

// code returns the code with which a program can approve a proposed server. It refuses a program that has only the
// hub's own token, because a person must read the code.
func (a *Activation) code(ctx context.Context, in *ServerInput) (*route.Reply[codeView], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx, "only the tray and the dashboard show the code of a proposal"); err != nil {
		return nil, err
	}
	code, expires, err := a.Lifecycle.Code(v.Name)
	if err != nil {
		return nil, err
	}
	return route.OK(codeView{code, expires.UTC()})
}

func (a *Activation) refresh(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	return a.launch(ctx, in, a.Lifecycle.Refresh, "refreshed")
}

func (a *Activation) start(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	return a.launch(ctx, in, a.Lifecycle.Retry, "started")
}

func (a *Activation) restart(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	return a.launch(ctx, in, a.Lifecycle.Restart, "restarted")
}

// launch runs an action that starts a server and lists its tools.
func (a *Activation) launch(ctx context.Context, in *ServerInput, do func(context.Context, string) ([]*catalog.Tool, error),
	status string,
) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	tools, err := do(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	count := len(tools)
	return route.OK(activation{Status: status, ToolCount: &count})
}

func (a *Activation) stop(ctx context.Context, in *ServerInput) (*route.Reply[activation], error) {
	v, err := lookup(a.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := a.Lifecycle.Stop(ctx, v.Name); err != nil {
		return nil, err
	}
	return route.OK(activation{Status: "stopped"})
}
