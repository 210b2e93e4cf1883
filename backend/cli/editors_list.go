package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (c editorCommands) listCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the AI editors on this machine, and whether they have the entry", Args: cobra.NoArgs,
		Long: `List the AI editors on this machine, and whether they have the Agent Discover entry.
ENTRY is one of:

  yes, no            whether the entry is in FILE
  needs repair       the entry does not start this program; register repairs it
  name in use        an entry with the same name starts another program; to replace it,
                     register with --replace
  was removed        another program removed the entry; register adds it again
  cannot be changed  FILE cannot be read or changed; NOTE contains the reason
  waiting            the change is made when the editor exits
  add by hand        Agent Discover cannot change the configuration of this editor
  not installed      the editor was not found on this machine

SHOWS is what the entry shows the editor: meta, registry, native, or server:NAME. To
change it: agent-discover editors register EDITOR --surface NAME

Editors whose configuration path rests on weak evidence are marked as unverified.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context(), all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also list the supported editors that are not installed")
	return cmd
}

func statusOfEditors(ctx context.Context, client *instance.Client, all bool) (operations.EditorList, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	for name, value := range environment() {
		query.Add("env", name+"="+value)
	}
	var list operations.EditorList
	err := client.Do(ctx, http.MethodGet, "/api/editors?"+query.Encode(), nil, &list)
	return list, err
}

func (c editorCommands) list(ctx context.Context, all bool) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	list, err := statusOfEditors(ctx, client, all)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list.Editors) == 0 {
		c.p.printf("No AI editors were found on this machine. To list the supported ones: agent-discover editors list --all\n")
		return nil
	}
	table := c.p.table("EDITOR", "NAME", "ENTRY", "SHOWS", "FILE", "NOTE")
	for _, e := range list.Editors {
		for i, f := range filesOf(e) {
			id, name := e.ID, cell(e.Name)
			if i > 0 {
				id, name = "", ""
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", id, name, entryState(e, f), cmp.Or(cell(f.Surface), "-"),
				cell(tilde(f.Path)), cell(noteOf(e, f)))
		}
	}
	return table.Flush()
}

// filesOf returns an editor's files. For an editor without files, it returns one
// FileStatus without a path, so that the editor gets a row in the table.
func filesOf(e registration.Status) []registration.FileStatus {
	if len(e.Files) == 0 {
		return []registration.FileStatus{{State: e.State}}
	}
	return e.Files
}

// entryState returns the text of the column ENTRY for an editor's file.
func entryState(e registration.Status, f registration.FileStatus) string {
	switch {
	case !e.Detected && f.State == registration.Absent:
		return "not installed"
	case !e.Registrable && f.State == registration.Absent:
		return "add by hand"
	}
	return map[registration.State]string{
		registration.Absent: "no", registration.Registered: "yes", registration.Stale: "needs repair",
		registration.Foreign: "name in use", registration.Dropped: "was removed",
		registration.Unreadable: "cannot be changed", registration.Waiting: "waiting",
	}[f.State]
}

func noteOf(e registration.Status, f registration.FileStatus) string {
	var notes []string
	if f.Problem != "" {
		notes = append(notes, f.Problem)
	}
	if f.Outdated {
		notes = append(notes, "to update the entry: agent-discover editors register "+e.ID)
	}
	if len(f.Also) > 0 {
		notes = append(notes, "also started by "+strings.Join(f.Also, ", ")+"; remove all but one")
	}
	if e.NeedsReload && f.State == registration.Registered {
		notes = append(notes, e.ReloadHint)
	}
	if !e.Verified {
		notes = append(notes, "unverified")
	}
	if len(e.Managed) > 0 {
		notes = append(notes, "managed by "+strings.Join(e.Managed, ", "))
	}
	return strings.Join(notes, "; ")
}
