package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (c editorCommands) undo() *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use: "undo CHANGE... | EDITOR... | --all", Short: "Undo changes to editors' files", ValidArgsFunction: completeEditors,
		Long: `Undo changes to editors' files. CHANGE is an id from: agent-discover editors history
EDITOR selects the last change of that editor, --all selects all changes that were not
undone yet.

A file that has not changed since is restored byte for byte. In a file that has
changed, only the entries that Agent Discover added or removed are reverted.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usagef("name the changes, by ids from agent-discover editors history or by editors, or use --all")
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			ids, err := changesOf(cmd.Context(), client, args)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return c.respond(resources.Outcomes{Outcomes: []registration.Outcome{}}, "Nothing to undo.\n")
			}
			plans, err := plan(cmd.Context(), client, map[string]any{"action": registration.Undo, "changes": ids})
			if err != nil {
				return err
			}
			if err := c.confirmPlans(plans.Plans, yes); err != nil {
				return err
			}
			return c.apply(cmd.Context(), client, "/api/editors/undo", map[string]any{"changes": ids})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all changes that were not undone yet")
	cmd.Flags().BoolVar(&yes, "yes", false, "change the files without asking")
	return cmd
}

// historyOf returns the changes of one editor, or of all if editor is empty,
// newest first.
func historyOf(ctx context.Context, client *instance.Client, editor string) ([]registration.Record, error) {
	var history resources.EditorHistory
	err := client.Do(ctx, http.MethodGet, "/api/editors/history?editor="+url.QueryEscape(editor), nil, &history)
	return history.Changes, err
}

// changesOf returns the ids of the changes that args select. Without args it
// returns all changes that were not undone.
func changesOf(ctx context.Context, client *instance.Client, args []string) ([]string, error) {
	history, err := historyOf(ctx, client, "")
	if err != nil {
		return nil, err
	}
	var ids []string
	if len(args) == 0 {
		for _, r := range history {
			if undoable(r) {
				ids = append(ids, r.ID)
			}
		}
		return ids, nil
	}
	for _, arg := range args {
		if slices.ContainsFunc(history, func(r registration.Record) bool { return r.ID == arg }) {
			ids = append(ids, arg)
			continue
		}
		ofEditor, err := historyOf(ctx, client, arg)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(ofEditor, undoable)
		if i < 0 {
			return nil, fault.New(fault.NotFound, "there is no change of %s to undo; see: agent-discover editors history", arg)
		}
		ids = append(ids, ofEditor[i].ID)
	}
	return ids, nil
}

func undoable(r registration.Record) bool { return !r.Undone && r.Action != registration.Undo }

func (c editorCommands) history() *cobra.Command {
	return &cobra.Command{
		Use: "history [EDITOR]", Short: "List the changes made to editors' files", Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			history, err := historyOf(cmd.Context(), client, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(resources.EditorHistory{Changes: history})
			}
			if len(history) == 0 {
				c.printf("No files of editors have been changed.\n")
				return nil
			}
			table := c.table("CHANGE", "TIME", "EDITOR", "ACTION", "ENTRIES", "UNDO")
			for _, r := range history {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.At.Local().Format(time.DateTime), r.Editor, r.Action,
					cell(strings.Join(r.Entries, ", ")), cell(undoText(r)))
			}
			return table.Flush()
		},
	}
}
