package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

type serverCommands struct{ p *program }

func (c serverCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "servers", Short: "Add, remove, approve and inspect MCP servers", Args: cobra.NoArgs, RunE: c.list,
		Long: `Add, remove, approve and inspect MCP servers. Without a subcommand, list them.

Agents find and call the tools of every approved server; the hub starts a server when
one of its tools is called. To always list a server's tools, in the tool list of every
editor, activate it; agents then need not search for them.`,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the configured servers", Args: cobra.NoArgs, RunE: c.list,
			Long: `List the configured servers. STATE is running, stopped (starts with its next call),
starting (for the first time, to list its tools), new (never started, so that agents do
not find its tools), failing (its last start or check failed), calls fail (most of its
last calls failed), paused, sign-in (requires one), waiting (for your approval), held
(a program has changed how it is started), disabled (until you enable it) or incomplete
(has no command and no address), and whether its tools are always listed: in the tool
list of every editor. TOOLS is how many tools agents may use; tools that rules disable,
and items that wait for your approval, are named beside it. TOKENS is the size of these
tools' definitions in the context of a model. Credentials are redacted.`,
		},
		c.add(), c.edit(), c.rename(), c.approve(),
		c.remove(), c.sandbox(), c.grant(),
		withLong(c.p.serverCommand("activate NAME", "Always list a server's tools", 1, c.action("activate")),
			`Always list a server's tools, in the tool list of every editor, and start the server.
Agents can find and call the tools of other servers too, but have to search for them
first.`),
		withLong(c.p.serverCommand("deactivate NAME", "Stop a server and no longer always list its tools", 1, c.action("deactivate")),
			`Stop a server and no longer always list its tools. Agents can still find and call them,
which starts the server again.`),
		withLong(c.p.serverCommand("disable NAME", "Stop a server, and hide it from agents until it is enabled", 1, c.action("disable")),
			`Stop a server, do not start it again, and hide its tools from agents, until it is
enabled. Its settings, secrets and approvals stay.`),
		withLong(c.p.serverCommand("enable NAME", "Let agents use a server again that was disabled", 1, c.enable),
			`Let agents use a server again that was disabled. Only a person may do that, so the command
asks in the terminal.`),
		withLong(c.p.serverCommand("start NAME", "Start a server", 1, c.action("start")),
			`Start a server without waiting for the next call of its tools. It stops when it has been
idle for some time.`),
		withLong(c.p.serverCommand("stop NAME", "Stop a server until its next call", 1, c.action("stop")),
			`Stop a server. The next call of one of its tools starts it again.`),
		c.p.serverCommand("restart NAME", "Stop a server and start it again", 1, c.action("restart")),
		withLong(c.p.serverCommand("refresh NAME", "Start a server and update the list of its tools", 1, c.action("refresh")),
			`Start a server and update the list of its tools, for example after its program was
updated or after it failed to start.`),
		withLong(c.p.serverCommand("show NAME", "Show a server's settings, tools and last error output", 1, c.show),
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
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	servers, err := allServers(cmd.Context(), client)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(redactServers(servers))
	}
	var hub pausedStatus
	if err := client.Do(cmd.Context(), http.MethodGet, "/api/status", nil, &hub); err != nil {
		return err
	}
	return c.p.printServers(servers, hub.Paused)
}

// printServers prints a table of servers, for servers list and for status.
// paused is whether all servers are paused.
func (p *program) printServers(servers []operations.Server, paused bool) error {
	if len(servers) == 0 {
		p.printf("No server is configured. Add one with: agent-discover servers add NAME -- COMMAND ARGS\n")
		return nil
	}
	table := p.table("NAME", "STATE", "TOOLS", "TOKENS", "COMMAND")
	states := make(map[string][]string)
	for _, s := range servers {
		states[s.State] = append(states[s.State], s.Name)
		command := cmp.Or(cell(target(s)), "-")
		if s.Account != "" {
			command += " (account " + cell(s.Account) + ")"
		}
		state := words.Lower(words.Server(s.State, paused))
		if s.Active {
			state += ", " + words.Lower(words.Listed())
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", s.Name, state, toolNumbers(s.ToolCount, s), s.ToolTokens, command)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if n := len(states[words.Starting]); n > 0 {
		p.printf("%s; until then, agents do not find the tools.\n", isAre(n, "is being started for the first time, to list its tools",
			"are being started for the first time, to list their tools"))
	}
	if names := states[words.New]; len(names) > 0 {
		p.printf("%s, so that agents do not find the tools. To list them: agent-discover servers refresh %s\n",
			isAre(len(names), "was never started", "were never started"), names[0])
	}
	return nil
}

// toolNumbers returns the number of tools of a server that agents may use, with the numbers of those that they may not use,
// such as "2 (1 held, 3 disabled)".
func toolNumbers(usable int, s operations.Server) string {
	var others []string
	if s.ItemsHeld > 0 {
		others = append(others, fmt.Sprintf("%d held", s.ItemsHeld))
	}
	if s.ToolsDisabled > 0 {
		others = append(others, fmt.Sprintf("%d disabled", s.ToolsDisabled))
	}
	if len(others) == 0 {
		return strconv.Itoa(usable)
	}
	return fmt.Sprintf("%d (%s)", usable, strings.Join(others, ", "))
}

// isAre returns a sentence with the number of servers, such as "1 server is ready" or "2 servers
// are ready".
func isAre(n int, one, many string) string {
	if n == 1 {
		return "1 server " + one
	}
	return fmt.Sprintf("%d servers %s", n, many)
}

func (c serverCommands) remove() *cobra.Command {
	var yes bool
	cmd := withLong(c.p.serverCommand("remove NAME", "Remove a server, its tools and its secrets", 1,
		func(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
			return c.removeOne(ctx, client, s, yes)
		}), `Remove a server, its tools and its secrets. This cannot be undone, so it asks first. To
keep its settings and secrets, but not use it: agent-discover servers disable`)
	return deletes(cmd, &yes)
}

func (c serverCommands) removeOne(ctx context.Context, client *instance.Client, s operations.Server, yes bool) error {
	if !yes {
		var keys []struct{}
		if err := client.Do(ctx, http.MethodGet, serverPath(s, "secrets"), nil, &keys); err != nil {
			return err
		}
		question := fmt.Sprintf("Remove server %s with %s and %s? This cannot be undone.", s.Name,
			counted(s.ToolCount+s.ToolsDisabled, "tool", "tools"), counted(len(keys), "secret", "secrets"))
		if err := c.p.confirmDeletion(yes, question, "nothing was removed"); err != nil {
			return err
		}
	}
	if err := client.Do(ctx, http.MethodDelete, serverPath(s, ""), nil, nil); err != nil {
		return err
	}
	return c.p.respond(map[string]string{"status": "removed", "name": s.Name}, "Removed server %s.\n", s.Name)
}

// action returns a serverFunc that runs one of the REST API's actions on
// servers and prints its result.
func (c serverCommands) enable(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
	return c.p.decide(ctx, client, fmt.Sprintf("Server %s runs: %s\n", s.Name, cell(target(s))), "Enable server "+s.Name+"?",
		"the server stays as it is", func(person *instance.Client) error { return c.action("enable")(ctx, person, s, args) })
}

func (c serverCommands) action(name string) serverFunc {
	return func(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
		var done struct {
			Status    string `json:"status"`
			ToolCount *int   `json:"tool_count,omitempty"`
		}
		if err := client.Do(ctx, http.MethodPost, serverPath(s, name), nil, &done); err != nil {
			return err
		}
		text := strings.ReplaceAll(done.Status, "_", " ")
		switch done.Status { // the original product's words, which the REST API keeps
		case "already_active":
			text = "already always listed"
		case "not_active":
			text = "not always listed"
		}
		if done.ToolCount != nil {
			text += ", " + counted(*done.ToolCount, "tool", "tools")
		}
		return c.p.respond(done, "%s: %s\n", s.Name, text)
	}
}
