package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (c searchCommands) search() *cobra.Command {
	var server string
	limit := 10
	cmd := &cobra.Command{
		Use: "search WORDS…", Short: "Rank tools by how well they fit a query",
		Long: `Rank the enabled tools of all servers, or of one, by their relevance from 0 to 1, with the
tags that the rules in config.yaml give them. "agent-discover find" shows the one best tool
with its arguments instead. Exits with 2 if no tool fits.`,
		Example: "  agent-discover search --server github open issues", Args: needWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			var reply struct {
				Results []struct {
					Server, Tool, Summary string
					Relevance             float64
					Tags                  []string
				}
			}
			text, err := c.p.metaReply(cmd.Context(), "search_tools",
				map[string]any{"query": strings.Join(args, " "), "server": server, "limit": limit}, &reply)
			if err != nil {
				return err
			}
			switch {
			case c.p.json:
				c.p.printContent(text)
			case len(reply.Results) == 0:
				c.p.printf("No tool fits. Try other words, or list the servers: agent-discover inspect\n")
			default:
				t := c.p.table("TOOL", "RELEVANCE", "TAGS", "SUMMARY")
				for _, r := range reply.Results {
					_, _ = fmt.Fprintf(t, "%s\t%.2f\t%s\t%s\n", cell(r.Server+"__"+r.Tool), r.Relevance, cell(strings.Join(r.Tags, " ")),
						cell(r.Summary))
				}
				if err := t.Flush(); err != nil {
					return err
				}
			}
			if len(reply.Results) == 0 {
				return exitCode(exitNotFound)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "only tools of the server with this `NAME`")
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` tools")
	return cmd
}
