package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/api"
)

func (p *program) logs() *cobra.Command {
	var server, tool string
	limit := 20
	cmd := &cobra.Command{
		Use: "logs", Short: "Show the last calls, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			query := url.Values{"server": {server}, "tool": {tool}, "limit": {strconv.Itoa(limit)}}
			var list struct {
				Entries []api.LogEntry `json:"entries"`
				Total   int            `json:"total"`
			}
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/logs?"+query.Encode(), nil, &list); err != nil {
				return err
			}
			if p.json {
				return p.printJSON(list)
			}
			table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
			_, _ = fmt.Fprintln(table, "TIME\tCLIENT\tTOOL\tOUTCOME\tMS\tARGUMENTS")
			for _, e := range list.Entries {
				at, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s__%s\t%s\t%.1f\t%s\n", at.Local().Format(time.DateTime),
					cell(e.Client), e.Server, cell(e.Tool), e.Outcome, e.LatencyMS, clip(cell(e.Args), 60))
			}
			_ = table.Flush()
			p.printf("%d of %d calls\n", len(list.Entries), list.Total)
			return nil
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "only calls of this server")
	cmd.Flags().StringVar(&tool, "tool", "", "only calls of this tool")
	cmd.Flags().IntVar(&limit, "limit", limit, "calls to show, up to 500")
	return cmd
}
