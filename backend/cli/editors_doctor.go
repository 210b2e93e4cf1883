package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/editors/doctor"
)

func (c editorCommands) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor [EDITOR...]", Short: "Show what editors' tools cost in tokens, and report configuration problems",
		ValidArgsFunction: completeEditors,
		Long: `Show, for all editors or those that are named, how many tokens the definitions of their
tools take in the context of the model: today, and when the same servers are used
through Agent Discover. Also report problems in the editors' configuration. This command
exits with 3 if it finds a problem; warnings and notes do not count.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var report doctor.Report
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/editors/checkup", nil, &report); err != nil {
				return err
			}
			report = reportOf(report, args)
			show := c.printReport
			if c.p.json {
				show = func(r doctor.Report) error { return c.p.printJSON(r) }
			}
			if err := show(report); err != nil {
				return err
			}
			if slices.ContainsFunc(report.Findings, func(f doctor.Finding) bool { return f.Level == doctor.Problem }) {
				return exitCode(exitFailed)
			}
			return nil
		},
	}
}

// reportOf returns the part of a report that concerns the editors with these
// ids, or the whole report if there are no ids.
func reportOf(r doctor.Report, ids []string) doctor.Report {
	if len(ids) == 0 {
		return r
	}
	named := func(id string) bool { return slices.Contains(ids, id) }
	r.Costs = slices.DeleteFunc(r.Costs, func(c doctor.Cost) bool { return !named(c.Editor) })
	r.Findings = slices.DeleteFunc(r.Findings,
		func(f doctor.Finding) bool { return len(f.Editors) > 0 && !slices.ContainsFunc(f.Editors, named) })
	return r
}

func (c editorCommands) printReport(r doctor.Report) error {
	if len(r.Costs) > 0 {
		table := c.p.table("EDITOR", "OWN SERVERS", "TOOLS KNOWN", "TOKENS TODAY", "TOKENS WITH AGENT DISCOVER", "SAVED")
		for _, cost := range r.Costs {
			servers := fmt.Sprint(cost.Servers)
			if cost.Known < cost.Servers {
				servers += fmt.Sprintf(" (%d unknown)", cost.Servers-cost.Known)
			}
			today, saved := fmt.Sprint(cost.Today), fmt.Sprint(cost.Saved)
			if cost.Known < cost.Servers {
				today, saved = "unknown", "unknown" // the hub does not know the tools of some servers
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%d\t%s\n", cost.Editor, servers, cost.Tools, today, cost.Through, saved)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	for _, f := range r.Findings {
		of := strings.Join(f.Editors, ", ")
		if of != "" {
			of += ": "
		}
		c.p.printf("%s  %s%s\n", f.Level, of, f.Text)
		if f.Advice != "" {
			c.p.printf("    %s\n", f.Advice)
		}
	}
	if len(r.Findings) == 0 {
		c.p.printf("No problems found.\n")
	}
	return nil
}
