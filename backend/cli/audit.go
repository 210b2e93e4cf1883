package cli

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

type auditCommands struct{ p *program }

func (c auditCommands) audit() *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "Check and export the record of who called what", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.p.json {
				return usagef("say what to do, such as audit verify or audit export; see: %s --help", cmd.CommandPath())
			}
			return cmd.Help()
		},
		Long: "The audit log has an entry for each call, also for refused ones: who called which tool, when,\n" +
			"through which road and with which outcome. Arguments are kept as a SHA-256 only. Each entry\n" +
			"contains the hash of the one before it, so that changes show.",
	}
	cmd.AddCommand(c.verify(), c.export())
	return cmd
}

func (c auditCommands) verify() *cobra.Command {
	return &cobra.Command{
		Use: "verify [FILE]", Short: "Check whether entries of the audit log were changed or removed", Args: cobra.MaximumNArgs(1),
		Long: "Check that each entry of the audit log follows the one before it, and that the last ones\n" +
			"are those whose hashes are kept outside of the database. Requests of a hub that was killed,\n" +
			"and entries that could not be stored, are named. With FILE, check a complete export.\n\n" +
			"Exits with 3 if an entry is broken, and names the first one.",
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := c.report(cmd.Context(), args)
			if err != nil {
				return err
			}
			return c.showReport(report)
		},
	}
}

func (c auditCommands) report(ctx context.Context, args []string) (report audit.Report, err error) {
	if len(args) > 0 {
		return verifyFile(args[0])
	}
	client, err := c.p.client(ctx)
	if err != nil {
		return report, err
	}
	return report, client.Do(ctx, http.MethodGet, "/api/audit/verify", nil, &report)
}

func verifyFile(name string) (audit.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return audit.Report{}, fault.Wrap(err, fault.NotFound, "could not read %s", name)
	}
	defer func() { _ = file.Close() }()
	report, err := audit.VerifyExport(file)
	if err != nil {
		return report, fault.Wrap(err, fault.Failed, "could not read %s", name)
	}
	return report, nil
}

func (c auditCommands) showReport(r audit.Report) error {
	switch {
	case c.p.json:
		if err := c.p.printJSON(r); err != nil {
			return err
		}
	case r.Intact && r.Entries == 0:
		c.p.printf("The audit log has no entries.\n")
	case r.Intact:
		c.p.printf("The audit log is intact: %s, from %d to %d.\nSHA-256 of the last entry: %s\n",
			counted(int(r.Entries), "entry", "entries"), r.First, r.Last, r.Hash)
	default:
		c.p.printf("The audit log is broken at entry %d: %s.\n", r.Broken, r.Problem)
	}
	if !c.p.json {
		c.showMissing(r)
	}
	if !r.Intact {
		return exitCode(exitFailed)
	}
	return nil
}

// showMissing prints what the log does not have although its chain is intact: outcomes and entries.
func (c auditCommands) showMissing(r audit.Report) {
	if r.Waiting > 0 {
		c.p.printf("%s in memory and not in the log yet: %s.\n", counted(int(r.Waiting), "entry is", "entries are"), r.WaitingFor)
	}
	if n := int(r.Unknown); n > 0 {
		c.p.printf("%s an unknown outcome, because the hub was killed before it had the result.\n", counted(n, "request has", "requests have"))
	}
	for _, gap := range r.Gaps {
		what := gap.Note
		if gap.Count > 0 {
			what = counted(int(gap.Count), "entry", "entries") + " could not be stored"
		}
		if gap.Count > 0 && gap.Note != "" {
			what += ", because " + gap.Note
		}
		c.p.printf("Entries are missing before entry %d, of %s: %s.\n", gap.Seq, minute(&gap.At), what)
	}
}

func (c auditCommands) export() *cobra.Command {
	var since, until, out string
	cmd := &cobra.Command{
		Use: "export", Short: "Print the entries of the audit log as JSON Lines, oldest first", Args: cobra.NoArgs,
		Example: "  agent-discover audit export --since 2026-01-01 --out audit.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{}
			for name, value := range map[string]string{"since": since, "until": until} {
				at, err := timeFlag(name, value, time.Now())
				if err != nil {
					return err
				}
				if at != "" {
					query.Set(name, at)
				}
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			path := "/api/audit/export?" + query.Encode()
			if out != "" {
				return c.exportTo(out, func(w io.Writer) error { return client.Download(cmd.Context(), path, w) })
			}
			if !c.p.outTerminal {
				return client.Download(cmd.Context(), path, c.p.out)
			}
			lines, sink := io.Pipe()
			go func() { sink.CloseWithError(client.Download(cmd.Context(), path, sink)) }()
			return logCommands(c).printLines(lines)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only entries from this `TIME` on: "+timeHelp)
	cmd.Flags().StringVar(&until, "until", "", "only entries before this `TIME`, or up to the end of a day")
	cmd.Flags().StringVar(&out, "out", "", "write to `FILE`")
	return cmd
}

// exportTo writes a file atomically.
func (c auditCommands) exportTo(name string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".audit-*")
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not write %s", name)
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails if the file was renamed
	err = write(file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = paths.Replace(file.Name(), name)
	}
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not write %s", name)
	}
	return c.p.respond(map[string]string{"file": name}, "Wrote %s.\n", name)
}
