package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/base/version"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// doctorCommand is the command doctor. It works without a hub and does not
// start one.
type doctorCommand struct{ p *program }

// finding is the result of one check.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"`
	needed bool   // the hub cannot work if this check fails
	remedy *remedy
}

func (d doctorCommand) command() *cobra.Command {
	var repair, fix bool
	var from copyChoice
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check this machine for problems and suggest fixes", Args: cobra.NoArgs,
		Long: `Check this machine for problems and suggest fixes: the data folder, the settings, the
database, the hub, and the programs that start servers; while the hub is running, also
secrets, servers, search and editors. This command does not start the hub. It exits with 3 if a
problem keeps the hub from working.

With --fix, it does what it can about what it finds: it restarts a hub that is of another version
or does not have its port, starts servers once whose tools are not known, and repairs the entries of
editors after it has shown the changes. It approves nothing and starts no hub that you have stopped.

With --repair, a damaged database is moved aside, and what can be read of it is saved in a new
one. If the newest copy of the database has rows of tables that could not be read completely,
the command asks whether to take these, too. Approvals, remembered answers, links to secrets,
tokens of MCP clients and logs are not taken from a copy, so that nothing that you have revoked
comes back; servers from a copy wait for your approval, unless the saved approvals contain them.`,
		Example: "  agent-discover doctor\n  agent-discover doctor --fix\n  agent-discover doctor --repair\n  agent-discover doctor --repair --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !repair && (from.yes && !fix || from.no):
				return usagef("--yes needs --repair or --fix, and --no-copy needs --repair")
			case repair && fix:
				return usagef("use either --repair or --fix, not both")
			case fix:
				return d.fix(cmd.Context(), from.yes)
			case from.yes && from.no:
				return usagef("use either --yes or --no-copy, not both")
			case repair:
				return d.repair(cmd.Context(), from)
			}
			return d.examine(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move a damaged database aside, and save what can be read from it in a new one")
	cmd.Flags().BoolVar(&from.yes, "yes", false, "without asking: with --repair, take what is missing from the newest copy of the database; with --fix, "+
		"change editors' files")
	cmd.Flags().BoolVar(&fix, "fix", false, "do what can be done about the problems, then check again")
	cmd.Flags().BoolVar(&from.no, "no-copy", false, "with --repair: take nothing from a copy of the database")
	return cmd
}

func (d doctorCommand) examine(ctx context.Context) error { return d.print(d.findings(ctx)) }

// findings makes all checks.
func (d doctorCommand) findings(ctx context.Context) []finding {
	findings := []finding{d.checkFolder(), d.checkSettings(), d.checkDatabase(ctx)}
	info, err := instance.Read(d.p.folder)
	if err != nil {
		findings = append(findings, d.withoutHub(err))
		findings = append(findings, d.checkPortWithoutHub(ctx)...)
	} else {
		findings = append(findings, d.askHub(ctx, info)...)
	}
	for _, v := range settings.IgnoredVariables() {
		findings = append(findings, finding{What: "environment", Detail: v.Name + " has no effect", Advice: v.Advice})
	}
	confinement, complete := sandbox.Describe(confinement.ThisProgram())
	findings = append(findings, finding{
		What: "sandbox", OK: complete, Detail: confinement,
		Advice: "servers with the sandbox level strict do not start here; see SECURITY.md for what each system enforces",
	})
	return append(findings, checkPrograms(ctx)...)
}

// indent is the space before the lines that belong to a finding.
const indent = "         "

// wrapped breaks a text at spaces into lines of at most width characters, of which all but the first are indented. A word
// that is longer stays whole, and so does the text if the width is not positive.
func wrapped(text string, width int, indent string) string {
	if width <= 0 {
		return text
	}
	var out strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		long := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+long > width:
			out.WriteString("\n" + indent)
			used = 0
		default:
			out.WriteString(" ")
			used++
		}
		out.WriteString(word)
		used += long
	}
	return out.String()
}

func (d doctorCommand) print(findings []finding) error {
	var failed error
	for _, f := range findings {
		if f.needed && !f.OK {
			failed = exitCode(exitFailed)
		}
	}
	if d.p.json {
		return errors.Join(d.p.printJSON(findings), failed)
	}
	for _, f := range findings {
		mark := "ok     "
		if !f.OK {
			mark = "WARNING"
			if f.needed {
				mark = "ERROR  "
			}
		}
		if d.p.colour {
			d.p.write(withColour(mark))
		} else {
			d.p.write(mark)
		}
		width := d.p.width() - len(indent)
		d.p.printf("  %s\n", wrapped(f.What+": "+f.Detail, width, indent))
		if !f.OK && f.Advice != "" {
			d.p.printf("%s%s\n", indent, wrapped(f.Advice, width, indent))
		}
	}
	return failed
}

func (d doctorCommand) checkFolder() finding {
	f := finding{What: "data folder", OK: true, Detail: string(d.p.folder), needed: true}
	err := d.p.folder.Create()
	if err == nil {
		err = d.p.folder.CheckSpace()
	}
	if err != nil {
		f.OK, f.Advice = false, fault.MessageOf(err)
	}
	return f
}

func (d doctorCommand) checkSettings() finding {
	f := finding{What: "settings", OK: true, Detail: d.p.folder.Config(), needed: true}
	if _, err := os.Stat(d.p.folder.Config()); errors.Is(err, fs.ErrNotExist) {
		f.Detail += " (not created; the defaults apply)"
	}
	if _, err := settings.Load(d.p.folder.Config()); err != nil {
		f.OK, f.Advice = false, fault.MessageOf(err)
	}
	return f
}

func (d doctorCommand) checkDatabase(ctx context.Context) finding {
	file := d.p.folder.Database()
	f := finding{What: "database", OK: true, Detail: file, needed: true}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		f.Detail += " (not created yet)"
		if info, err := instance.Read(d.p.folder); err == nil {
			f.OK, f.Detail = false, file+" was removed or moved"
			f.Advice = fmt.Sprintf("the hub (process %d) has it open; within seconds the hub writes it again, and ends", info.PID)
		}
		return f
	}
	if err := store.Inspect(ctx, file); err != nil {
		f.OK, f.Detail, f.Advice = false, file+" cannot be checked", fault.MessageOf(err)
		if store.Damaged(err) {
			f.Detail = file + " is damaged"
		}
		if _, newer := errors.AsType[store.Newer](err); newer {
			f.Detail = file + " is of a newer version"
		}
	}
	if copies := store.Copies(file); len(copies) > 0 {
		f.Detail += "; newest copy: " + copies[len(copies)-1]
	}
	return f
}

// withoutHub says why no hub can be used. why is the error of instance.Read.
func (d doctorCommand) withoutHub(why error) finding {
	f := finding{
		What: "hub", Detail: "not running", Advice: "start it with: agent-discover start (editors start it automatically)", remedy: d.restart(),
	}
	ended := instance.Ended(d.p.folder)
	switch id, held := instance.Holder(d.p.folder); {
	case held:
		return finding{
			What: "hub", Detail: fmt.Sprintf("process %d runs, but cannot be used", id.PID),
			Advice: fault.MessageOf(instance.Silent(d.p.folder, id)), needed: true,
		}
	case instance.Elsewhere(why):
		f.Advice, f.remedy = fault.MessageOf(why), nil
	case instance.Stopped(d.p.folder):
		f.Detail, f.Advice, f.remedy = "stopped by the user", "start it with: agent-discover start", nil
	case ended != "":
		f.Detail = "not running; the last one ended because " + ended
	}
	return f
}

// askHub asks the hub about itself and what it manages. If the hub does not answer in time, the last finding says so.
func (d doctorCommand) askHub(ctx context.Context, info instance.Info) []finding {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	client := instance.NewClient(info)
	hub := finding{What: "hub", Detail: "version " + info.Version + " at http://" + info.Address() + ", log in " + d.p.folder.Log()}
	var now struct{ Problem string }
	if err := client.Do(ctx, http.MethodGet, "/api/status", nil, &now); err != nil {
		hub.Advice, hub.needed = fault.MessageOf(err), true
		return []finding{hub}
	}
	difference := version.Difference(info.Version, d.p.version)
	hub.Advice = cmp.Or(now.Problem, difference)
	if difference != "" && !version.Newer(info.Version, d.p.version) {
		hub.remedy = d.restart()
	}
	hub.OK = hub.Advice == ""
	findings := []finding{hub}
	for _, check := range []func(context.Context, *instance.Client) []finding{
		checkSecrets, d.checkServers, checkSearch, d.checkEditors, d.checkPort,
	} {
		findings = append(findings, check(ctx, client)...)
	}
	if ctx.Err() != nil {
		findings = append(findings, finding{
			What: "hub", Detail: fmt.Sprintf("did not answer every request within %d seconds", int(answerLimit.Seconds())),
			Advice: fault.MessageOf(info.NoAnswer(ctx.Err())),
		})
	}
	if info.AuthOff {
		findings = append(findings, finding{
			What: "token", Detail: authOff, Advice: "stop the hub, unset the variable, and start the hub again",
		})
	}
	return findings
}
