package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/words"
)

type inspectCommand struct{ p *program }

func (c inspectCommand) command() *cobra.Command {
	return &cobra.Command{
		Use: "inspect [SERVER]", Short: "List the servers, or the tools of one, as agents see them",
		Long: `List the servers with their tools as agents see them: under the names that config.yaml
gives them, with those that its rules disable marked. A server whose tools are not known yet
is started. Exits with 2 if there is no such server.`,
		Example: "  agent-discover inspect\n  agent-discover inspect github", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)), RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.servers(cmd.Context())
			}
			return c.tools(cmd.Context(), args[0])
		},
	}
}

func (c inspectCommand) servers(ctx context.Context) error {
	var reply struct {
		Servers []struct {
			Name, Description, Status string
			ToolCount, EnabledCount   int
		}
	}
	text, err := c.p.metaReply(ctx, "list_mcp_servers", struct{}{}, &reply)
	if err != nil {
		return err
	}
	if c.p.json {
		c.p.printContent(text)
		return nil
	}
	if len(reply.Servers) == 0 {
		c.p.printf("No servers. Add one: agent-discover servers add\n")
		return nil
	}
	states, err := c.p.serverStates(ctx)
	if err != nil {
		return err
	}
	t := c.p.table("SERVER", "STATE", "TOOLS", "ENABLED", "DESCRIPTION")
	for _, s := range reply.Servers {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\n", cell(s.Name), cmp.Or(states[s.Name], s.Status), s.ToolCount, s.EnabledCount,
			cell(safetext.Clip(firstLine(s.Description), 90)))
	}
	return t.Flush()
}

// serverStates returns the states of the servers in the words of servers list.
func (p *program) serverStates(ctx context.Context) (map[string]string, error) {
	client, err := p.client(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := allServers(ctx, client)
	if err != nil {
		return nil, err
	}
	var hub pausedStatus
	if err := client.Do(ctx, http.MethodGet, "/api/status", nil, &hub); err != nil {
		return nil, err
	}
	states := make(map[string]string)
	for _, s := range servers {
		states[s.Name] = words.Lower(words.Server(s.State, hub.Paused))
	}
	return states, nil
}

func (c inspectCommand) tools(ctx context.Context, server string) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	if _, err := serverNamed(ctx, client, server); err != nil {
		return err
	}
	var reply struct {
		Tools []struct {
			Name, Summary string
			Enabled       bool
			Tags          []string
		}
	}
	text, err := c.p.metaReply(ctx, "list_tools", map[string]any{"server": server, "includeDisabled": true}, &reply)
	if err != nil {
		return err
	}
	if c.p.json {
		c.p.printContent(text)
		return nil
	}
	disabled, err := disabledTools(ctx, client, server)
	if err != nil {
		return err
	}
	t := c.p.table("TOOL", "STATE", "TAGS", "SUMMARY")
	for _, tool := range reply.Tools {
		state := "enabled"
		if !tool.Enabled {
			state = cmp.Or(disabled[tool.Name], "disabled")
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cell(tool.Name), state, cell(strings.Join(tool.Tags, " ")), cell(tool.Summary))
	}
	return t.Flush()
}
