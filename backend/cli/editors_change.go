package cli

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (p *program) previewEditors() *cobra.Command {
	var choice editorChoice
	var out bool
	cmd := &cobra.Command{
		Use: "preview EDITOR... | --all", Short: "Show what registering would change, and change nothing", ValidArgsFunction: p.completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			action := registration.Register
			if out {
				action = registration.Unregister
			}
			plans, err := plan(cmd.Context(), client, with(choice.body(args), "action", action))
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(plans)
			}
			p.printPlans(plans.Plans)
			return nil
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&out, "unregister", false, "show what taking our entry out would change")
	cmd.Flags().BoolVar(&choice.replace, "replace", false, "also an entry of our name that starts something else")
	return cmd
}

func (p *program) changeEditors(action registration.Action, short string) *cobra.Command {
	var choice editorChoice
	cmd := &cobra.Command{
		Use: string(action) + " EDITOR... | --all", Short: short, ValidArgsFunction: p.completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := choice.body(args)
			plans, err := plan(cmd.Context(), client, with(body, "action", action))
			if err != nil {
				return err
			}
			if err := p.consent(plans.Plans, choice.yes); err != nil {
				return err
			}
			return p.carryOut(cmd.Context(), client, "/api/editors/"+string(action), with(body, "expect", hashes(plans.Plans)))
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&choice.yes, "yes", false, "change the files without a question")
	if action == registration.Register {
		cmd.Flags().BoolVar(&choice.replace, "replace", false, "also an entry of our name that starts something else")
	}
	return cmd
}

func with(body map[string]any, key string, value any) map[string]any {
	out := maps.Clone(body)
	out[key] = value
	return out
}

func plan(ctx context.Context, client *instance.Client, body map[string]any) (plans resources.Plans, err error) {
	err = client.Do(ctx, http.MethodPost, "/api/editors/plan", body, &plans)
	return plans, err
}

func hashes(plans []registration.Plan) map[string]string {
	out := make(map[string]string)
	for _, plan := range plans {
		out[plan.Path] = plan.Before
	}
	return out
}

// consent shows changes and asks for them. Where nobody can be asked, only --yes
// is a yes: these are files that a person wrote.
func (p *program) consent(plans []registration.Plan, yes bool) error {
	changes := slices.DeleteFunc(slices.Clone(plans), func(plan registration.Plan) bool { return plan.Nothing || plan.Problem != "" })
	if yes || len(changes) == 0 {
		return nil
	}
	if !p.asks {
		return usage{fmt.Errorf("nobody can be asked here, and this changes files of yours; look with agent-discover editors preview, then add --yes")}
	}
	p.printPlans(plans)
	files := "this file"
	if len(changes) > 1 {
		files = fmt.Sprintf("these %d files", len(changes))
	}
	if !p.confirm("Change " + files + "?") {
		return fault.New(fault.Denied, "nothing was changed")
	}
	return nil
}

// carryOut asks the hub for changes and tells what became of them; one that was
// refused or failed makes the command fail.
func (p *program) carryOut(ctx context.Context, client *instance.Client, path string, body map[string]any) error {
	var out resources.Outcomes
	if err := client.Do(ctx, http.MethodPost, path, body, &out); err != nil {
		return err
	}
	if p.json {
		if err := p.printJSON(out); err != nil {
			return err
		}
	} else {
		p.printOutcomes(out.Outcomes)
	}
	if slices.ContainsFunc(out.Outcomes, func(o registration.Outcome) bool { return o.Status == "refused" || o.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return nil
}

func (p *program) printOutcomes(outcomes []registration.Outcome) {
	if len(outcomes) == 0 {
		p.printf("There was nothing to do.\n")
	}
	for _, o := range outcomes {
		line := o.Editor + ": " + o.Status
		if o.Path != "" {
			line += "  " + tilde(o.Path)
		}
		for _, more := range []string{o.Problem, o.Reload} {
			if more != "" {
				line += "\n    " + more
			}
		}
		if o.Change != "" {
			line += "\n    take it back with: agent-discover editors undo " + o.Change
		}
		p.printf("%s\n", line)
		p.printSnippet(o.Snippet)
	}
}

func (p *program) printSnippet(snippet string) {
	if snippet != "" {
		p.printf("    paste this by hand:\n%s\n", indented(snippet))
	}
}

func indented(text string) string {
	return "      " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      ")
}

func (p *program) printPlans(plans []registration.Plan) {
	if len(plans) == 0 {
		p.printf("There is nothing to do.\n")
	}
	for _, plan := range plans {
		p.printf("%s  %s\n", plan.Editor, tilde(plan.Path))
		switch {
		case plan.Problem != "":
			p.printf("    refused: %s\n", plan.Problem)
			p.printSnippet(plan.Snippet)
			continue
		case plan.Nothing:
			p.printf("    it is as wished already\n")
			continue
		case plan.Writer != "":
			p.printf("    it is changed by: %s\n", plan.Writer)
		}
		if plan.Wait {
			p.printf("    it is running: the change is made as soon as it has ended\n")
		}
		for _, line := range plan.Diff {
			sign := map[string]string{"add": "+", "remove": "-", "skip": "…"}[line.Kind]
			if sign == "" {
				sign = " "
			}
			p.printf("    %s %s\n", sign, line.Text)
		}
	}
}

func (p *program) undoEditors() *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use: "undo CHANGE... | EDITOR... | --all", Short: "Take changes back: to the byte while a file is as we left it", ValidArgsFunction: p.completeEditors,
		Long: `CHANGE is an id of: agent-discover editors history. EDITOR stands for the last change
of that editor that was not taken back, --all for all of them. Where a file has changed
since, our part alone goes and the rest stays.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usage{fmt.Errorf("say what to take back: ids of agent-discover editors history, editors, or --all")}
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			ids, err := changesOf(cmd.Context(), client, args)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return p.say(resources.Outcomes{Outcomes: []registration.Outcome{}}, "There is nothing to take back.\n")
			}
			plans, err := plan(cmd.Context(), client, map[string]any{"action": registration.Undo, "changes": ids})
			if err != nil {
				return err
			}
			if err := p.consent(plans.Plans, yes); err != nil {
				return err
			}
			return p.carryOut(cmd.Context(), client, "/api/editors/undo", map[string]any{"changes": ids})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all changes that were not taken back")
	cmd.Flags().BoolVar(&yes, "yes", false, "change the files without a question")
	return cmd
}

func historyOf(ctx context.Context, client *instance.Client, editor string) ([]registration.Record, error) {
	var history resources.EditorHistory
	err := client.Do(ctx, http.MethodGet, "/api/editors/history?editor="+url.QueryEscape(editor), nil, &history)
	return history.Changes, err
}

// changesOf returns the ids of the changes that are meant: all that stand when
// nothing is said.
func changesOf(ctx context.Context, client *instance.Client, args []string) ([]string, error) {
	history, err := historyOf(ctx, client, "")
	if err != nil {
		return nil, err
	}
	var ids []string
	if len(args) == 0 {
		for _, r := range history {
			if stands(r) {
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
		last, err := historyOf(ctx, client, arg)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(last, stands)
		if i < 0 {
			return nil, fault.New(fault.NotFound, "there is no change of %s to take back; see: agent-discover editors history", arg)
		}
		ids = append(ids, last[i].ID)
	}
	return ids, nil
}

func stands(r registration.Record) bool { return !r.Undone && r.Action != registration.Undo }

func (p *program) historyOfEditors() *cobra.Command {
	return &cobra.Command{
		Use: "history [EDITOR]", Short: "Show the changes that were made in editors' files", Args: cobra.MaximumNArgs(1), ValidArgsFunction: p.completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			history, err := historyOf(cmd.Context(), client, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(resources.EditorHistory{Changes: history})
			}
			if len(history) == 0 {
				p.printf("No file of an editor was changed yet.\n")
				return nil
			}
			table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
			_, _ = fmt.Fprintln(table, "CHANGE\tTIME\tEDITOR\tWHAT\tENTRIES\tUNDO")
			for _, r := range history {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.At.Local().Format(time.DateTime), r.Editor, r.Action,
					cell(strings.Join(r.Entries, ", ")), cell(undoOf(r)))
			}
			return table.Flush()
		},
	}
}

func undoOf(r registration.Record) string {
	switch {
	case r.Undone:
		return "was undone"
	case !r.Possible:
		return "no: " + r.Why
	case r.Exact:
		return "to the byte"
	}
	return "our part alone"
}
