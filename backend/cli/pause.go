package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const pausedText = "All servers are paused. To let them start again: agent-discover resume\n"

// pausedStatus reports whether the user paused all servers.
type pausedStatus struct {
	Paused bool `json:"paused"`
}

func (h hubCommands) pause() *cobra.Command {
	return &cobra.Command{
		Use: "pause", Short: "Stop all servers, and do not start any until resume", Args: cobra.NoArgs,
		Long: `Stop all servers, and do not start any until "agent-discover resume". The hub keeps
running and editors stay connected; a call of a tool fails with an explanation. The
pause persists when the hub restarts.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := h.setPaused(cmd.Context(), true); err != nil {
				return err
			}
			return h.p.respond(pausedStatus{true}, pausedText)
		},
	}
}

func (h hubCommands) resume() *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "Let servers start again after pause", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := h.setPaused(cmd.Context(), false); err != nil {
				return err
			}
			return h.p.respond(pausedStatus{false}, "Servers may start again. Each starts with its next call.\n")
		},
	}
}

// setPaused saves the pause setting and tells the hub, if one is running.
func (h hubCommands) setPaused(ctx context.Context, paused bool) error {
	if err := h.p.folder.Create(); err != nil {
		return err
	}
	if err := instance.SetPaused(h.p.folder, paused); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not save the pause setting in %s", h.p.folder.Run(""))
	}
	// Look for a hub only now, after the setting is saved: a hub that is just starting has either
	// read the setting or is found here.
	info, err := instance.Read(h.p.folder)
	if err != nil {
		return nil
	}
	path := "/api/resume"
	if paused {
		path = "/api/pause"
	}
	return instance.NewClient(info).Do(ctx, http.MethodPost, path, nil, nil)
}
