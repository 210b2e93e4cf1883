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
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
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
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if all && yes {
				return c.undoAll(cmd.Context(), client)
			}
			ids, err := changesOf(cmd.Context(), client, args)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return c.nothingToUndo()
			}
			return c.planAndApply(cmd.Context(), client, yes, consent{
				plan: map[string]any{"action": registration.Undo, "changes": ids},
				path: "/api/editors/undo", apply: map[string]any{"changes": ids},
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all changes that were not undone yet")
	cmd.Flags().BoolVar(&yes, "yes", false, "change the files without asking")
	return cmd
}

// undoAll undoes all changes without showing them first.
func (c editorCommands) undoAll(ctx context.Context, client *instance.Client) error {
	out, err := c.apply(ctx, client, "/api/editors/undo", map[string]any{"all": true})
	switch {
	case err != nil:
		return err
	case len(out.Outcomes) == 0:
		return c.nothingToUndo()
	}
	return c.printResult(out.Outcomes)
}

func (c editorCommands) nothingToUndo() error {
	return c.p.respond(operations.Outcomes{Outcomes: []registration.Outcome{}}, "Nothing to undo.\n")
}

// historyOf returns the changes of one editor, or of all if editor is empty,
// newest first.
func historyOf(ctx context.Context, client *instance.Client, editor string) (history operations.EditorHistory, err error) {
	err = client.Do(ctx, http.MethodGet, "/api/editors/history?editor="+url.QueryEscape(editor), nil, &history)
	return history, err
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
		for _, r := range history.Changes {
			if undoable(r) {
				ids = append(ids, r.ID)
			}
		}
		return ids, nil
	}
	for _, arg := range args {
		if slices.ContainsFunc(history.Changes, func(r registration.Record) bool { return r.ID == arg }) {
			ids = append(ids, arg)
			continue
		}
		ofEditor, err := historyOf(ctx, client, arg)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(ofEditor.Changes, undoable)
		if i < 0 {
			return nil, fault.New(fault.NotFound, "there is no change of %s to undo; see: agent-discover editors history", arg)
		}
		ids = append(ids, ofEditor.Changes[i].ID)
	}
	return ids, nil
}

func undoable(r registration.Record) bool {
	return !r.Undone && !r.Forgotten && r.Action != registration.Undo
}

func (c editorCommands) history() *cobra.Command {
	var forget, all, yes bool
	cmd := &cobra.Command{
		Use: "history [EDITOR] | --forget CHANGE... | --forget --all", Short: "List the changes made to editors' files",
		ValidArgsFunction: completeEditors,
		Long: `List the changes made to editors' files, which can be undone. The previous file is kept
for that; one that contains credentials is kept encrypted.

With --forget, delete the previous files of the changes CHANGE, or of all changes. These
changes can then no longer be undone.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !forget && (all || len(args) > 1):
				return usagef("name at most one editor, by an id from agent-discover editors list")
			case forget && all == (len(args) > 0):
				return usagef("name the changes to forget, by ids from agent-discover editors history, or use --all")
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if forget {
				return c.forget(cmd.Context(), client, args, yes)
			}
			return c.printHistory(cmd.Context(), client, strings.Join(args, ""))
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "delete the previous files of changes, which can then no longer be undone")
	cmd.Flags().BoolVar(&all, "all", false, "with --forget: all changes")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --forget: do not ask")
	return cmd
}

func (c editorCommands) printHistory(ctx context.Context, client *instance.Client, editor string) error {
	history, err := historyOf(ctx, client, editor)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(history)
	}
	if len(history.Changes) == 0 {
		c.p.printf("No files of editors have been changed.\n")
		return nil
	}
	table := c.p.table("CHANGE", "TIME", "EDITOR", "ACTION", "ENTRIES", "BY", "UNDO")
	for _, r := range history.Changes {
		by := r.By
		if by == "person" {
			by = "you"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.At.Local().Format(time.DateTime),
			strings.Join(append([]string{r.Editor}, r.Shared...), ", "),
			r.Action, cell(strings.Join(r.Entries, ", ")), by, cell(undoText(r)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if n := history.Unsealed; n > 0 {
		c.p.notef("The backups of %d changes contain credentials in plain text. To encrypt them, unlock the secrets: agent-discover "+
			"secrets unlock\n"+
			"To delete them: agent-discover editors history --forget --all\n", n)
	}
	return nil
}

// forget deletes the backups of changes, or of all changes if there are no ids. It asks for
// confirmation unless yes is set.
func (c editorCommands) forget(ctx context.Context, client *instance.Client, changes []string, yes bool) error {
	what := fmt.Sprintf("the backups of %d changes", len(changes))
	if len(changes) == 0 {
		what = "the backups of all changes"
	}
	question := "Delete " + what + "? They can then no longer be undone."
	if err := c.p.confirmDeletion(yes, question, "nothing was deleted"); err != nil {
		return err
	}
	var out operations.Forgotten
	body := map[string]any{"changes": changes, "all": len(changes) == 0}
	if err := client.Do(ctx, http.MethodPost, "/api/editors/history/forget", body, &out); err != nil {
		return err
	}
	return c.p.respond(out, "%d backups were deleted.\n", out.Deleted)
}
