package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// printLaunches prints the launch of each server that is not configured yet, the risks of
// running the server, and the warnings of the import.
func (c editorCommands) printLaunches(r importer.Report) {
	for _, s := range r.Servers {
		if s.Status == importer.Existing {
			continue
		}
		r := setup.Runs{
			Transport: "stdio", Command: s.Launch.Command, Args: s.Launch.Args, Env: s.Launch.Env, Dir: s.Launch.Dir, URL: s.Launch.URL,
			Headers: s.Launch.Headers,
		}
		if s.Launch.URL != "" {
			r.Transport = "remote"
		}
		c.p.printf("%s", launched(cell(s.Name)+":\n", r, nil, &s.Risk))
		for _, warning := range s.Warnings {
			c.p.printf("Note: %s\n", cell(warning))
		}
		if s.Waiting && s.Status == importer.Imported {
			c.p.printf("Note: it waits for your approval; to approve it: agent-discover servers approve %s\n", cell(s.Name))
		} else if s.Disabled && s.Status == importer.Imported {
			c.p.printf("Note: to enable it afterwards: agent-discover servers enable %s\n", cell(s.Name))
		}
		c.p.printf("\n")
	}
}

func (c editorCommands) printImport(r importer.Report) {
	if len(r.Servers) > 0 {
		table := c.p.table("SERVER", "STATUS", "STORED AS SECRETS", "NOTE")
		for _, s := range r.Servers {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cell(s.Name), outcome(s.Status, r.DryRun), cell(strings.Join(s.Moved, ", ")),
				cell(s.Problem))
		}
		_ = table.Flush()
	}
	var changes []string
	for _, removal := range r.Removed {
		verb := map[bool]string{true: "would be removed from", false: "removed from"}[r.DryRun]
		if removal.Problem != "" && removal.Change == "" {
			verb = "stays in"
		}
		c.p.printf("%s %s: %s", verb, tilde(removal.Path), cell(strings.Join(removal.Entries, ", ")))
		if removal.Problem != "" {
			c.p.printf("  %s", cell(removal.Problem))
		}
		if removal.Change != "" {
			c.p.printf("  (to undo: agent-discover editors undo %s)", removal.Change)
			changes = append(changes, removal.Change)
		}
		c.p.printf("\n")
	}
	if !r.DryRun && slices.ContainsFunc(r.Servers, func(s importer.Result) bool {
		return s.Status == importer.Imported && !s.Waiting && !s.Disabled
	}) {
		c.p.printf("The new servers are started once to list their tools; see how far that is: agent-discover servers\n")
	}
	if len(changes) > 0 {
		c.p.printf(
			"The removed entries are kept for that, with their credentials encrypted. To delete them:\n"+
				"  agent-discover editors history --forget %s\n", strings.Join(changes, " "),
		)
	}
}

// outcome describes the status of a server in the report of an import. dry is set for a dry run.
func outcome(status string, dry bool) string {
	switch {
	case dry && status == importer.Imported:
		return "would be imported"
	case dry && status == importer.Failed:
		return "would fail"
	case status == importer.Existing:
		return "already configured"
	}
	return status
}

// wouldBe returns the report of a dry run with statuses such as would_be_imported.
func wouldBe(r importer.Report) importer.Report {
	r.Servers = slices.Clone(r.Servers)
	for i, s := range r.Servers {
		if s.Status != importer.Existing {
			r.Servers[i].Status = wouldStatus(s.Status)
		}
	}
	return r
}

// wouldStatus returns the status of a dry run for JSON output, such as would_be_imported.
func wouldStatus(status string) string { return strings.ReplaceAll(outcome(status, true), " ", "_") }
