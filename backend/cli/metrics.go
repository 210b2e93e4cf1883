package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c logCommands) metrics() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use: "metrics [SERVER]", Short: "Show the number of calls and errors, and the response times",
		Long: `Show for each server, or for each tool of one server, the number of calls and errors,
the mean, median (P50) and 95th percentile (P95) of the response time, and the time of
the last call.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if since != "" {
				return c.recentMetrics(cmd.Context(), client, args, since)
			}
			if len(args) == 1 {
				return c.toolMetrics(cmd.Context(), client, args[0])
			}
			return c.serverMetrics(cmd.Context(), client)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only the numbers of calls and errors from this `TIME` on: "+timeHelp)
	return cmd
}

// recent is the number of calls and errors of a server or tool since a time.
type recent struct {
	Name   string `json:"name"`
	Calls  int64  `json:"calls"`
	Errors int64  `json:"errors"`
}

// recentMetrics prints the numbers of calls since a time: of each server, or of each
// tool of the server in args. The calls are counted in the log, which does not contain
// quantiles.
func (c logCommands) recentMetrics(ctx context.Context, client *instance.Client, args []string, since string) error {
	since, err := timeFlag("since", since, time.Now())
	if err != nil {
		return err
	}
	noun, parameter, query := "SERVER", "server", url.Values{"since": {since}}
	names := []string{}
	if len(args) == 1 {
		server, err := serverNamed(ctx, client, args[0])
		if err != nil {
			return err
		}
		noun, parameter = "TOOL", "tool"
		query.Set("server", server.Name)
		var tools []operations.ToolMetrics
		if err := client.Do(ctx, http.MethodGet, serverPath(server, "metrics"), nil, &tools); err != nil {
			return err
		}
		for _, t := range tools {
			names = append(names, t.ToolName)
		}
	} else {
		var servers []operations.ServerMetrics
		if err := client.Do(ctx, http.MethodGet, "/api/metrics", nil, &servers); err != nil {
			return err
		}
		for _, s := range servers {
			names = append(names, s.ServerName)
		}
	}
	list := []recent{}
	for _, name := range names {
		query.Set(parameter, name)
		one, err := countCalls(ctx, client, name, query)
		if err != nil {
			return err
		}
		if one.Calls > 0 {
			list = append(list, one)
		}
	}
	return c.printRecent(noun, list)
}

func countCalls(ctx context.Context, client *instance.Client, name string, query url.Values) (recent, error) {
	query.Set("step", stepFor(query.Get("since"), time.Now()))
	var series struct {
		Points []struct{ Calls, Errors int64 }
	}
	out := recent{Name: name}
	err := client.Do(ctx, http.MethodGet, "/api/metrics/series?"+query.Encode(), nil, &series)
	for _, p := range series.Points {
		out.Calls, out.Errors = out.Calls+p.Calls, out.Errors+p.Errors
	}
	return out, err
}

// stepFor returns the step, in seconds, of a series from since until now. The step is a
// whole number of minutes, with which the series has at most 500 points. If since is
// not a time, the step is 15 minutes.
func stepFor(since string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, since)
	if err != nil {
		at, err = time.ParseInLocation(time.DateOnly, since, time.Local)
	}
	if err != nil {
		return "900"
	}
	minutes := int64(now.Sub(at)/time.Minute)/500 + 1
	return strconv.FormatInt(max(minutes, 1)*60, 10)
}

func (c logCommands) printRecent(noun string, list []recent) error {
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list) == 0 {
		c.p.printf("No tools have been called since then.\n")
		return nil
	}
	table := c.p.table(noun, "CALLS", "ERRORS")
	for _, r := range list {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\n", cell(r.Name), r.Calls, r.Errors)
	}
	return table.Flush()
}

func (c logCommands) serverMetrics(ctx context.Context, client *instance.Client) error {
	var list []operations.ServerMetrics
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
	var list []operations.ToolMetrics
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
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(rows) == 0 {
		c.p.printf("No tools have been called yet.\n")
		return nil
	}
	table := c.p.table(noun, "CALLS", "ERRORS", "MEAN", "P50", "P95", "LAST")
	for _, row := range rows {
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

func metricsRow(name string, calls, errors int64, l operations.Latencies) []string {
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
