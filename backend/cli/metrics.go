package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (c logCommands) metrics() *cobra.Command {
	return &cobra.Command{
		Use: "metrics [SERVER]", Short: "Show the number of calls and errors, and the response times",
		Long: `Show for each server, or for each tool of one server, the number of calls and errors,
the mean, median (P50) and 95th percentile (P95) of the response time, and the time of
the last call.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: c.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return c.toolMetrics(cmd.Context(), client, args[0])
			}
			return c.serverMetrics(cmd.Context(), client)
		},
	}
}

func (c logCommands) serverMetrics(ctx context.Context, client *instance.Client) error {
	var list []resources.ServerMetrics
	if err := client.Do(ctx, http.MethodGet, "/api/metrics", nil, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, m := range list {
		rows = append(rows, metricsRow(m.ServerName, m.TotalCalls, m.TotalErrors, m.Latencies))
	}
	return c.printMetrics("SERVER", rows, list)
}

func (c logCommands) toolMetrics(ctx context.Context, client *instance.Client, name string) error {
	server, err := serverNamed(ctx, client, name)
	if err != nil {
		return err
	}
	var list []resources.ToolMetrics
	if err := client.Do(ctx, http.MethodGet, serverPath(server, "metrics"), nil, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, m := range list {
		rows = append(rows, metricsRow(m.ToolName, m.CallCount, m.ErrorCount, m.Latencies))
	}
	return c.printMetrics("TOOL", rows, list)
}

func (c logCommands) printMetrics(noun string, rows [][]string, list any) error {
	if c.json {
		return c.printJSON(list)
	}
	if len(rows) == 0 {
		c.printf("No tools have been called yet.\n")
		return nil
	}
	table := c.table(noun, "CALLS", "ERRORS", "MEAN", "P50", "P95", "LAST")
	for _, row := range rows {
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

func metricsRow(name string, calls, errors int64, l resources.Latencies) []string {
	last, _ := time.Parse(time.DateTime, l.LastCalledAt)
	return []string{
		cell(name), strconv.FormatInt(calls, 10), strconv.FormatInt(errors, 10),
		fmt.Sprintf("%d ms", l.AvgLatencyMS), quantile(l.P50MS), quantile(l.P95MS), last.Local().Format(time.DateTime),
	}
}

func quantile(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f ms", *ms)
}
