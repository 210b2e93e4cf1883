package registrytool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

type listedServer struct {
	ID              int64    `json:"id"`
	Name            string   `json:"name"`
	Description     string   `json:"description"`
	Source          string   `json:"source"`
	Tags            []string `json:"tags"`
	Installed       bool     `json:"installed"`
	Active          bool     `json:"active"`
	Transport       string   `json:"transport"`
	HealthStatus    string   `json:"health_status"`
	LastHealthCheck *string  `json:"last_health_check"`
	ErrorCount      int      `json:"error_count"`
	ToolCount       int      `json:"tool_count"`
	Waiting         bool     `json:"waiting_for_approval,omitempty"`
}

// list serves the action list: it returns the configured servers that match the arguments.
func (t *Tool) list(ctx context.Context, args arguments.Arguments) (any, error) {
	servers, err := t.registry.Search(ctx, args.Query)
	if err != nil {
		return nil, err
	}
	out, rules := []listedServer{}, t.client.Rules()
	for _, v := range servers {
		if args.Source != "" && v.Source != args.Source || bool(args.InstalledOnly) && !v.Installed {
			continue
		}
		row := listedServer{
			ID: v.ID, Name: v.Name, Description: v.Description, Source: v.Source, Tags: v.Tags,
			Installed: v.Installed, Active: v.AlwaysListed, Transport: v.Transport, HealthStatus: v.Health.Status,
			ErrorCount: v.Health.Errors, ToolCount: len(rules.Allowed(rules.Of(v.Name))), Waiting: !v.Approved,
		}
		if row.Tags == nil {
			row.Tags = []string{}
		}
		if !v.Health.CheckedAt.IsZero() {
			checked := v.Health.CheckedAt.UTC().Format(time.DateTime)
			row.LastHealthCheck = &checked
		}
		out = append(out, row)
	}
	return out, nil
}

// install serves the action install. It proposes the server that args.Command starts or, without a command, the
// marketplace entry that the arguments name. By default, the server does not start until a person approves it.
func (t *Tool) install(ctx context.Context, args arguments.Arguments) (any, error) {
	if args.Name == "" {
		return nil, fault.New(fault.Invalid, "name is required")
	}
	if _, err := t.registry.Get(args.Name); err == nil {
		return struct {
			Status string `json:"status"`
			Server string `json:"server"`
		}{"already_registered", args.Name}, nil
	}
	if args.Command == "" && (args.Source != "" || strings.Contains(args.Name, ":")) { // a colon means SOURCE:NAME
		return t.installListed(ctx, args)
	}
	if args.Command == "" {
		return nil, fault.New(fault.Invalid, `command is required for manual installation (or use source: "registry" to auto-detect)`)
	}
	out, err := t.intake.Add(ctx, intake.Arrival{Origin: intake.Agent, Readable: true, Server: registry.Server{
		Name: args.Name, Description: args.Description, Source: "manual",
		Command: args.Command, Args: args.Args, Env: args.Env, Tags: args.Tags, ProposedBy: t.proposer(),
	}})
	if err != nil {
		return nil, err
	}
	server := out.Server
	reply := struct {
		Status   string   `json:"status"`
		Server   string   `json:"server"`
		Command  string   `json:"command"`
		Args     []string `json:"args"`
		NextStep string   `json:"next_step,omitempty"`
	}{"installed", server.Name, server.Command, append([]string{}, server.Args...), ""}
	if !server.Approved {
		reply.Status = "waiting_for_approval"
		reply.NextStep = fmt.Sprintf("the server does not start until a person approves it; "+
			"ask the user to look at %s in the Agent Discover tray or dashboard and to approve it there", server.Name)
	}
	return reply, nil
}

// statusOf is the reply to an action on one server.
type statusOf struct {
	Status string `json:"status"`
	Name   string `json:"name"`
}

func (t *Tool) uninstall(ctx context.Context, args arguments.Arguments) (any, error) {
	if args.Name == "" {
		return nil, fault.New(fault.Invalid, "name is required")
	}
	if err := t.lifecycle.RemoveForAgent(ctx, args.Name); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return nil, fault.New(fault.NotFound, "Server not found: %s", args.Name)
		}
		return nil, err
	}
	return statusOf{"uninstalled", args.Name}, nil
}

func (t *Tool) activate(ctx context.Context, args arguments.Arguments) (any, error) {
	if args.Name == "" {
		return nil, fault.New(fault.Invalid, "name is required")
	}
	var tools []*catalog.Tool
	already := false
	err := t.signIns.Retry(ctx, args.Name, func() (err error) {
		tools, already, err = t.lifecycle.Activate(ctx, args.Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if already {
		return statusOf{"already_active", args.Name}, nil
	}
	type tool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	listed, names := []tool{}, t.client.ShownAs(tools)
	for i, activated := range tools {
		listed = append(listed, tool{names[i], activated.Description})
	}
	return struct {
		statusOf
		Tools []tool `json:"tools"`
	}{statusOf{"activated", args.Name}, listed}, nil
}

func (t *Tool) deactivate(ctx context.Context, args arguments.Arguments) (any, error) {
	if args.Name == "" {
		return nil, fault.New(fault.Invalid, "name is required")
	}
	was, err := t.lifecycle.Deactivate(ctx, args.Name)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	status := "not_active"
	if was {
		status = "deactivated"
	}
	return statusOf{status, args.Name}, nil
}

// status serves the action status: it returns the always listed servers with
// their tools.
func (t *Tool) status(context.Context, arguments.Arguments) (any, error) {
	type server struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		ToolCount   int      `json:"tool_count"`
		Tools       []string `json:"tools"`
	}
	servers, rules := []server{}, t.client.Rules()
	for _, v := range t.registry.List() {
		if !v.AlwaysListed {
			continue
		}
		names := []string{}
		for _, allowed := range rules.Allowed(rules.Of(v.Name)) {
			names = append(names, allowed.Name)
		}
		servers = append(servers, server{v.Name, v.Description, len(names), names})
	}
	return struct {
		ActiveCount int      `json:"active_count"`
		Servers     []server `json:"servers"`
	}{len(servers), servers}, nil
}

// sync serves the action sync. Without a file, it syncs the setup file that the
// user has configured. A file that the agent names counts as a proposal of the
// agent.
func (t *Tool) sync(ctx context.Context, args arguments.Arguments) (any, error) {
	if args.File == "" {
		return t.setup.Sync(ctx, "")
	}
	return t.setup.Propose(ctx, args.File, t.proposer())
}
