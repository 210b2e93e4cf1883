package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// setupCommands are the commands that add servers from a file.
type setupCommands struct{ p *program }

func (c setupCommands) sync() *cobra.Command {
	var flags folderSync
	cmd := &cobra.Command{
		Use:   "sync [FILE]",
		Short: "Add the servers that a setup file declares, and synchronize with your other machines",
		Long: `Add the servers that a setup file declares. Without FILE, read the setup file that the
hub reads at its start: setup_file in config.yaml, or AGENT_DISCOVER_SETUP_FILE. If this
machine has a folder of "sync init", synchronize with it, too.

Servers that are configured already are not changed by a setup file, except that the
secrets of those that the file declares are set again. What the servers of FILE would run
is shown, and they are added after you have answered on the terminal. Without a terminal
they wait for approval. A setup file is JSON and may contain comments:

  {"servers": [{"name": "memory", "command": "npx",
                "args": ["-y", "@modelcontextprotocol/server-memory"]}]}

A folder keeps servers, toolsets, personas, approvals of calls and settings the same on
your machines; see "sync init". What the folder would change on this machine is shown
whole, and done after you have answered. If both sides have changed the same value, nothing
is done about that object until you choose a side with --mine or --theirs. All other flags
are about the folder, too.`,
		Example: "  agent-discover sync servers.json\n  agent-discover sync --dry-run\n  agent-discover sync --theirs notes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.used = aboutFolder(cmd.Flags())
			if len(args) == 1 && flags.used {
				return usagef("the flags are about the folder of \"sync init\"; leave out FILE")
			}
			return c.syncAll(cmd.Context(), args, flags)
		},
	}
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only show what would be synchronized with the folder")
	cmd.Flags().StringArrayVar(&flags.mine, "mine", nil, "in a conflict about `NAME`, keep what this machine has; may be repeated")
	cmd.Flags().StringArrayVar(&flags.theirs, "theirs", nil, "in a conflict about `NAME`, take what the folder has; may be repeated")
	cmd.Flags().BoolVar(&flags.deletions, "deletions", false, "delete objects even if many are missing on one side")
	cmd.Flags().BoolVar(&flags.git, "git", false, "pull the git repository of the folder before, and commit and push afterwards")
	cmd.AddCommand(c.syncInit(), c.syncStatus(), c.syncStop())
	return cmd
}

// aboutFolder reports whether a flag of sync was given that is about the folder.
func aboutFolder(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc([]string{"dry-run", "mine", "theirs", "deletions", "git"}, flags.Changed)
}

// syncAll adds the servers of a setup file and, unless the file was named, synchronizes with the folder of this machine.
func (c setupCommands) syncAll(ctx context.Context, args []string, flags folderSync) error {
	body := map[string]string{}
	if len(args) == 1 {
		file, err := existing(args[0])
		if err != nil {
			return err
		}
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return fault.New(fault.Invalid, "%s is a folder; to synchronize your machines through it: agent-discover sync init %s", file,
				quoted(args[0]))
		}
		body["file"] = file
	}
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	var state *syncfolder.SyncFolder
	if len(args) == 0 {
		err := client.Do(ctx, http.MethodGet, "/api/sync/folder", nil, &state)
		if fault.KindOf(err) == fault.NotFound && !flags.used {
			state, err = nil, nil
		}
		if err != nil {
			return err
		}
	}
	var result setup.SyncResult
	if !flags.used {
		if err := c.syncFile(ctx, client, body, &result); err != nil {
			return err
		}
	}
	if state == nil {
		return c.printSync(result, false)
	}
	report, err := c.syncFolder(ctx, client, state.Path, flags)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.printSyncedJSON(result, report)
	}
	return errors.Join(c.printSync(result, true), c.printSynced(report))
}

func (c setupCommands) syncFile(ctx context.Context, client *instance.Client, body map[string]string, result *setup.SyncResult) error {
	return c.p.unlessSeen(ctx, client, "Add these servers?", func(client *instance.Client) error {
		return client.Do(ctx, http.MethodPost, "/api/sync", body, result)
	}, func() (string, error) {
		return declared(ctx, client, body["file"])
	})
}

// unlessSeen shows the text of describe to the person at the terminal. If the person agrees, it calls add with a client
// that acts for that person; if the person declines, it returns an error. If the text is empty or there is no terminal,
// it calls add with client, and the added servers wait for approval.
func (p *program) unlessSeen(ctx context.Context, client *instance.Client, question string, add func(*instance.Client) error,
	describe func() (string, error),
) error {
	text, err := describe()
	if err != nil {
		return err
	}
	if text == "" {
		return add(client)
	}
	switch yes, err := p.askPerson(ctx, text, question); {
	case errors.Is(err, errNoPerson):
		return add(client)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "nothing was added")
	}
	return decided(ctx, client, add)
}

// declared describes the servers that a setup file declares: the launches of new servers, and
// the existing servers whose secrets may be set again.
func declared(ctx context.Context, client *instance.Client, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	configured, err := allServers(ctx, client)
	if err != nil {
		return "", err
	}
	known := make(map[string]bool)
	for _, s := range configured {
		known[s.Name] = true
	}
	servers, _ := setup.Preview(file) // the hub reports the errors in the file
	var b strings.Builder
	for _, s := range servers {
		if known[s.Name] {
			fmt.Fprintf(&b, "%s exists; its secrets are set again if the file declares the same server.\n", cell(s.Name))
			continue
		}
		assessed := risk.Assess(s)
		b.WriteString(launched(cell(s.Name)+":\n", setup.RunsOf(s), [][2]string{{"description", s.Description}}, &assessed))
	}
	return b.String(), nil
}

// existing returns the absolute path of a file, because the hub has another working folder. If the
// file does not exist, existing returns an error.
func existing(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "invalid path: %s", file)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, "there is no file %s", path)
	}
	return path, nil
}

// printSync prints the result of a sync with a setup file. It fails if one of the file's entries failed. If quiet is set,
// it prints nothing about a file that declares no servers.
func (c setupCommands) printSync(r setup.SyncResult, quiet bool) error {
	if c.p.json {
		if err := c.p.printJSON(r); err != nil {
			return err
		}
	} else {
		if len(r.Registered)+len(r.Activated)+len(r.Skipped)+len(r.Errors) == 0 && !quiet {
			c.p.printf("Nothing to add: no setup file is configured, or it declares no servers.\n")
		}
		for _, group := range []struct {
			result string
			names  []string
		}{
			{"added", r.Registered},
			{"always listed", r.Activated},
			{"skipped (already configured)", r.Skipped},
			{"waiting for approval", r.Waiting},
		} {
			if len(group.names) > 0 {
				c.p.printf("%s: %s\n", group.result, strings.Join(group.names, ", "))
			}
		}
		if len(r.Unset) > 0 {
			c.p.printf("not set, so left empty: %s\n", strings.Join(r.Unset, ", "))
		}
		for _, one := range r.Notes {
			c.p.printf("note: %s: %s\n", one.Name, one.Note)
		}
		for _, failure := range r.Errors {
			c.p.printf("failed: %s: %s\n", failure.Name, failure.Error)
		}
	}
	if len(r.Errors) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
