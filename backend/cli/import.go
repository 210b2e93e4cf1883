package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

func (c setupCommands) importDatabase() *cobra.Command {
	var q setup.ImportRequest
	var renames []string
	var export exportImport
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Import an export, or the database of agent-discover 1 or 2",
		Long: `Import a file of "agent-discover export", or servers, tools, presets, metrics and secrets
from the database of agent-discover 1 or 2 (default: ~/.claude/agent-discover.db). Secrets
are stored in the keychain. FILE and servers that are configured already are not changed,
so the command can be run again. What the servers would run is shown, and they are imported
after you have answered on the terminal. Without a terminal they wait for approval, and of
an export, only servers are imported.

In an export, a name may exist here that means something else. --conflicts says what to do
then: skip it, rename the imported one, or replace the one that exists. Paths that this
machine does not have are named.

To import the servers of editors instead: agent-discover editors import`,
		Example: "  agent-discover import --dry-run\n" +
			"  agent-discover import everything.json --conflicts rename\n" +
			"  agent-discover import old.db --rename 'my server=my-server'",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if q.Rename, err = parsePairs("--rename", renames); err != nil {
				return err
			}
			if q.Path, err = databaseToImport(args); err != nil {
				return err
			}
			if is, err := exported(q.Path); err != nil {
				return err
			} else if is {
				if len(renames) > 0 {
					return usagef("--rename is for databases; for an export, use --conflicts rename")
				}
				export.dryRun = q.DryRun
				return c.importExport(cmd.Context(), q.Path, export)
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			c.p.notef("Reading %s …\n", q.Path)
			var report setup.ImportReport
			run := func(q setup.ImportRequest) func(*instance.Client) error {
				return func(client *instance.Client) error {
					report = setup.ImportReport{} // decoding keeps the values of fields that an answer leaves out
					return client.Do(cmd.Context(), http.MethodPost, "/api/import", q, &report)
				}
			}
			err = c.p.unlessSeen(cmd.Context(), client, "Import these servers?", run(q), func() (string, error) {
				if q.DryRun {
					return "", nil
				}
				dry := q
				dry.DryRun = true
				err := run(dry)(client)
				return imports(report), err
			})
			if err != nil {
				return err
			}
			return c.printReport(q, report)
		},
	}
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "only show what would be imported")
	cmd.Flags().StringArrayVar(&renames, "rename", nil,
		"of a database, import a server under another name, as `OLD=NEW`; may be repeated")
	cmd.Flags().StringVar(&export.conflicts, "conflicts", backup.Skip,
		"what to do with names of an export that exist already: skip, rename or replace")
	cmd.Flags().BoolVar(&export.noSecrets, "no-secrets", false, "import an export without its secrets")
	return cmd
}

// imports describes the servers that a dry run of an import would add.
func imports(r setup.ImportReport) string {
	var b strings.Builder
	for _, s := range r.Servers {
		if s.Runs != nil {
			assessed := risk.Assess(registry.Server{
				Transport: s.Runs.Transport, Command: s.Runs.Command, Args: s.Runs.Args, Env: s.Runs.Env, Dir: s.Runs.Dir, URL: s.Runs.URL,
				Headers: s.Runs.Headers,
			})
			b.WriteString(launched(cell(cmp.Or(s.As, s.Name))+":\n", *s.Runs, nil, &assessed))
		}
	}
	return b.String()
}

func databaseToImport(args []string) (string, error) {
	if len(args) == 1 {
		return existing(args[0])
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not determine the home folder; name the database: agent-discover import FILE")
	}
	file, err := existing(filepath.Join(home, ".claude", "agent-discover.db"))
	if err != nil {
		return "", fault.New(fault.NotFound, "%s; name the database: agent-discover import FILE", fault.MessageOf(err))
	}
	return file, nil
}

// printReport prints the result of importing a database. It fails if one of the servers
// failed.
func (c setupCommands) printReport(q setup.ImportRequest, r setup.ImportReport) error {
	if c.p.json {
		shown := r
		shown.Servers = slices.Clone(r.Servers)
		for i, s := range shown.Servers {
			if q.DryRun && s.Status != setup.Skipped {
				shown.Servers[i].Status = wouldStatus(s.Status)
			}
		}
		if err := c.p.printJSON(shown); err != nil {
			return err
		}
	} else {
		c.printImported(q, r)
	}
	if r.Totals.Failed > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

func (c setupCommands) printImported(q setup.ImportRequest, r setup.ImportReport) {
	table := c.p.table("NAME", "STATUS", "TOOLS", "SECRETS", "PRESETS", "METRICS")
	for _, s := range r.Servers {
		name := cell(s.Name)
		if s.As != "" {
			name += " → " + cell(s.As)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\n", name, outcome(s.Status, q.DryRun), s.Tools, s.Secrets, s.Presets, s.Metrics)
	}
	_ = table.Flush()
	for _, s := range r.Servers {
		if s.Reason != "" {
			c.p.printf("%s: %s\n", cell(s.Name), cell(s.Reason))
		}
		if s.Proposed != "" {
			c.p.printf("  to import it under another name: --rename %s\n", quoted(s.Name+"="+s.Proposed))
		}
		for _, problem := range s.Problems {
			c.p.printf("%s: %s\n", cell(s.Name), cell(problem))
		}
	}
	for _, problem := range r.Problems {
		c.p.printf("%s\n", cell(problem))
	}
	t, waiting := r.Totals, 0
	for _, s := range r.Servers {
		if s.Waiting {
			waiting++
		}
	}
	would := ""
	if q.DryRun {
		would = "would be "
	}
	c.p.printf("%d %simported, %d skipped, %d failed; %s, %s, %s, %s\n",
		t.Imported, would, t.Skipped, t.Failed, counted(t.Tools, "tool", "tools"),
		counted(t.Secrets, "secret", "secrets"), counted(t.Presets, "preset", "presets"), counted(t.Metrics, "metric", "metrics"))
	switch {
	case q.DryRun:
		c.p.printf("This was a dry run: nothing was changed.\n")
	case waiting > 0:
		c.p.printf("%s for approval in the tray and the dashboard, because nobody has seen what they run.\n",
			counted(waiting, "server waits", "servers wait"))
	case t.Secrets > 0:
		c.p.printf("%s was not changed and still contains secrets in plain text. Delete it when you no longer need it.\n", q.Path)
	}
}
