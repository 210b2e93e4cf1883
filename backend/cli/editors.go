package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

type editorCommands struct{ p *program }

func (c editorCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "editors", Short: "Add the entry to AI editors, and import their servers", Args: cobra.NoArgs,
		Long: `Find the AI editors and agents on this machine, add the Agent Discover entry to their
configuration, and import the servers that they have. Without a subcommand, list them.

Every change is shown first and can be undone exactly. Nothing else in the editors'
files is changed. EDITOR is an id from: agent-discover editors list`,
		Example: "  agent-discover editors preview --all\n  agent-discover editors register cursor zed\n" +
			"  agent-discover editors undo cursor\n  agent-discover editors import --all --take-out",
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context(), false) },
	}
	cmd.AddCommand(c.listCommand(), c.preview(),
		c.change(registration.Register, "Add the entry to editors, or repair or update it"),
		c.change(registration.Unregister, "Remove the entry from editors"),
		c.undo(), c.history(), c.doctor(), c.importServers(), c.export(), c.watch(), c.auto())
	return cmd
}

func completeEditors(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, e := range table.Table() {
		ids = append(ids, e.ID+"\t"+e.Name)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// environment returns the variables of this shell that change where editors
// keep their files. The hub may have been started without them.
func environment() map[string]string {
	out := make(map[string]string)
	for _, name := range table.Overrides() {
		if value := os.Getenv(name); value != "" {
			out[name] = value
		}
	}
	return out
}

// tilde replaces the home folder at the start of a path by ~.
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

// editorChoice holds the flags that select editors and their files.
type editorChoice struct {
	all, yes, replace bool
	project           string
	surface           string // only for register
}

// flags adds --all and --project.
func (c *editorChoice) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.all, "all", false, "all editors on this machine")
	cmd.Flags().StringVar(&c.project, "project", "", "use the files of the project in `DIR` instead of your own")
}

// replaceFlag adds --replace to a command that writes the Agent Discover entry of editors.
func (c *editorChoice) replaceFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.replace, "replace", false, "also replace an entry with the same name that starts another program")
}

// surfaceFlag adds --surface to a command that writes the Agent Discover entry of editors.
func (c *editorChoice) surfaceFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.surface, "surface", "",
		"what the editors are shown: meta, registry, native, or server:`NAME` for a single server; by default, as before, and meta in "+
			"new entries")
}

func (c *editorChoice) check(args []string) error {
	if c.all == (len(args) > 0) {
		return usagef("name the editors, by ids from agent-discover editors list, or use --all")
	}
	if c.project != "" {
		path, err := filepath.Abs(c.project)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "invalid project folder: %s", c.project)
		}
		c.project = path
	}
	return nil
}

// body returns the request for a change of the editors with these ids.
func (c *editorChoice) body(ids []string) map[string]any {
	return map[string]any{
		"editors": ids, "all": c.all, "project": c.project, "replace": c.replace, "surface": c.surface, "environment": environment(),
		"program": ownProgram(),
	}
}

// ownProgram returns the path of this program, which the entries are to start: the hub may be another copy. It returns ""
// if the system does not report it.
func ownProgram() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	return own
}

func with(body map[string]any, key string, value any) map[string]any {
	out := maps.Clone(body)
	out[key] = value
	return out
}

func (c editorCommands) printSnippet(snippet string) {
	if snippet != "" {
		lines := strings.ReplaceAll(strings.TrimRight(snippet, "\n"), "\n", "\n      ")
		c.p.printf("    to add it by hand, paste this:\n      %s\n", lines)
	}
}

func (c editorCommands) printPlans(plans []registration.Plan) {
	if len(plans) == 0 {
		c.p.printf("Nothing to do.\n")
	}
	for _, plan := range plans {
		c.p.printf("%s  %s\n", strings.Join(append([]string{plan.Editor}, plan.Shared...), ", "), tilde(plan.Path))
		if plan.Target != "" {
			c.p.printf("    a link to %s\n", tilde(plan.Target))
		}
		switch {
		case plan.Problem != "":
			c.p.printf("    refused: %s\n", plan.Problem)
			c.printSnippet(plan.Snippet)
			continue
		case plan.Nothing:
			c.p.printf("    no change needed\n")
			continue
		case plan.Writer != "":
			c.p.printf("    changed by running: %s\n", plan.Writer)
		}
		if plan.Hint != "" {
			c.p.printf("    %s\n", plan.Hint)
		}
		if plan.Wait {
			c.p.printf("    the editor is running; the change is made when it exits\n")
		}
		for _, line := range plan.Diff {
			sign := map[string]string{"add": "+", "remove": "-", "skip": "…"}[line.Kind]
			c.p.printf("    %s %s\n", cmp.Or(sign, " "), line.Text)
		}
	}
}

func (c editorCommands) printOutcomes(outcomes []registration.Outcome) {
	if len(outcomes) == 0 {
		c.p.printf("Nothing to do.\n")
	}
	for _, o := range outcomes {
		line := strings.Join(append([]string{o.Editor}, o.Shared...), ", ") + ": " + statusText(o.Status)
		if o.Path != "" {
			line += "  " + tilde(o.Path)
		}
		for _, more := range []string{o.Problem, o.Reload} {
			if more != "" {
				line += "\n    " + more
			}
		}
		if o.Change != "" {
			line += "\n    to undo: agent-discover editors undo " + o.Change
		}
		c.p.printf("%s\n", line)
		c.printSnippet(o.Snippet)
	}
}

// statusText describes the status of an outcome for a person.
func statusText(status string) string {
	switch status {
	case "nothing":
		return "no change needed"
	case "waiting":
		return "waiting for the editor to exit"
	}
	return status
}

// undoText describes what undoing a change would do.
func undoText(r registration.Record) string {
	switch {
	case r.Undone:
		return "undone"
	case !r.Possible:
		return fmt.Sprintf("not possible: %s", r.Why)
	case r.Exact:
		return "restores the file"
	}
	return "removes only the entry"
}
