package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// logCommands are the commands about past calls.
type logCommands struct{ p *program }

// logFilter holds the flags of logs.
type logFilter struct {
	server, tool, since, until, text, export string
	kinds                                    []string
	failed                                   bool
	limit                                    int
}

func (c logCommands) logs() *cobra.Command {
	var f logFilter
	cmd := &cobra.Command{
		Use: "logs", Short: "Show the log of calls and other events, newest first", Args: cobra.NoArgs,
		Example: "  agent-discover logs --failed --since 1h\n  agent-discover logs --server github --export csv > github.csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if f.since, err = timeFlag("since", f.since, time.Now()); err != nil {
				return err
			}
			if f.until, err = timeFlag("until", f.until, time.Now()); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if f.export != "" {
				return c.exportLogs(cmd.Context(), client, f)
			}
			return c.showLogs(cmd.Context(), client, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "only entries of the server `NAME`")
	flags.StringVar(&f.tool, "tool", "", "only entries of the tool `NAME`")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only entries of this `KIND`, such as call or notification; may be repeated")
	flags.BoolVar(&f.failed, "failed", false, "only entries that did not succeed")
	flags.StringVar(&f.since, "since", "", "only entries from this `TIME` on: "+timeHelp)
	flags.StringVar(&f.until, "until", "", "only entries before this `TIME`, or up to the end of a day")
	flags.StringVar(&f.text, "text", "", "only entries with this `TEXT` in the tool, arguments or response")
	flags.IntVar(&f.limit, "limit", 0, "show at most `N` entries, up to 500 (default 20; with --export, all)")
	flags.StringVar(&f.export, "export", "", "print complete entries in `FORMAT`: jsonl or csv")
	_ = cmd.RegisterFlagCompletionFunc("server", c.p.completeWith(serverNames)) // fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("kind", c.p.completeWith(kindNames))
	cmd.AddCommand(c.clearLogs())
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

func (c logCommands) showLogs(ctx context.Context, client *instance.Client, f logFilter) error {
	var list struct {
		Entries []operations.LogEntry `json:"entries"`
		Total   int                   `json:"total"`
	}
	if err := client.Do(ctx, http.MethodGet, "/api/logs?"+f.query().Encode(), nil, &list); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	table := c.p.table("TIME", "CLIENT", "KIND", "TOOL", "OUTCOME", "MS", "ARGUMENTS")
	for _, e := range list.Entries {
		at, _ := time.Parse(time.RFC3339, e.Timestamp)
		name := cell(e.Server + " " + e.Tool)
		if e.Kind == "call" {
			name = cell(e.Server + "__" + e.Tool)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", at.Local().Format(time.DateTime),
			cell(words.Client(e.Client)), e.Kind, name, words.Lower(words.Outcome(e.Outcome)), e.LatencyMS,
			safetext.Clip(cell(string(e.Args)), 60))
	}
	_ = table.Flush()
	c.p.printf("%d of %s\n", len(list.Entries), counted(list.Total, "entry", "entries"))
	return nil
}

// exportLogs prints the file that the hub exports: unchanged for another
// program, with escapes on a terminal.
func (c logCommands) exportLogs(ctx context.Context, client *instance.Client, f logFilter) error {
	path := "/api/logs/export?" + f.query().Encode()
	if !c.p.outTerminal {
		return client.Download(ctx, path, c.p.out)
	}
	lines, sink := io.Pipe()
	go func() { sink.CloseWithError(client.Download(ctx, path, sink)) }()
	return c.printLines(lines)
}

// printLines prints text on a terminal line by line, because an export may be
// too long to hold in memory.
func (c logCommands) printLines(text io.Reader) error {
	for lines := bufio.NewReader(text); ; {
		line, err := lines.ReadString('\n')
		c.p.write(safetext.Prose(line))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c logCommands) clearLogs() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "clear", Short: "Erase all entries of the log, but not the metrics or what was learned", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !yes && c.p.interactive && !c.p.confirm("Erase all entries of the log?") {
				return fault.New(fault.Denied, "nothing was erased")
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodDelete, "/api/logs", nil, nil); err != nil {
				return err
			}
			return c.p.respond(map[string]string{"status": "cleared"}, "Erased all entries of the log.\n")
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "erase without asking")
	return cmd
}
