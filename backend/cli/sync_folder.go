package cli

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// folderSync holds the flags of sync that are about the folder.
type folderSync struct {
	used, dryRun, deletions, git bool
	mine, theirs                 []string
}

func (c setupCommands) syncInit() *cobra.Command {
	return &cobra.Command{
		Use: "init FOLDER", Short: "Synchronize this machine through a folder from now on", Args: cobra.ExactArgs(1),
		Long: `Synchronize this machine through FOLDER from now on: a folder that a cloud service, a
network drive or a git repository brings to your other machines. Run the command on each of
them, then "agent-discover sync" whenever you want. Nothing is synchronized yet.

The folder gets one JSON file for each server, toolset, persona, setting and server with
approved calls. Secrets never reach it. What suits one machine only, such as paths outside
the home folder and the port of the hub, stays on each machine as it is.`,
		Example: "  agent-discover sync init ~/Dropbox/agent-discover\n  agent-discover sync",
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return fault.Wrap(err, fault.Invalid, "invalid path: %s", args[0])
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var state syncfolder.SyncFolder
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/sync/folder", map[string]string{"path": path}, &state); err != nil {
				return err
			}
			return c.p.respond(state, "This machine synchronizes through %s. To see what would happen: agent-discover sync --dry-run\n",
				state.Path)
		},
	}
}

func (c setupCommands) syncStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show what differs between this machine and its folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			report, err := c.dryRun(cmd.Context(), client, folderSync{})
			if err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(report)
			}
			_ = c.printSynced(report) // that there are conflicts is no failure of this command
			return nil
		},
	}
}

func (c setupCommands) syncStop() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop synchronizing this machine", Args: cobra.NoArgs,
		Long: "Stop synchronizing this machine. It and the folder keep what they have.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var state syncfolder.SyncFolder
			if err := client.Do(cmd.Context(), http.MethodDelete, "/api/sync/folder", nil, &state); err != nil {
				return err
			}
			return c.p.respond(state, "This machine does not synchronize any more. %s was not changed.\n", state.Path)
		},
	}
}

// body returns the body of the request that synchronizes with the folder.
func (f folderSync) body() map[string]any {
	return map[string]any{"dry_run": f.dryRun, "mine": f.mine, "theirs": f.theirs, "deletions": f.deletions}
}

func (c setupCommands) dryRun(ctx context.Context, client *instance.Client, flags folderSync) (report syncfolder.Synced, err error) {
	flags.dryRun = true
	return report, client.Do(ctx, http.MethodPost, "/api/sync/folder", flags.body(), &report)
}

// syncFolder synchronizes with the folder. What changes this machine is shown to the person at the terminal before;
// without a terminal it waits.
func (c setupCommands) syncFolder(ctx context.Context, client *instance.Client, folder string, flags folderSync,
) (report syncfolder.Synced, err error) {
	repository := gitFolder(folder)
	if flags.git && !flags.dryRun {
		if err := repository.pull(ctx); err != nil {
			return report, err
		}
	}
	var done []syncfolder.SyncedItem
	for range 3 {
		if report, err = c.syncOnce(ctx, client, flags); err != nil || !flags.git || flags.dryRun {
			return report, err
		}
		report.Items = append(done, report.Items...)
		again, err := repository.push(ctx)
		if err != nil || !again {
			return report, err
		}
		done = slices.DeleteFunc(report.Items, func(i syncfolder.SyncedItem) bool {
			return i.Waiting || slices.Contains([]string{syncfolder.Conflict, syncfolder.Apart, syncfolder.Failed}, i.Action)
		})
		flags.mine, flags.theirs = nil, nil          // these conflicts are decided
		if err := repository.pull(ctx); err != nil { // another machine has pushed meanwhile
			return report, err
		}
	}
	return report, fault.New(fault.Conflict, "other machines push to the repository of %s all the time; synchronize once more", folder)
}

func (c setupCommands) syncOnce(ctx context.Context, client *instance.Client, flags folderSync) (syncfolder.Synced, error) {
	report, err := c.dryRun(ctx, client, flags)
	if err != nil || flags.dryRun {
		return report, err
	}
	body := flags.body()
	body["hash"] = report.Hash
	sync := func(client *instance.Client) error {
		report = syncfolder.Synced{} // decoding keeps the values of fields that an answer leaves out
		return client.Do(ctx, http.MethodPost, "/api/sync/folder", body, &report)
	}
	var text strings.Builder
	for _, i := range report.Items {
		if changesHere(i) {
			text.WriteString(syncedText(i, true))
		}
	}
	if text.Len() == 0 {
		return report, sync(client)
	}
	switch yes, err := c.p.askPerson(ctx, text.String(), "Change this machine like this?"); {
	case errors.Is(err, errNoPerson):
		return report, sync(client)
	case err != nil:
		return report, err
	case !yes:
		return report, fault.New(fault.Denied, "nothing was synchronized")
	}
	return report, decided(ctx, client, sync)
}

func changesHere(i syncfolder.SyncedItem) bool {
	return slices.Contains([]string{syncfolder.Take, syncfolder.Drop, syncfolder.Combine}, i.Action)
}

var syncedKinds = map[string]string{
	syncfolder.Servers: "server", syncfolder.Toolsets: "toolset", syncfolder.Personas: "persona", syncfolder.Settings: "setting",
	syncfolder.Approvals: "approved calls of",
}

// syncedLine says in one line what was, or would be, done with an object.
func syncedLine(i syncfolder.SyncedItem, would bool) string {
	done := map[string]string{
		syncfolder.Take: "changed here", syncfolder.Drop: "removed here", syncfolder.Write: "changed in the folder",
		syncfolder.Delete: "removed from the folder", syncfolder.Combine: "changed here and in the folder",
		syncfolder.Conflict: "has changed on both sides", syncfolder.Apart: "not synchronized", syncfolder.Failed: "failed",
	}[i.Action]
	switch {
	case i.New && i.Action == syncfolder.Take:
		done = "added here"
	case i.New && i.Action == syncfolder.Write:
		done = "added to the folder"
	case i.Action == syncfolder.Drop && i.Kind == syncfolder.Servers:
		done += " with its secrets"
	}
	if would && !slices.Contains([]string{syncfolder.Conflict, syncfolder.Apart, syncfolder.Failed}, i.Action) {
		done = "would be " + done
	}
	if i.Waiting {
		done = "waits for you to be " + done
	}
	line := syncedKinds[i.Kind] + " " + cell(i.Name) + " " + done
	if i.Why != "" {
		line += ": " + cell(i.Why)
	}
	return line
}

// syncedText describes an object with the values that differ and, for a server, with all that it would run.
func syncedText(i syncfolder.SyncedItem, would bool) string {
	var b strings.Builder
	b.WriteString(syncedLine(i, would) + "\n")
	for _, f := range i.Fields {
		mark := " "
		switch {
		case i.New && f.Name == "launch": // below
			continue
		case i.New:
			b.WriteString("    " + cell(f.Name) + ": " + cell(f.Folder) + "\n")
			continue
		case f.Conflict:
			mark = "!"
		}
		b.WriteString(mark + "   " + cell(f.Name) + "\n      here:   " + cell(f.Here) + "\n      folder: " + cell(f.Folder) + "\n")
	}
	if i.Runs != nil {
		assessed := risk.Assess(registry.Server{
			Transport: i.Runs.Transport, Command: i.Runs.Command, Args: i.Runs.Args, Env: i.Runs.Env, URL: i.Runs.URL,
			Headers: i.Runs.Headers,
		})
		b.WriteString(launched("  it would then run:\n", *i.Runs, [][2]string{{"sandbox", i.Sandbox}}, &assessed))
	}
	for _, note := range i.Notes {
		b.WriteString("  " + cell(note) + "\n")
	}
	return b.String()
}

// printSynced prints the result of a synchronization. It fails if there are conflicts, or an object failed.
func (c setupCommands) printSynced(r syncfolder.Synced) error {
	conflict, waiting, differs := "", false, false
	for _, i := range r.Items {
		differs = differs || i.Action != syncfolder.Apart
		waiting = waiting || i.Waiting
		if i.Action == syncfolder.Conflict && conflict == "" {
			conflict = i.Name
		}
		if r.DryRun || i.Action == syncfolder.Conflict {
			c.p.printf("%s", syncedText(i, r.DryRun))
		} else {
			c.p.printf("%s\n", syncedLine(i, false))
		}
	}
	if !differs {
		c.p.printf("This machine and %s are the same.\n", r.Folder)
	}
	if conflict != "" {
		c.p.printf("To keep what this machine has: agent-discover sync --mine %s; to take what the folder has: "+
			"agent-discover sync --theirs %s\n", quoted(conflict), quoted(conflict))
	}
	if waiting {
		c.p.printf("Changes of this machine are shown first; run in a terminal: agent-discover sync\n")
	}
	return syncedExit(r)
}

func syncedExit(r syncfolder.Synced) error {
	if slices.ContainsFunc(r.Items, func(i syncfolder.SyncedItem) bool {
		return i.Action == syncfolder.Conflict || i.Action == syncfolder.Failed
	}) {
		return exitCode(exitFailed)
	}
	return nil
}

// printSyncedJSON prints the results of a sync with a setup file and with the folder.
func (c setupCommands) printSyncedJSON(file setup.SyncResult, r syncfolder.Synced) error {
	if err := c.p.printJSON(struct {
		setup.SyncResult
		Folder syncfolder.Synced `json:"folder"`
	}{file, r}); err != nil {
		return err
	}
	if len(file.Errors) > 0 {
		return exitCode(exitFailed)
	}
	return syncedExit(r)
}
