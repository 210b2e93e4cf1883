package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

func (p *program) sync() *cobra.Command {
	return &cobra.Command{
		Use:   "sync [FILE]",
		Short: "Bring in the servers of a setup file",
		Long: `Without FILE it reads the setup file that the hub reads at its start: setup_file in
config.yaml, or AGENT_DISCOVER_SETUP_FILE. Servers that are there already stay as they
are; their secrets are set again.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]string{}
			if len(args) == 1 {
				file, err := existing(args[0])
				if err != nil {
					return err
				}
				body["file"] = file
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			var result setup.SyncResult
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/sync", body, &result); err != nil {
				return err
			}
			return p.printSync(result)
		},
	}
}

// existing completes the path of a file that has to be there.
func existing(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "%s is not a usable path", file)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, "there is no file %s", path)
	}
	return path, nil
}

// printSync tells what came in; entries that failed make the command fail.
func (p *program) printSync(r setup.SyncResult) error {
	if p.json {
		if err := p.printJSON(r); err != nil {
			return err
		}
	} else {
		if len(r.Registered)+len(r.Activated)+len(r.Skipped)+len(r.Errors) == 0 {
			p.printf("Nothing to bring in: no setup file is configured, or it names no server.\n")
		}
		for _, group := range []struct {
			what  string
			names []string
		}{{"registered", r.Registered}, {"activated", r.Activated}, {"skipped (there already)", r.Skipped}, {"waiting for approval", r.Waiting}} {
			if len(group.names) > 0 {
				p.printf("%s: %s\n", group.what, strings.Join(group.names, ", "))
			}
		}
		for _, failure := range r.Errors {
			p.printf("failed: %s: %s\n", failure.Name, failure.Error)
		}
	}
	if len(r.Errors) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

func (p *program) importDatabase() *cobra.Command {
	var q setup.ImportRequest
	var renames []string
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Bring in the database of agent-discover 1 or 2",
		Long: `Brings in servers, tools, presets, metrics and secrets; secrets go into the keychain.
FILE is left as it is (default: ~/.claude/agent-discover.db). What is here already stays,
so the command can be run again. Nothing is started.`,
		Example: "  agent-discover import --dry-run\n" +
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
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(p.err, "reading %s …\n", safetext.Prose(q.Path))
			var report setup.ImportReport
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/import", q, &report); err != nil {
				return err
			}
			return p.printImport(q, report)
		},
	}
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "only show what would come in")
	cmd.Flags().StringArrayVar(&renames, "rename", nil, "take a server in by another name, as `OLD=NEW`; may be repeated")
	return cmd
}

func databaseToImport(args []string) (string, error) {
	if len(args) == 1 {
		return existing(args[0])
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "no home folder is known; name the database: agent-discover import FILE")
	}
	file, err := existing(filepath.Join(home, ".claude", "agent-discover.db"))
	if err != nil {
		return "", fault.New(fault.NotFound, "%s; name the database: agent-discover import FILE", fault.MessageOf(err))
	}
	return file, nil
}

// printImport tells what came in; servers that did not make the command fail.
func (p *program) printImport(q setup.ImportRequest, r setup.ImportReport) error {
	if p.json {
		if err := p.printJSON(r); err != nil {
			return err
		}
	} else {
		p.printImported(q, r)
	}
	if r.Totals.Failed > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

func (p *program) printImported(q setup.ImportRequest, r setup.ImportReport) {
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tSTATUS\tTOOLS\tSECRETS\tPRESETS\tMETRICS")
	for _, s := range r.Servers {
		name := cell(s.Name)
		if s.As != "" {
			name += " → " + cell(s.As)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\n", name, s.Status, s.Tools, s.Secrets, s.Presets, s.Metrics)
	}
	_ = table.Flush()
	for _, s := range r.Servers {
		if s.Reason != "" {
			p.printf("%s: %s\n", cell(s.Name), cell(s.Reason))
		}
		if s.Proposed != "" {
			p.printf("  take it in by another name: --rename %s\n", shown(s.Name+"="+s.Proposed))
		}
		for _, problem := range s.Problems {
			p.printf("%s: %s\n", cell(s.Name), cell(problem))
		}
	}
	for _, problem := range r.Problems {
		p.printf("%s\n", cell(problem))
	}
	t := r.Totals
	p.printf("%d imported, %d skipped, %d failed; %d tools, %d secrets, %d presets, %d metrics\n",
		t.Imported, t.Skipped, t.Failed, t.Tools, t.Secrets, t.Presets, t.Metrics)
	switch {
	case q.DryRun:
		p.printf("This was a dry run: nothing was changed.\n")
	case t.Secrets > 0:
		p.printf("%s is as it was and still holds secrets in plain text: remove it when you need it no more.\n", q.Path)
	}
}
