package cli

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// remedy is what doctor --fix does about a finding.
type remedy struct {
	what string // as a heading, such as "Restart the hub"
	do   func(ctx context.Context, yes bool) error
}

// fix examines the machine, does what it can about what it finds, and reports what is left. A remedy that fails does
// not stop the others.
func (d doctorCommand) fix(ctx context.Context, yes bool) error {
	done := make(map[string]bool) // one remedy may be that of several findings
	for _, f := range d.findings(ctx) {
		if f.OK || f.remedy == nil || done[f.remedy.what] {
			continue
		}
		done[f.remedy.what] = true
		d.p.notef("%s: %s\n", f.remedy.what, f.What)
		if err := f.remedy.do(ctx, yes); err != nil {
			d.p.notef("  that failed: %s\n", fault.MessageOf(err))
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	if len(done) == 0 {
		d.p.notef("There is nothing that this command can fix.\n")
	}
	return d.examine(ctx)
}

// restart stops the hub, if one runs, and starts one of this program.
func (d doctorCommand) restart() *remedy {
	return &remedy{"Restart the hub", func(ctx context.Context, _ bool) error {
		end, err := instance.BeginStart(d.p.folder)
		if err != nil {
			return err
		}
		defer end()
		if err := hubCommands(d).end(ctx, false); err != nil {
			return err
		}
		_, err = instance.Ensure(ctx, d.p.folder, "start")
		return err
	}}
}

// list starts a server once, so that its tools are known.
func (d doctorCommand) list(client *instance.Client, s operations.Server) *remedy {
	return &remedy{"Start the server " + s.Name, func(ctx context.Context, _ bool) error {
		return client.Do(ctx, "POST", serverPath(s, "refresh"), nil, nil)
	}}
}

// repairEntry writes the entry of an editor again, after it has shown the change and asked.
func (d doctorCommand) repairEntry(client *instance.Client, f doctor.Finding) *remedy {
	if f.Kind != doctor.Stale && f.Kind != doctor.Dropped || len(f.Editors) != 1 {
		return nil
	}
	return &remedy{"Repair the entry of " + f.Editors[0], func(ctx context.Context, yes bool) error {
		var choice editorChoice
		body := choice.body(f.Editors)
		err := editorCommands{d.p.prompting()}.planAndApply(ctx, client, yes, consent{
			plan: with(body, "action", registration.Register), path: "/api/editors/register", apply: body,
		})
		if code, failed := errors.AsType[exitCode](err); failed && code == exitFailed {
			return fault.New(fault.Failed, "the file was not changed")
		}
		return err
	}}
}
