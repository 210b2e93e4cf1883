package cli

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/onboarding"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// firstRun is the command setup.
type firstRun struct {
	p                      *program
	yes, keep, plain, undo bool
	dry                    bool // only show the plan
}

func (p *program) firstRun() *cobra.Command {
	r := &firstRun{p: p}
	cmd := &cobra.Command{
		Use: "setup", Short: "Connect your editors, and import the servers that they have", Args: cobra.NoArgs,
		Long: `Add the entry of Agent Discover to every editor on this machine, import the servers that
the editors have, store their credentials as secrets, and remove their entries from the
editors, which would otherwise start each server a second time. All of that is shown, and
happens after you have answered on the terminal. Then each server is started once, and
those that cannot start are named with the cause. The whole run can be undone with
--undo.

With --dry-run the plan is shown, and nothing is changed. With --yes nobody sees what the
servers run, so they wait for approval, and their entries stay in the editors until then.`,
		Example: "  agent-discover setup --dry-run\n  agent-discover setup\n  agent-discover setup --undo",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			if r.undo {
				return r.undoLast(cmd.Context(), client)
			}
			return r.run(cmd.Context(), client)
		},
	}
	cmd.Flags().BoolVar(&r.dry, "dry-run", false, "show what would be done, and change nothing")
	cmd.Flags().BoolVar(&r.yes, "yes", false, "do not ask; the servers wait for your approval")
	cmd.Flags().BoolVar(&r.keep, "keep-entries", false, "keep the entries of imported servers in the editors")
	cmd.Flags().BoolVar(&r.plain, "plain-text", false, "keep credentials readable in the configuration if they cannot be stored as secrets")
	cmd.Flags().BoolVar(&r.undo, "undo", false, "restore the files of editors, and remove the servers that the last setup imported")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "undo")
	return cmd
}

// request is the body of the requests for a plan and a run.
type setupRequest struct {
	Editors []string          `json:"editors,omitempty"`
	Expect  map[string]string `json:"expect,omitempty"`
	Program string            `json:"program,omitempty"`
	Servers []importer.Choice `json:"servers,omitzero"`
	TakeOut bool              `json:"take_out"`
	Plain   bool              `json:"plain_text"`
}

func (r *firstRun) run(ctx context.Context, client *instance.Client) error {
	q := setupRequest{TakeOut: !r.keep, Plain: r.plain, Program: ownProgram()}
	var plan onboarding.SetupPlan
	if err := client.Do(ctx, http.MethodPost, "/api/onboarding/plan", q, &plan); err != nil {
		return err
	}
	changes := slices.DeleteFunc(slices.Clone(plan.Editors), func(p registration.Plan) bool { return p.Nothing || p.Problem != "" })
	servers := slices.DeleteFunc(slices.Clone(plan.Import.Servers), func(s importer.Result) bool { return s.Status == importer.Failed })
	if len(changes) == 0 && !plan.Import.Changes() {
		return r.nothing(plan)
	}
	if r.dry {
		return r.p.respond(plan, "%s\nNothing was changed. To do it: agent-discover setup\n", r.text(plan))
	}
	q.Expect = expected(plan.Editors)
	q.Servers = []importer.Choice{} // only what was shown
	for _, s := range servers {
		q.Servers = append(q.Servers, importer.Choice{ID: s.ID})
	}
	done, err := r.confirmed(ctx, client, plan, q)
	if err != nil {
		return err
	}
	return r.show(ctx, client, done)
}

// nothing says that a plan changes nothing, and shows what it leaves out.
func (r *firstRun) nothing(plan onboarding.SetupPlan) error {
	r.p.notef("No editor needs a change, and no editor has a server that can still be imported.\n")
	left := plan.Import
	left.Servers = slices.DeleteFunc(slices.Clone(left.Servers), func(s importer.Result) bool { return s.Status == importer.Existing })
	if !r.p.json {
		editorCommands{r.p}.printImport(left)
	}
	return r.p.respond(plan, "To add a server: agent-discover servers add NAME -- COMMAND ARGS\n")
}

// confirmed makes the run after the person at the terminal has agreed to the plan, or at once with --yes.
func (r *firstRun) confirmed(ctx context.Context, client *instance.Client, plan onboarding.SetupPlan,
	q setupRequest,
) (done onboarding.SetupResult, err error) {
	run := func(client *instance.Client) error {
		return client.Do(ctx, http.MethodPost, "/api/onboarding", q, &done)
	}
	if r.yes {
		return done, run(client)
	}
	switch yes, err := r.p.askPerson(ctx, r.text(plan), "Set up Agent Discover like this? You can undo it."); {
	case errors.Is(err, errNoPerson):
		return done, usagef("there is no terminal, so the setup cannot be confirmed; run it on a terminal, or add --yes and approve the " +
			"servers in the dashboard")
	case err != nil:
		return done, err
	case !yes:
		return done, fault.New(fault.Denied, "nothing was changed")
	}
	return done, decided(ctx, client, run)
}

// text returns the plan for a person.
func (r *firstRun) text(plan onboarding.SetupPlan) string {
	var text strings.Builder
	shown := *r.p
	shown.out, shown.outTerminal, shown.colour = &text, false, false
	editors := editorCommands{&shown}
	shown.printf("EDITORS: each gets one entry, %s\n\n", registration.Name)
	editors.printPlans(plan.Editors)
	if len(plan.Import.Servers) > 0 {
		shown.printf("\nSERVERS: each is imported, and started once to list its tools\n\n")
		editors.printLaunches(plan.Import)
		editors.printImport(plan.Import)
	}
	return text.String()
}

// agents returns whose agents find the tools of the hub, as the subject of a sentence.
func agents(editors []registration.Outcome) string {
	if slices.ContainsFunc(editors, func(o registration.Outcome) bool { return o.Status == "done" || o.Status == "nothing" }) {
		return "Your agents now"
	}
	return "As soon as an editor has the entry, its agents"
}

// show prints what a run did, and waits for the first start of the imported servers.
func (r *firstRun) show(ctx context.Context, client *instance.Client, done onboarding.SetupResult) error {
	if r.p.json {
		return r.p.printJSON(done)
	}
	editors := editorCommands{r.p}
	editors.printOutcomes(done.Editors)
	if len(done.Import.Servers) > 0 {
		editors.printImport(done.Import)
	}
	try, err := r.awaitStarts(ctx, client)
	if err != nil {
		return err
	}
	if try != nil {
		r.p.printf("\n%s find these tools by what they need. Try: agent-discover find %s\n", agents(done.Editors), try.Need)
		r.find(ctx, client, try.Need)
	}
	r.p.printf("\nTo undo the setup: agent-discover setup --undo\n")
	if slices.ContainsFunc(done.Editors, func(o registration.Outcome) bool { return o.Status == "refused" || o.Status == "failed" }) ||
		slices.ContainsFunc(done.Servers, func(s onboarding.SetupServer) bool { return s.Status == importer.Failed }) {
		return exitCode(exitFailed)
	}
	return nil
}

func (r *firstRun) undoLast(ctx context.Context, client *instance.Client) error {
	var last onboarding.SetupRun
	if err := client.Do(ctx, http.MethodGet, "/api/onboarding", nil, &last); err != nil {
		return err
	}
	imported := 0
	for _, s := range last.Servers {
		if s.ID != 0 {
			imported++
		}
	}
	if !r.yes && last.Undoable { // otherwise the hub says why nothing is undone
		if !r.p.interactive {
			return usagef("standard input is not a terminal, so the undo cannot be confirmed; add --yes")
		}
		if !r.p.confirm("Undo the setup of " + minute(&last.At) + ": restore the files of editors, and remove " +
			counted(imported, "server", "servers") + " with their secrets?") {
			return fault.New(fault.Denied, "nothing was undone")
		}
	}
	var undone onboarding.SetupUndone
	if err := client.Do(ctx, http.MethodPost, "/api/onboarding/undo", nil, &undone); err != nil {
		return err
	}
	if r.p.json {
		return r.p.printJSON(undone)
	}
	editorCommands{r.p}.printOutcomes(undone.Editors)
	for _, name := range undone.Removed {
		r.p.printf("removed server %s\n", name)
	}
	for _, name := range undone.Kept {
		r.p.printf("kept server %s, because its entry could not be returned to the editor\n", name)
	}
	return nil
}
