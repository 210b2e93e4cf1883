package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) metrics() *cobra.Command {
	return &cobra.Command{
		Use: "metrics [SERVER]", Short: "Show how often servers, or the tools of one, were called, and how fast they answer",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: p.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return p.toolMetrics(cmd.Context(), client, args[0])
			}
			return p.serverMetrics(cmd.Context(), client)
		},
	}
}

func (p *program) serverMetrics(ctx context.Context, client *instance.Client) error {
	var list []resources.ServerMetrics
	if err := client.Do(ctx, http.MethodGet, "/api/metrics", nil, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, m := range list {
		rows = append(rows, metricsRow(m.ServerName, m.TotalCalls, m.TotalErrors, m.Latencies))
	}
	return p.printMetrics("SERVER", rows, list)
}

func (p *program) toolMetrics(ctx context.Context, client *instance.Client, name string) error {
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
	return p.printMetrics("TOOL", rows, list)
}

func (p *program) printMetrics(what string, rows [][]string, list any) error {
	if p.json {
		return p.printJSON(list)
	}
	if len(rows) == 0 {
		p.printf("Nothing was called yet.\n")
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, what+"\tCALLS\tERRORS\tMEAN\tP50\tP95\tLAST")
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
