package cli

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/store"
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
}

func (d doctorCommand) command() *cobra.Command {
	var repair bool
	var from copyChoice
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check this machine for problems and suggest fixes", Args: cobra.NoArgs,
		Long: `Check this machine for problems and suggest fixes: the data folder, the settings, the
database, the hub, and the programs that start servers; while the hub is running, also
secrets, servers, search and editors. This command does not start the hub. It exits with 3 if a
problem keeps the hub from working.

With --repair, a damaged database is moved aside, and what can be read of it is saved in a new
one. If the newest copy of the database has rows of tables that could not be read completely,
the command asks whether to take these, too. Approvals, remembered answers, links to secrets,
tokens of MCP clients and logs are not taken from a copy, so that nothing that you have revoked
comes back; servers from a copy wait for your approval, unless the saved approvals contain them.`,
		Example: "  agent-discover doctor\n  agent-discover doctor --repair\n  agent-discover doctor --repair --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !repair && (from.yes || from.no):
				return usagef("--yes and --no-copy need --repair")
			case from.yes && from.no:
				return usagef("use either --yes or --no-copy, not both")
			case repair:
				return d.repair(cmd.Context(), from)
			}
			return d.examine(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move a damaged database aside, and save what can be read from it in a new one")
	cmd.Flags().BoolVar(&from.yes, "yes", false, "with --repair: take what is missing from the newest copy of the database without asking")
	cmd.Flags().BoolVar(&from.no, "no-copy", false, "with --repair: take nothing from a copy of the database")
	return cmd
}

func (d doctorCommand) examine(ctx context.Context) error {
	findings := []finding{d.checkFolder(), d.checkSettings(), d.checkDatabase(ctx), d.checkHub(ctx)}
	if info, err := instance.Read(d.p.folder); err == nil {
		client := instance.NewClient(info)
		findings = append(findings, checkSecrets(ctx, client)...)
		findings = append(findings, checkServers(ctx, client)...)
		findings = append(findings, checkSearch(ctx, client)...)
		findings = append(findings, checkEditors(ctx, client)...)
		if info.AuthOff {
			findings = append(findings, finding{
				What: "token", Detail: authOff, Advice: "stop the hub, unset the variable, and start the hub again",
			})
		}
	}
	for _, v := range settings.IgnoredVariables() {
		findings = append(findings, finding{What: "environment", Detail: v.Name + " has no effect", Advice: v.Advice})
	}
	confinement, complete := sandbox.Describe(sandbox.ThisProgram())
	findings = append(findings, finding{
		What: "sandbox", OK: complete, Detail: confinement,
		Advice: "servers with the sandbox level strict do not start here; see SECURITY.md for what each system enforces",
	})
	return d.print(append(findings, checkPrograms(ctx)...))
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
		d.p.printf("  %s: %s\n", f.What, f.Detail)
		if !f.OK && f.Advice != "" {
			d.p.printf("         %s\n", f.Advice)
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

func (d doctorCommand) checkHub(ctx context.Context) finding {
	f := finding{What: "hub", Advice: "start it with: agent-discover start (editors start it automatically)"}
	info, err := instance.Read(d.p.folder)
	if err != nil {
		f.Detail = "not running"
		if instance.Stopped(d.p.folder) {
			f.Detail, f.Advice = "stopped by the user", "start it with: agent-discover start"
		}
		return f
	}
	f.Detail = "version " + info.Version + " at http://" + info.Address() + ", log in " + d.p.folder.Log()
	var now struct{ Problem string }
	if err := instance.NewClient(info).Do(ctx, http.MethodGet, "/api/status", nil, &now); err != nil {
		f.Advice = fault.MessageOf(err)
		return f
	}
	f.OK, f.Advice = now.Problem == "", now.Problem
	return f
}
