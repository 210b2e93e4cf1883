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
)

func (h hubCommands) stop() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop the hub, and keep it stopped until you start it", Args: cobra.NoArgs,
		Long: `Stop the hub and all servers. Editors and other commands do not start it again. To
start it: agent-discover start, agent-discover open, the tray or the window.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept := h.keepStopped()
			if info, err := instance.Read(h.p.folder); err == nil {
				if err := h.stopAndWait(cmd.Context(), info); err != nil {
					return err
				}
			}
			if kept != nil {
				return fault.Wrap(kept, fault.Unavailable, "the hub is stopped, but editors will start it again: %s", fault.MessageOf(kept))
			}
			return h.p.respond(map[string]string{"status": "stopped"}, "The hub is stopped. Start it again with: agent-discover start\n")
		},
	}
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

func (h hubCommands) stopAndWait(ctx context.Context, info instance.Info) error {
	if err := instance.NewClient(info).Do(ctx, http.MethodPost, "/api/stop", nil, nil); err != nil {
		return err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for info.Alive() {
		select {
		case <-tick.C:
		case <-deadline:
			return fault.New(fault.Timeout, "the hub (process %d) did not stop within 30 seconds; for the reason, see %s",
				info.PID, h.p.folder.Log())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
