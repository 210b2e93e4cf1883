package cli

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func (h hubCommands) stop() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "stop", Short: "Stop the hub, and keep it stopped until you start it", Args: cobra.NoArgs,
		Long: `Stop the hub and all servers. Editors and other commands do not start it again. To
start it: agent-discover start, agent-discover open, the tray or the window.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept := h.keepStopped()
			if err := h.end(cmd.Context(), force); err != nil {
				return err
			}
			if kept != nil {
				return fault.Wrap(kept, fault.Unavailable, "the hub is stopped, but editors will start it again: %s", fault.MessageOf(kept))
			}
			return h.p.respond(map[string]string{"status": "stopped"}, "The hub is stopped. Start it again with: agent-discover start\n")
		},
	}
	forced(cmd, &force)
	return cmd
}

// forced adds the flag --force to stop and restart.
func forced(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "end the hub's process if it does not stop when asked")
	cmd.Example = "  agent-discover " + cmd.Name() + "\n  agent-discover " + cmd.Name() + " --force   # end a hub that hangs"
}

// keepStopped saves the stop request. It creates the data folder if necessary.
func (h hubCommands) keepStopped() error {
	err := instance.SetStopped(h.p.folder, true)
	if errors.Is(err, fs.ErrNotExist) {
		if err := h.p.folder.Create(); err != nil {
			return err
		}
		err = instance.SetStopped(h.p.folder, true)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not save the stop request: %s", fault.MessageOf(h.p.folder.Unwritable(err)))
	}
	return nil
}

const (
	// stopAsking limits how long the hub may take to answer a stop request, and a hub that runs without an announcement to
	// announce itself.
	stopAsking = 5 * time.Second
	// stopWaiting is how long a hub may take to end. It finishes calls first.
	stopWaiting = 30 * time.Second
)

// end stops the hub, if one runs, and waits until its process has ended. If the hub does not stop when it is asked, end
// returns an error, or ends the process if force is true.
func (h hubCommands) end(ctx context.Context, force bool) error {
	id, why := h.ask(ctx)
	switch {
	case why == nil:
		return nil
	case !force || ctx.Err() != nil:
		return why
	}
	h.p.notef("The hub (process %d) does not stop; its process is ended.\n", id.PID)
	if err := instance.End(ctx, h.p.folder, id); err != nil {
		return err
	}
	if other, running := instance.Holder(h.p.folder); running && other != id {
		return fault.New(fault.Conflict, "process %d has ended, but another hub (process %d) runs meanwhile; to stop it, run this again",
			id.PID, other.PID)
	}
	return nil
}

// ask asks the hub to stop and waits until it has ended. If the hub, whose process is id, has not ended, err says so
// and names the remedy.
func (h hubCommands) ask(ctx context.Context) (id process.ID, err error) {
	id, running := instance.Holder(h.p.folder)
	if !running {
		if _, err := instance.Read(h.p.folder); instance.Elsewhere(err) {
			h.p.notef("agent-discover: %s\n", fault.MessageOf(err))
		}
		return id, nil
	}
	info, err := instance.Read(h.p.folder)
	if err != nil { // a hub that works announces itself soon
		ended := id.AwaitEnd(ctx, stopAsking, func() bool {
			info, err = instance.Read(h.p.folder)
			return err == nil
		})
		if ended {
			return id, nil
		}
		if err != nil {
			return id, instance.Silent(h.p.folder, id)
		}
	}
	short, cancel := context.WithTimeout(ctx, stopAsking)
	err = instance.NewClient(info).Do(short, http.MethodPost, "/api/stop", nil, nil)
	cancel()
	wait := stopWaiting
	if err != nil {
		wait = time.Second // the hub may just be ending
	}
	switch {
	case info.AwaitEnd(ctx, wait, nil):
		return info.ID, nil
	case ctx.Err() != nil:
		return info.ID, ctx.Err()
	case err != nil && fault.KindOf(err) != fault.Unavailable:
		return info.ID, err
	case err != nil:
		return info.ID, info.NoAnswer(err)
	}
	return info.ID, fault.New(fault.Timeout, "the hub (process %d) did not stop within %d seconds; for the reason, see %s; end it with: "+
		"agent-discover stop --force (or restart --force)", info.PID, int(stopWaiting.Seconds()), h.p.folder.Log())
}
