package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/version"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// started is the answer of start and restart.
type started struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	Address string `json:"address"`
	// Port says why the hub does not listen on its configured port.
	Port *operations.TakenPort `json:"taken_port,omitempty"`
}

func (h hubCommands) start() *cobra.Command {
	return &cobra.Command{
		Use: "start", Short: "Start the hub in the background", Args: cobra.NoArgs,
		Long: `Start the hub in the background, unless it is running. This also ends the effect of
"agent-discover stop": from then on, editors and other commands start the hub again.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			end, err := instance.BeginStart(h.p.folder)
			if err != nil {
				return err
			}
			defer end()
			return h.startHub(cmd, "started")
		},
	}
}

func (h hubCommands) restart() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "restart", Short: "Stop the hub and start it again in the background", Args: cobra.NoArgs,
		Long: `Stop the hub and all servers, and start the hub again in the background. Editors stay
connected, and their calls wait for the hub. Servers start again with their next call.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Keep editors from starting the hub before this command does.
			end, err := instance.BeginStart(h.p.folder)
			if err != nil {
				return err
			}
			defer end()
			if err := h.end(cmd.Context(), force); err != nil {
				return err
			}
			return h.startHub(cmd, "restarted")
		},
	}
	forced(cmd, &force)
	return cmd
}

// startHub starts the hub unless it is running, and prints its address.
func (h hubCommands) startHub(cmd *cobra.Command, status string) error {
	if _, err := instance.Read(h.p.folder); err == nil {
		status = "already running"
	}
	info, err := instance.Ensure(cmd.Context(), h.p.folder, "start") // "start" means that a person starts the hub
	if err != nil {
		return err
	}
	if err := instance.SetStopped(h.p.folder, false); err != nil {
		return fault.Wrap(err, fault.Unavailable,
			"the hub is running, but the earlier stop request could not be removed: %s; delete %s, or editors cannot start the hub later",
			paths.Reason(err), instance.StopRequest(h.p.folder))
	}
	if difference := version.Difference(info.Version, h.p.version); difference != "" {
		h.p.notef("Note: %s\n", difference)
	}
	port := h.warnOfPort(cmd.Context(), info)
	return h.p.respond(started{status, info.Version, "http://" + info.Address(), port},
		"The hub is %s at http://%s. Open its dashboard with: agent-discover open\n", status, info.Address())
}

// warnOfPort prints a warning if the hub does not listen on its configured port, and returns why; nil if it does.
func (h hubCommands) warnOfPort(ctx context.Context, info instance.Info) *operations.TakenPort {
	if info.TakenPort == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	port, err := takenPort(ctx, instance.NewClient(info))
	if err != nil || port == nil {
		h.p.notef("Warning: the hub does not listen on port %d. To see why, run: agent-discover doctor\n", info.TakenPort)
		return nil
	}
	h.p.notef("%s\n", portWarning(port))
	return port
}

// portWarning returns what start and status say about a port that the hub does not have.
func portWarning(p *operations.TakenPort) string {
	return fmt.Sprintf("Warning: %s. To mend it, %s", p.Problem, p.Advice)
}
