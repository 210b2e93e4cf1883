package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

func (p *program) editors() *cobra.Command {
	var all bool
	list := func(cmd *cobra.Command, _ []string) error { return p.listEditors(cmd.Context(), all) }
	cmd := &cobra.Command{
		Use: "editors", Short: "Put our one entry into AI editors, take it out, bring their servers in", Args: cobra.NoArgs, RunE: list,
		Long: `Finds the AI editors and agents of this machine and puts our one entry into their
configuration. A change is shown before it is made and can be taken back to the byte:
nothing else in those files is touched. EDITOR is an id of: agent-discover editors list`,
		Example: "  agent-discover editors preview --all\n  agent-discover editors register cursor zed\n" +
			"  agent-discover editors undo cursor\n  agent-discover editors import --all --take-out",
	}
	show := &cobra.Command{Use: "list", Short: "List the editors that are here, and whether our entry is in them", Args: cobra.NoArgs, RunE: list}
	show.Flags().BoolVar(&all, "all", false, "those too that are not here")
	cmd.AddCommand(show, p.previewEditors(),
		p.changeEditors(registration.Register, "Put our entry into editors, or mend it there"),
		p.changeEditors(registration.Unregister, "Take our entry out of editors"),
		p.undoEditors(), p.historyOfEditors(), p.checkEditors(), p.importServers(), p.exportServers(), p.watchEditors(), p.autoRegister())
	return cmd
}

func (p *program) completeEditors(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, e := range table.Table() {
		ids = append(ids, e.ID+"\t"+e.Name)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// environment is the variables of this shell that move editors' files: what
// holds where the person stands counts.
func environment() map[string]string {
	out := make(map[string]string)
	for _, name := range table.Overrides() {
		if value := os.Getenv(name); value != "" {
			out[name] = value
		}
	}
	return out
}

func statusOfEditors(ctx context.Context, client *instance.Client, all bool) (resources.EditorList, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	for name, value := range environment() {
		query.Add("env", name+"="+value)
	}
	var list resources.EditorList
	err := client.Do(ctx, http.MethodGet, "/api/editors?"+query.Encode(), nil, &list)
	return list, err
}

func (p *program) listEditors(ctx context.Context, all bool) error {
	client, err := p.client(ctx)
	if err != nil {
		return err
	}
	list, err := statusOfEditors(ctx, client, all)
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(list)
	}
	if len(list.Editors) == 0 {
		p.printf("No AI editor was found here. All that are known: agent-discover editors list --all\n")
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "EDITOR\tNAME\tENTRY\tFILE\tNOTE")
	for _, e := range list.Editors {
		for i, f := range rowsOf(e) {
			id, name := e.ID, cell(e.Name)
			if i > 0 {
				id, name = "", ""
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", id, name, stateOfEntry(e, f), cell(tilde(f.Path)), cell(noteOf(e, f)))
		}
	}
	return table.Flush()
}

// rowsOf returns an editor's files; one without a path for who has none.
func rowsOf(e registration.Status) []registration.FileStatus {
	if len(e.Files) == 0 {
		return []registration.FileStatus{{State: e.State}}
	}
	return e.Files
}

func stateOfEntry(e registration.Status, f registration.FileStatus) string {
	switch {
	case !e.Detected && f.State == registration.Absent:
		return "not here"
	case !e.Registrable && f.State == registration.Absent:
		return "by hand only"
	}
	return map[registration.State]string{
		registration.Absent: "no", registration.Registered: "yes", registration.Stale: "needs repair", registration.Foreign: "not ours",
		registration.Dropped: "was removed", registration.Unreadable: "cannot be read", registration.Waiting: "waits",
	}[f.State]
}

func noteOf(e registration.Status, f registration.FileStatus) string {
	var notes []string
	if f.Problem != "" {
		notes = append(notes, f.Problem)
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

// tilde shortens a path in the home folder.
func tilde(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// editorChoice is which editors a command means.
type editorChoice struct {
	all, yes, replace bool
	project           string
}

func (c *editorChoice) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.all, "all", false, "all editors that are here")
	cmd.Flags().StringVar(&c.project, "project", "", "the project in `DIR`: its own files instead of the user's")
}

func (c *editorChoice) check(args []string) error {
	if c.all == (len(args) > 0) {
		return usage{fmt.Errorf("say which editors: ids of agent-discover editors list, or --all")}
	}
	if c.project != "" {
		path, err := filepath.Abs(c.project)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "%s is not a usable path", c.project)
		}
		c.project = path
	}
	return nil
}

// body is what the hub is asked for.
func (c *editorChoice) body(ids []string) map[string]any {
	return map[string]any{
		"editors": ids, "all": c.all, "project": c.project, "replace": c.replace, "environment": environment(),
	}
}
