package cli

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
)

// exportImport holds the flags for the import of an export.
type exportImport struct {
	conflicts string
	noSecrets bool
	dryRun    bool
}

// exported reports whether a file is an export, and not a database. A text that is neither is an error.
func exported(file string) (bool, error) {
	in, err := os.Open(file)
	if err != nil {
		return false, nil // the import of a database reports the error
	}
	defer func() { _ = in.Close() }()
	head := make([]byte, 16)
	n, _ := in.Read(head)
	if !strings.HasPrefix(strings.TrimSpace(string(head[:n])), "{") {
		return false, nil
	}
	data, err := paths.ReadRegular(file, 64<<20)
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "could not read %s: %s", file, paths.Reason(err))
	}
	if !backup.IsExport(data) {
		return false, fault.New(fault.Invalid, "%s is neither an export nor a database. For a toolset: agent-discover toolset import FILE; "+
			"for the servers of an editor: agent-discover servers add --paste FILE; for a setup file: agent-discover sync FILE", file)
	}
	return true, nil
}

// importExport shows what an export would add, asks the person at the terminal, and imports it. Without a terminal, its
// servers are added and wait for approval.
func (c setupCommands) importExport(ctx context.Context, file string, flags exportImport) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	c.p.notef("Reading %s …\n", file)
	body := map[string]any{"path": file, "conflicts": flags.conflicts, "dry_run": true}
	var report backup.ImportedExport
	run := func(client *instance.Client) error {
		report = backup.ImportedExport{}
		return client.Do(ctx, http.MethodPost, "/api/export/import", body, &report)
	}
	terminal, err := c.p.terminal()
	if err == nil {
		_ = terminal.Close()
		err = decided(ctx, client, run) // a dry run for a person, who may import more than a program
	} else {
		err = run(client)
	}
	if err != nil {
		return err
	}
	if flags.dryRun {
		return c.printExport(report)
	}
	body["hash"], body["dry_run"] = report.Hash, false
	if report.Sealed && !flags.noSecrets {
		if body["passphrase"], err = c.p.readSecret(ctx, "Passphrase of the secrets in the file: "); err != nil {
			return fault.Wrap(err, fault.KindOf(err), "%s. To import the file without its secrets: --no-secrets", fault.MessageOf(err))
		}
	}
	err = c.p.unlessSeen(ctx, client, "Import this?", run, func() (string, error) {
		if body["passphrase"] == nil && !slices.ContainsFunc(report.Items, func(i backup.ImportedItem) bool {
			return i.Action == backup.Added || i.Action == backup.Replaced
		}) {
			return "", nil
		}
		return plannedParts(report), nil
	})
	if err != nil {
		return err
	}
	return c.printExport(report)
}

// plannedParts describes what an import would do.
func plannedParts(r backup.ImportedExport) string {
	var b strings.Builder
	for _, i := range r.Items {
		if i.Runs == nil || i.Action == backup.Same || i.Action == backup.Skipped {
			b.WriteString(itemLine(i, true) + "\n")
			continue
		}
		assessed := risk.Assess(registry.Server{
			Transport: i.Runs.Transport, Command: i.Runs.Command, Args: i.Runs.Args, Env: i.Runs.Env, URL: i.Runs.URL,
			Headers: i.Runs.Headers,
		})
		b.WriteString(launched(itemLine(i, true)+":\n", *i.Runs, [][2]string{{"sandbox", i.Sandbox}}, &assessed))
		for _, note := range i.Notes {
			b.WriteString("  " + cell(note) + "\n")
		}
	}
	return b.String()
}

var partNames = map[string]string{
	"server": "server", "toolset": "toolset", "persona": "persona", "equipped": "toolset of client", "approvals": "approvals of tools:",
	"learned": "learned queries:", "learning": "learning from calls:", "settings": "settings:",
}

// itemLine describes what was, or would be, done with a part of an export.
func itemLine(i backup.ImportedItem, would bool) string {
	done := map[string]string{
		backup.Added: "added", backup.Replaced: "replaced", backup.Same: "unchanged, because it is the same here",
		backup.Skipped: "skipped", backup.Failed: "failed",
	}[i.Action]
	switch {
	case would && (i.Action == backup.Added || i.Action == backup.Replaced):
		done = "would be " + done
	case would && i.Action == backup.Failed:
		done = "would fail"
	}
	name := cell(i.Name)
	if i.Kind == "equipped" && i.Name == "" {
		name = "all others"
	}
	text := partNames[i.Kind] + " " + name + " " + done
	if i.As != "" {
		text += " as " + cell(i.As)
	}
	if i.Waiting && i.Action != backup.Failed {
		text += ", waiting for approval"
	}
	if i.Why != "" {
		text += ": " + cell(i.Why)
	}
	return text
}

// printExport prints the result of an import. It fails if a part failed.
func (c setupCommands) printExport(r backup.ImportedExport) error {
	failed, waiting := 0, false
	for _, i := range r.Items {
		waiting = waiting || i.Waiting && i.Action == backup.Added
		if i.Action == backup.Failed {
			failed++
		}
	}
	if c.p.json {
		if err := c.p.printJSON(r); err != nil {
			return err
		}
	} else {
		for _, i := range r.Items {
			c.p.printf("%s\n", itemLine(i, r.DryRun))
			for _, note := range i.Notes {
				c.p.printf("  %s\n", cell(note))
			}
		}
		switch {
		case len(r.Items) == 0:
			c.p.printf("The export is empty.\n")
		case r.DryRun:
			c.p.printf("This was a dry run: nothing was changed.\n")
		case waiting:
			c.p.printf("To see what a waiting server runs and approve it: agent-discover servers approve NAME\n")
		}
	}
	if failed > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
