package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

// logFilter is what the flags of logs ask for.
type logFilter struct {
	server, tool, since, until, text, export string
	kinds                                    []string
	failed                                   bool
	limit                                    int
}

func (p *program) logs() *cobra.Command {
	var f logFilter
	cmd := &cobra.Command{
		Use: "logs", Short: "Show the last calls and what else happened, newest first", Args: cobra.NoArgs,
		Example: "  agent-discover logs --failed --since 2026-01-31\n  agent-discover logs --server github --export csv > github.csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			if f.export != "" {
				return p.exportLogs(cmd.Context(), client, f)
			}
			return p.showLogs(cmd.Context(), client, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "only of this server")
	flags.StringVar(&f.tool, "tool", "", "only of this tool")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only of this kind, as call or notification; may be repeated")
	flags.BoolVar(&f.failed, "failed", false, "only what did not succeed")
	flags.StringVar(&f.since, "since", "", "only from this `TIME` on: a day as 2026-01-31, or RFC 3339")
	flags.StringVar(&f.until, "until", "", "only before this `TIME`, or to the end of a day")
	flags.StringVar(&f.text, "text", "", "only with this text in tool, arguments or response")
	flags.IntVar(&f.limit, "limit", 0, "entries, up to 500; 20 when not given, all to export")
	flags.StringVar(&f.export, "export", "", "print all entries whole, as `FORMAT` jsonl or csv")
	cmd.AddCommand(p.clearLogs())
	return cmd
}

func (f logFilter) query() url.Values {
	query := url.Values{"kind": f.kinds}
	for name, value := range map[string]string{
		"server": f.server, "tool": f.tool, "since": f.since, "until": f.until, "text": f.text, "format": f.export,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.failed {
		query.Set("success", "false")
	}
	if f.limit == 0 && f.export == "" {
		f.limit = 20
	}
	if f.limit != 0 {
		query.Set("limit", strconv.Itoa(f.limit))
	}
	return query
}

func (p *program) showLogs(ctx context.Context, client *instance.Client, f logFilter) error {
	var list struct {
		Entries []resources.LogEntry `json:"entries"`
		Total   int                  `json:"total"`
	}
	if err := client.Do(ctx, http.MethodGet, "/api/logs?"+f.query().Encode(), nil, &list); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(list)
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TIME\tCLIENT\tKIND\tTOOL\tOUTCOME\tMS\tARGUMENTS")
	for _, e := range list.Entries {
		at, _ := time.Parse(time.RFC3339, e.Timestamp)
		name := cell(e.Server + " " + e.Tool)
		if e.Kind == "call" {
			name = cell(e.Server + "__" + e.Tool)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", at.Local().Format(time.DateTime),
			cell(e.Client), e.Kind, name, e.Outcome, e.LatencyMS, safetext.Clip(cell(string(e.Args)), 60))
	}
	_ = table.Flush()
	p.printf("%d of %d entries\n", len(list.Entries), list.Total)
	return nil
}

// exportLogs passes the hub's file on: for another program as it comes.
func (p *program) exportLogs(ctx context.Context, client *instance.Client, f logFilter) error {
	path := "/api/logs/export?" + f.query().Encode()
	if !p.screen {
		return client.Download(ctx, path, p.out)
	}
	lines, sink := io.Pipe()
	go func() { sink.CloseWithError(client.Download(ctx, path, sink)) }()
	return p.showLines(lines)
}

// showLines prints a text of any length on a terminal.
func (p *program) showLines(text io.Reader) error {
	for lines := bufio.NewReader(text); ; {
		line, err := lines.ReadString('\n')
		p.write(safetext.Prose(line))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *program) clearLogs() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "clear", Short: "Forget all entries of the log; what metrics and learned show stays", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !yes && p.asks && !p.confirm("Forget all entries of the log?") {
				return fault.New(fault.Denied, "nothing was forgotten")
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodDelete, "/api/logs", nil, nil); err != nil {
				return err
			}
			return p.say(map[string]string{"status": "cleared"}, "The log is empty now.\n")
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "forget without a question")
	return cmd
}
