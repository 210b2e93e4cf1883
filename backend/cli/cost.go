package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
)

// contextCosts is the output of cost --json.
type contextCosts struct {
	operations.ContextCost
	Editors []doctor.Cost `json:"editors"`
}

func (c searchCommands) cost() *cobra.Command {
	return &cobra.Command{
		Use: "cost [SERVER]", Short: "Show how many tokens of a model's context tools take",
		Long: `Show how many tokens (o200k_base) the definitions of tools take in a model's context: of
each server and each editor, or of each tool of one server. SHARE is the part of a window
of 200,000 tokens. DEFERRED are tokens that the editor loads only when its model looks
for a tool.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return c.toolCosts(cmd.Context(), client, args[0])
			}
			return c.allCosts(cmd.Context(), client)
		},
	}
}

func (c searchCommands) allCosts(ctx context.Context, client *instance.Client) error {
	var out contextCosts
	if err := client.Do(ctx, http.MethodGet, "/api/context", nil, &out.ContextCost); err != nil {
		return err
	}
	var report doctor.Report
	if err := client.Do(ctx, http.MethodGet, "/api/editors/checkup", nil, &report); err != nil {
		return err
	}
	out.Editors = report.Costs
	if c.p.json {
		return c.p.printJSON(out)
	}
	servers, err := allServers(ctx, client)
	if err != nil {
		return err
	}
	others := make(map[string]operations.Server)
	for _, s := range servers {
		others[s.Name] = s
	}
	table := c.p.table("SERVER", "TOOLS", "TOKENS", "SHARE")
	for _, s := range out.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", cell(s.Server), toolNumbers(s.Tools, others[s.Server]), s.Tokens, percent(s.Share))
	}
	_, _ = fmt.Fprintf(table, "all\t%d\t%d\t%s\n", out.Tools, out.WholeTokens, percent(tokens.Share(out.WholeTokens)))
	if err := table.Flush(); err != nil || len(out.Editors) == 0 {
		return err
	}
	c.p.printf("\n")
	table = c.p.table("EDITOR", "TOKENS WITH AGENT DISCOVER", "SHARE", "TOKENS DIRECTLY", "DEFERRED", "SAVED")
	for _, e := range out.Editors {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%d\n", e.Editor, e.Through, percent(tokens.Share(e.Through)), e.Directly, e.Deferred,
			e.Saved)
	}
	return table.Flush()
}

func (c searchCommands) toolCosts(ctx context.Context, client *instance.Client, server string) error {
	var all []operations.KnownTool
	query := url.Values{"server": {server}, "brief": {"true"}}
	if err := client.Do(ctx, http.MethodGet, "/api/tools?"+query.Encode(), nil, &all); err != nil {
		return err
	}
	if len(all) == 0 {
		return fault.New(fault.NotFound, "no tools of a server %q are known", server)
	}
	slices.SortStableFunc(all, func(a, b operations.KnownTool) int { return b.Tokens - a.Tokens })
	if c.p.json {
		return c.p.printJSON(all)
	}
	table := c.p.table("TOOL", "TOKENS", "SHARE")
	for _, t := range all {
		name := cell(t.Name)
		if t.Why != "" {
			name, t.Tokens = name+" ("+t.Why+")", 0
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\n", name, t.Tokens, percent(tokens.Share(t.Tokens)))
	}
	return table.Flush()
}

// percent formats a share of 1 as a percentage with two decimals.
func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }
