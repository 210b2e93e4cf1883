package cli

import (
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/api"
)

func (p *program) why() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use: "why WORDS…", Short: "Show what an agent would find, and which words in which part of a tool made it so",
		Example: "  agent-discover why read a text file from disk", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			var found api.FindReply
			ask := map[string]any{"query": strings.Join(args, " "), "limit": limit}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/find", ask, &found); err != nil {
				return err
			}
			if err := p.printWhy(found); err != nil {
				return err
			}
			if !found.Found {
				return exitCode(exitNotFound)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "tools to show")
	return cmd
}

func (p *program) printWhy(found api.FindReply) error {
	if p.json {
		return p.printJSON(found)
	}
	if !found.Found {
		p.printf("Nothing fits well enough; the nearest came to %.2f: %s\n", found.Score, found.Hint)
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TOOL\tSCORE\tPART\tPOINTS\tWORDS")
	for _, hit := range found.Hits {
		name, score := cell(strings.TrimPrefix(hit.CallAs, "mcp__")), fmt.Sprintf("%.2f", hit.Score)
		for _, why := range hit.Why {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%.2f\t%s\n", name, score, cell(why.Field), why.Points, cell(strings.Join(why.Terms, ", ")))
			name, score = "", "" // once a tool
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	p.printf("confidence: %s\n", found.Confidence)
	return nil
}
