package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (c editorCommands) preview() *cobra.Command {
	var choice editorChoice
	var remove bool
	cmd := &cobra.Command{
		Use: "preview EDITOR... | --all", Short: "Show what registering would change, without changing it",
		ValidArgsFunction: completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			action := registration.Register
			if remove {
				action = registration.Unregister
			}
			plans, err := plan(cmd.Context(), client, with(choice.body(args), "action", action))
			if err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(plans)
			}
			c.printPlans(plans.Plans)
			return nil
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&remove, "unregister", false, "show what removing the entry would change")
	choice.replaceFlag(cmd)
	choice.surfaceFlag(cmd)
	return cmd
}

// change returns the command register or unregister.
func (c editorCommands) change(action registration.Action, short string) *cobra.Command {
	var choice editorChoice
	cmd := &cobra.Command{
		Use: string(action) + " EDITOR... | --all", Short: short, ValidArgsFunction: completeEditors,
		Long: short + `. The change of each file is shown before
you are asked to confirm it. To undo it: agent-discover editors undo

EDITOR is an id from: agent-discover editors list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			return c.planAndApply(cmd.Context(), client, choice.yes, consent{
				plan: with(choice.body(args), "action", action), path: "/api/editors/" + string(action), apply: choice.body(args),
			})
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&choice.yes, "yes", false, "change the files without asking")
	if action == registration.Register {
		choice.replaceFlag(cmd)
		choice.surfaceFlag(cmd)
	}
	return cmd
}

func plan(ctx context.Context, client *instance.Client, body map[string]any) (plans operations.Plans, err error) {
	err = client.Do(ctx, http.MethodPost, "/api/editors/plan", body, &plans)
	return plans, err
}

// consent is a change that a person has to confirm.
type consent struct {
	plan  map[string]any // body of the request for the plans
	path  string         // path of the request for the change
	apply map[string]any // body of the request for the change
}

// planAndApply shows the planned changes, asks for confirmation, and makes them. If some plans have
// changed in the meantime, it shows the new plans and asks again. If yes is set, it makes the
// changes without showing them.
func (c editorCommands) planAndApply(ctx context.Context, client *instance.Client, yes bool, q consent) error {
	if yes {
		out, err := c.apply(ctx, client, q.path, q.apply)
		if err != nil {
			return err
		}
		return c.printResult(out.Outcomes)
	}
	plans, err := plan(ctx, client, q.plan)
	if err != nil {
		return err
	}
	if err := c.confirmPlans(plans.Plans, "nothing was changed"); err != nil {
		return err
	}
	out, err := c.apply(ctx, client, q.path, with(q.apply, "expect", expected(plans.Plans)))
	for err == nil && c.p.interactive && slices.ContainsFunc(out.Outcomes, review) {
		if plans, err = plan(ctx, client, q.plan); err != nil {
			break
		}
		left := slices.DeleteFunc(plans.Plans, func(p registration.Plan) bool {
			return !slices.ContainsFunc(out.Outcomes, func(o registration.Outcome) bool {
				return o.Review && o.Editor == p.Editor && o.Path == p.Path
			})
		})
		if len(left) == 0 {
			break
		}
		c.p.notef("Another program has changed %d of the files meanwhile, so that the change is a different one now.\n", len(left))
		if denied := c.confirmPlans(left, "the other files were not changed"); denied != nil {
			if made := slices.DeleteFunc(out.Outcomes, review); len(made) > 0 {
				_ = c.printResult(made)
			}
			return denied
		}
		var more operations.Outcomes
		more, err = c.apply(ctx, client, q.path, narrowed(with(q.apply, "expect", expected(left)), left))
		out.Outcomes = append(slices.DeleteFunc(out.Outcomes, review), more.Outcomes...)
	}
	if err != nil {
		return err
	}
	return c.printResult(out.Outcomes)
}

// review reports whether a change was refused because its plan is no longer the
// one that was shown.
func review(o registration.Outcome) bool { return o.Review }

// expected returns identifiers of the plans that a person has seen, by the path of the file or, for an undo, by the id
// of the change. The hub makes a change only if its plan still has the same identifier.
func expected(plans []registration.Plan) map[string]string {
	out := make(map[string]string)
	for _, plan := range plans {
		out[cmp.Or(plan.Change, plan.Path)] = cmp.Or(plan.Difference, plan.Before)
	}
	return out
}

// narrowed returns a copy of a request body that names only the editors or changes of the given plans.
func narrowed(body map[string]any, plans []registration.Plan) map[string]any {
	editors, changes := []string{}, []string{}
	for _, plan := range plans {
		editors, changes = append(editors, plan.Editor), append(changes, plan.Change)
	}
	if _, undo := body["changes"]; undo {
		return with(body, "changes", changes)
	}
	return with(with(body, "editors", editors), "all", false)
}

// confirmPlans shows the planned changes and asks for confirmation. If standard input
// is not a terminal, it returns an error that refers to --yes, because people wrote the
// files that would be changed. denied is the message of the error if the person
// declines.
func (c editorCommands) confirmPlans(plans []registration.Plan, denied string) error {
	changes := 0
	for _, plan := range plans {
		if !plan.Nothing && plan.Problem == "" {
			changes++
		}
	}
	if changes == 0 {
		return nil
	}
	if !c.p.interactive {
		return usagef("standard input is not a terminal, so the change cannot be confirmed; check it with agent-discover editors " +
			"preview, then add --yes")
	}
	editorCommands{c.p.prompting()}.printPlans(plans)
	files := "this file"
	if changes > 1 {
		files = fmt.Sprintf("these %d files", changes)
	}
	if !c.p.confirm("Change " + files + "?") {
		return fault.New(fault.Denied, "%s", denied)
	}
	return nil
}

func (c editorCommands) apply(ctx context.Context, client *instance.Client, path string,
	body map[string]any,
) (out operations.Outcomes, err error) {
	err = client.Do(ctx, http.MethodPost, path, body, &out)
	return out, err
}

// printResult prints the outcomes of changes. It fails if one of them was
// refused or failed.
func (c editorCommands) printResult(outcomes []registration.Outcome) error {
	if c.p.json {
		if err := c.p.printJSON(operations.Outcomes{Outcomes: outcomes}); err != nil {
			return err
		}
	} else {
		c.printOutcomes(outcomes)
	}
	if slices.ContainsFunc(outcomes, func(o registration.Outcome) bool { return o.Status == "refused" || o.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return nil
}
