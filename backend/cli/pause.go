package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const pausedText = "All servers are paused: none runs, and none starts until: agent-discover resume\n"

// pausedStatus is whether the user lets no server run.
type pausedStatus struct {
	Paused bool `json:"paused"`
}

func (p *program) pause() *cobra.Command {
	return &cobra.Command{
		Use: "pause", Short: "Stop all servers, and let none start until resume", Args: cobra.NoArgs,
		Long: `Stop all servers, and let none start until resume. The hub goes on and editors stay
connected; what they call is answered by that it is paused. It holds over restarts.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.setPaused(cmd.Context(), true); err != nil {
				return err
			}
			return p.say(pausedStatus{true}, pausedText)
		},
	}
}

func (p *program) resume() *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "Let servers start again after pause", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.setPaused(cmd.Context(), false); err != nil {
				return err
			}
			return p.say(pausedStatus{false}, "Servers may start again; each does with its next call.\n")
		},
	}
}

// setPaused tells the running hub, or the next one where none runs.
func (p *program) setPaused(ctx context.Context, paused bool) error {
	if err := p.folder.Create(); err != nil {
		return err
	}
	if err := instance.SetPaused(p.folder, paused); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the wish cannot be written to %s", p.folder.Run(""))
	}
	// After it is written: a hub that is just starting has read it, or is there.
	info, err := instance.Read(p.folder)
	if err != nil {
		return nil
	}
	path := "/api/resume"
	if paused {
		path = "/api/pause"
	}
	return instance.NewClient(info).Do(ctx, http.MethodPost, path, nil, nil)
}
