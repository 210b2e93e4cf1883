package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	marketplan "github.com/agent-discover/agent-discover/backend/market/plan"
)

// installFlags holds the flags of market install.
type installFlags struct {
	marketplace.Choice
	inputs       inputFlags
	yes, verbose bool
}

func (c marketCommands) install() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use: "install ID", Short: "Install a server, and start it once to list its tools", Args: cobra.ExactArgs(1),
		Long: `Install a server of the marketplace. Everything that would be downloaded, run and stored
is shown, and the server is installed after you have answered on the terminal. Then it is
started once to list its tools. If that fails, or if you interrupt it, everything is
undone.

The command asks for the inputs that the server needs. Secrets are not shown while you type,
and are stored in the keychain. Without a terminal, give the answers with --input, and secrets on
standard input. With --yes nobody sees the plan, so the server is not started: it waits for
your approval.`,
		Example: "  agent-discover market install npm:@modelcontextprotocol/server-filesystem --input directory=/home/me\n" +
			"  agent-discover market install official:io.github.user/weather --option oci --name weather-home\n" +
			"  agent-discover market install npm:weather-mcp --input API_KEY=- --yes < key.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.ID = args[0]
			return c.runInstall(cmd.Context(), f)
		},
	}
	cmd.Flags().StringArrayVar(&f.inputs.values, "input", nil,
		"answer a question of the server, as `NAME=VALUE`; NAME=- reads the value from standard input; may be repeated")
	cmd.Flags().StringArrayVar(&f.inputs.files, "input-file", nil,
		"answer a question with the content of a file, as `NAME=FILE`; may be repeated")
	cmd.Flags().StringVar(&f.Option, "option", "", "install it in the way `OPTION`, as market show lists them")
	cmd.Flags().StringVar(&f.Version, "version", "", "install the version `VERSION`, not the latest one")
	cmd.Flags().StringVar(&f.Name, "name", "", "call the server `NAME`")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "install without asking; the server waits for your approval")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print what package managers print")
	return cmd
}

func (c marketCommands) runInstall(ctx context.Context, f installFlags) error {
	answers, public, err := c.answers(ctx, f.inputs)
	if err != nil {
		return err
	}
	f.Answers = answers
	w, err := c.watcher(ctx)
	if err != nil {
		return err
	}
	w.verbose = f.verbose
	p, err := c.plan(ctx, w, &f.Choice, public)
	if err != nil {
		return err
	}
	begin := func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
		err = client.Do(ctx, http.MethodPost, "/api/market/install", map[string]any{"request": f.Choice, "hash": p.Hash}, &job)
		return job, err
	}
	var download operations.Download
	if p.Download != nil && len(p.Command) > 0 {
		c.p.notef("Looking up what %s would download …\n", p.Name)
		download = downloadOf(ctx, w.client, http.MethodPost, "/api/market/download", f.Choice)
	}
	job, err := c.asPerson(ctx, w, f.yes, planned(p, download), "Install "+p.Name+"?", begin)
	if err != nil {
		return err
	}
	return c.printInstalled(job)
}

// asPerson shows a text to the person at the terminal and, if the person agrees, starts a job on behalf of that person.
// If yes is set, it shows the text and starts the job without asking; the job then does not act for a person.
func (c marketCommands) asPerson(ctx context.Context, w watcher, yes bool, text, question string,
	begin func(context.Context, *instance.Client) (installer.Progress, error),
) (job installer.Progress, err error) {
	if yes {
		c.p.prompting().printf("%s", text)
		return w.follow(ctx, begin)
	}
	switch agreed, err := c.p.askPerson(ctx, text, question); {
	case errors.Is(err, errNoPerson):
		return job, usagef("there is no terminal, so nobody can confirm this; run the command in a terminal, or add --yes")
	case err != nil:
		return job, err
	case !agreed:
		return job, fault.New(fault.Denied, "nothing was changed")
	}
	err = decided(ctx, w.client, func(person *instance.Client) error {
		w.client = person
		job, err = w.follow(ctx, begin)
		return err
	})
	return job, err
}

// maxRounds limits how often plan and compare ask again for answers that the hub does not accept.
const maxRounds = 20

// plan returns the complete plan for a choice. Before that, the hub downloads the files on which the
// plan depends, and plan asks the person for missing programs and answers.
func (c marketCommands) plan(ctx context.Context, w watcher, choice *marketplace.Choice, public map[string]bool) (*marketplan.Plan, error) {
	for range maxRounds {
		var p marketplan.Plan
		if err := w.client.Do(ctx, http.MethodPost, "/api/market/plan", choice, &p); err != nil {
			return nil, err
		}
		choice.Option = p.Option.ID // the answers belong to this option
		if err := checkPublic(&p, public); err != nil {
			return nil, err
		}
		done, err := c.improve(ctx, w, choice, &p)
		if err != nil || done {
			return &p, err
		}
	}
	return nil, fault.New(fault.Invalid, "the answers do not lead to a plan; nothing was installed")
}

// improve makes one step towards a complete plan: it gets a missing program, a download, or the
// missing answers. done reports that the plan is complete.
func (c marketCommands) improve(ctx context.Context, w watcher, choice *marketplace.Choice, p *marketplan.Plan) (done bool, err error) {
	switch missing := p.Unanswered(); {
	case p.Problem != "":
		return false, fault.New(fault.Failed, "%s cannot be installed: %s", shownText(p.ID), p.Problem)
	case p.Missing != "":
		return false, c.getProgram(ctx, w, p)
	case p.Unresolved == marketplan.File || p.Unresolved == marketplan.Digest:
		c.p.notef("Downloading %s to see what it needs …\n", shownText(p.Download.Name))
		_, err := w.follow(ctx, func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
			err = client.Do(ctx, http.MethodPost, "/api/market/prepare", choice, &job)
			return job, err
		})
		return false, err
	case len(missing) > 0 && c.p.interactive:
		return false, c.askFor(ctx, p, choice.Answers)
	case len(missing) > 0:
		if c.p.json {
			_ = c.p.printJSON(p) // the error follows
		}
		return false, errMissing(p)
	}
	return true, p.Check()
}

// getProgram shows how to get the program that a plan needs, and installs it if the person at the terminal agrees.
func (c marketCommands) getProgram(ctx context.Context, w watcher, p *marketplan.Plan) error {
	text := p.Missing + "\n" + howToGet(p.Install)
	missing := fault.New(fault.Unavailable, "%s cannot be installed yet: %s", shownText(p.ID), strings.TrimSpace(text))
	if p.Install == nil || len(p.Install.Run) == 0 || len(p.Needs.Programs) == 0 {
		return missing
	}
	run := make([]string, len(p.Install.Run))
	for i, command := range p.Install.Run {
		run[i] = "  " + wholeCommand(command)
	}
	program := p.Needs.Programs[0]
	yes, err := c.p.askPerson(ctx, fmt.Sprintf("%s\nThese commands install it:\n%s\n", p.Missing, strings.Join(run, "\n")), "Run them now?")
	switch {
	case errors.Is(err, errNoPerson):
		return missing
	case err != nil:
		return err
	case !yes:
		return missing
	}
	return decided(ctx, w.client, func(person *instance.Client) error {
		w.client = person
		_, err := w.follow(ctx, func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
			err = client.Do(ctx, http.MethodPost, "/api/market/programs/"+url.PathEscape(program)+"/install", nil, &job)
			return job, err
		})
		return err
	})
}

// printInstalled prints the result of an installation.
func (c marketCommands) printInstalled(job installer.Progress) error {
	text := fmt.Sprintf("Installed server %s: %s", job.Server, counted(job.Tools, "tool", "tools"))
	switch {
	case job.Waiting:
		text = fmt.Sprintf("Server %s waits for your approval: agent-discover servers approve %s", job.Server, job.Server)
	case job.SignIn:
		text = fmt.Sprintf("Installed server %s. It asks for a sign-in: agent-discover auth login %s", job.Server, job.Server)
	}
	return c.p.respond(job, "%s\n", text)
}
