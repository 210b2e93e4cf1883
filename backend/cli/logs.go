package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
			if cmd.Flags().Changed("limit") && (f.limit < 1 || f.limit > 500 && f.export == "") {
				return usagef("--limit %d: expected a number from 1 to 500", f.limit)
			}
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
			f.resolve(cmd.Context(), client)
			if f.export != "" {
				return c.exportLogs(cmd.Context(), client, f)
			}
			return c.showLogs(cmd.Context(), client, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "only entries of the server `NAME`")
	flags.StringVar(&f.tool, "tool", "", "only entries of the tool `NAME`, such as SERVER__TOOL")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only entries of this `KIND`, such as call or notification; may be repeated")
	flags.BoolVar(&f.failed, "failed", false, "only entries that did not succeed")
	flags.StringVar(&f.since, "since", "", "only entries from this `TIME` on: "+timeHelp)
	flags.StringVar(&f.until, "until", "", "only entries before this `TIME`, or up to the end of a day")
	flags.StringVar(&f.text, "text", "", "only entries with this `TEXT` in the tool, arguments or response")
	flags.IntVar(&f.limit, "limit", 0, "show at most `N` entries, up to 500 (default 20; with --export, all)")
	flags.StringVar(&f.export, "export", "", "print complete entries in `FORMAT`: jsonl or csv")
	_ = cmd.RegisterFlagCompletionFunc("server", c.p.completeWith(serverNames)) // fails only for an unknown flag
	choices(cmd, "export", "jsonl", "csv")
	_ = cmd.RegisterFlagCompletionFunc("kind", c.p.completeWith(kindNames))
	cmd.AddCommand(c.show(), c.clearLogs())
	return cmd
}

// resolve changes the name of a tool that also names its server, such as SERVER__TOOL, to the names of the server and the
// tool, which entries have. A name that no tool has stays as it is: the tool may have been removed.
func (f *logFilter) resolve(ctx context.Context, client *instance.Client) {
	if f.tool == "" || f.server != "" {
		return
	}
	if tool, err := resolved(ctx, client, f.tool); err == nil && tool.Tool != f.tool {
		f.server, f.tool = tool.Server, tool.Tool
	}
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

// logPage is a page of the log.
type logPage struct {
	Entries []operations.LogEntry `json:"entries"`
	Total   int                   `json:"total"`
}

// entries returns the newest entries that a filter selects. It fails if the filter names a server that does not exist
// and has no entries.
func (c logCommands) entries(ctx context.Context, client *instance.Client, f logFilter) (list logPage, err error) {
	err = client.Do(ctx, http.MethodGet, "/api/logs?"+f.query().Encode(), nil, &list)
	if err == nil && list.Total == 0 && f.server != "" {
		_, err = serverNamed(ctx, client, f.server)
	}
	return list, err
}

func (c logCommands) showLogs(ctx context.Context, client *instance.Client, f logFilter) error {
	list, err := c.entries(ctx, client, f)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	failed := false
	table := c.p.table("ID", "TIME", "CLIENT", "KIND", "TOOL", "OUTCOME", "MS", "ARGUMENTS")
	for _, e := range list.Entries {
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", e.ID, when(e), cell(words.Client(e.Client)), e.Kind, subject(e),
			words.Lower(words.Outcome(e.Outcome)), e.LatencyMS, safetext.Clip(cell(string(e.Args)), 60))
		if !e.Success && e.Response != "" {
			failed = true
			_, _ = fmt.Fprintf(table, "      %s\n", safetext.Clip(cell(e.Response), 140))
		}
	}
	_ = table.Flush()
	c.p.printf("%d of %s\n", len(list.Entries), counted(list.Total, "entry", "entries"))
	if failed {
		c.p.printf("To show all of an entry: agent-discover logs show ID\n")
	}
	return nil
}

// when returns the time of an entry of the log.
func when(e operations.LogEntry) string {
	at, _ := time.Parse(time.RFC3339, e.Timestamp)
	return at.Local().Format(time.DateTime)
}

// subject returns what an entry of the log is about: SERVER__TOOL for a call.
func subject(e operations.LogEntry) string {
	if e.Kind == "call" {
		return cell(e.Server + "__" + e.Tool)
	}
	return cell(e.Server + " " + e.Tool)
}

func (c logCommands) show() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one entry of the log with its arguments and its response", Args: cobra.ExactArgs(1),
		Long: `Show one entry of the log with its arguments and its response, which says why a call
failed. Both are redacted, and cut if they are long. ID is in the first column of:
agent-discover logs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || id < 1 {
				return usagef("%q is not the id of an entry; see the first column of: agent-discover logs", args[0])
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var list logPage
			path := "/api/logs?limit=1&before_id=" + strconv.FormatInt(id+1, 10)
			if err := client.Do(cmd.Context(), http.MethodGet, path, nil, &list); err != nil {
				return err
			}
			if len(list.Entries) == 0 || list.Entries[0].ID != id {
				return fault.New(fault.NotFound, "the log has no entry %d; see: agent-discover logs", id)
			}
			return c.printEntry(list.Entries[0])
		},
	}
}

func (c logCommands) printEntry(e operations.LogEntry) error {
	if c.p.json {
		return c.p.printJSON(e)
	}
	c.p.printf("%s %s: %s after %d ms\n", e.Kind, subject(e), words.Lower(words.Outcome(e.Outcome)), e.LatencyMS)
	c.p.printf("%s, by %s, entry %d\n", when(e), cell(words.Client(e.Client)), e.ID)
	c.p.printf("\nArguments:\n%s\n", string(e.Args))
	if e.Response != "" {
		c.p.printf("\nResponse:\n%s\n", strings.TrimRight(e.Response, "\n"))
	}
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
			if err := c.p.confirmDeletion(yes, "Erase all entries of the log?", "nothing was erased"); err != nil {
				return err
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
	return deletes(cmd, &yes)
}
