package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

// serverCommands are the commands under servers.
type serverCommands struct{ *program }

func (c serverCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "servers", Short: "Add, remove, approve and inspect MCP servers", Args: cobra.NoArgs, RunE: c.list,
		Long: `Add, remove, approve and inspect MCP servers. Without a subcommand, list them.

Agents find and call the tools of every approved server; the hub starts a server when
one of its tools is called. Activating a server adds its tools to the tool list of
every editor, so that agents need not search for them.`,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the configured servers", Args: cobra.NoArgs, RunE: c.list,
			Long: `List the configured servers. STATE is ready (starts with its next call), running,
active (its tools are in the tool list of every editor), failed, or waiting for
approval. TOKENS is the size of its tools' definitions in the context of a model.
Credentials are redacted.`,
		},
		c.add(), c.approve(),
		c.serverCommand("remove NAME", "Remove a server, its tools and its secrets", 1, c.remove),
		withLong(c.serverCommand("activate NAME", "Add a server's tools to the tool list of every editor", 1, c.activate),
			`Add a server's tools to the tool list of every editor, and start the server. Agents can
find and call the tools of other servers too, but have to search for them first.`),
		withLong(c.serverCommand("deactivate NAME", "Stop a server and remove its tools from the tool lists", 1, c.action("deactivate")),
			`Stop a server and remove its tools from the tool lists of editors. Agents can still find
and call them, which starts the server again.`),
		withLong(c.serverCommand("refresh NAME", "Start a server and update the list of its tools", 1, c.action("refresh")),
			`Start a server and update the list of its tools, for example after its program was
updated or after it failed to start.`),
		withLong(c.serverCommand("show NAME", "Show a server's settings, tools and last error output", 1, c.show),
			`Show a server's settings, tools and last error output. Credentials are redacted, except
with --json.`),
	)
	return cmd
}

func withLong(cmd *cobra.Command, long string) *cobra.Command {
	cmd.Long = long
	return cmd
}

func (c serverCommands) list(cmd *cobra.Command, _ []string) error {
	client, err := c.client(cmd.Context())
	if err != nil {
		return err
	}
	servers, err := allServers(cmd.Context(), client)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(redactServers(servers))
	}
	return c.printServers(servers)
}

// printServers prints a table of servers, for servers list and for status.
func (p *program) printServers(servers []resources.Server) error {
	if len(servers) == 0 {
		p.printf("No server is configured. Add one with: agent-discover servers add NAME -- COMMAND ARGS\n")
		return nil
	}
	table := p.table("NAME", "STATE", "TOOLS", "TOKENS", "COMMAND")
	for _, s := range servers {
		command := safetext.Clip(cell(target(s)), 70)
		if command == "" {
			command = "-"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", s.Name, stateOf(s), s.ToolCount, s.ToolTokens, command)
	}
	return table.Flush()
}

func stateOf(s resources.Server) string {
	switch {
	case !s.Approved:
		return "waiting for approval"
	case s.Running && s.Active:
		return "active, running"
	case s.Running:
		return "running"
	case s.HealthStatus == "unhealthy" || s.LastError != "":
		return "failed"
	case s.Active:
		return "active"
	}
	return "ready"
}

func (c serverCommands) remove(ctx context.Context, client *instance.Client, s resources.Server, _ []string) error {
	if err := client.Do(ctx, http.MethodDelete, serverPath(s, ""), nil, nil); err != nil {
		return err
	}
	return c.respond(map[string]string{"status": "removed", "name": s.Name}, "Removed server %s.\n", s.Name)
}

func (c serverCommands) activate(ctx context.Context, client *instance.Client, s resources.Server, args []string) error {
	if !s.Approved {
		return errNotApproved(s)
	}
	return c.action("activate")(ctx, client, s, args)
}

// action returns a serverFunc that runs one of the REST API's actions on
// servers and prints its result.
func (c serverCommands) action(name string) serverFunc {
	return func(ctx context.Context, client *instance.Client, s resources.Server, _ []string) error {
		var done struct {
			Status    string `json:"status"`
			ToolCount *int   `json:"tool_count,omitempty"`
		}
		if err := client.Do(ctx, http.MethodPost, serverPath(s, name), nil, &done); err != nil {
			return err
		}
		text := strings.ReplaceAll(done.Status, "_", " ")
		if done.ToolCount != nil {
			text += ", " + counted(*done.ToolCount, "tool", "tools")
		}
		return c.respond(done, "%s: %s\n", s.Name, text)
	}
}
