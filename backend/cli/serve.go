package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// hubCommands are the commands about the hub as a whole.
type hubCommands struct{ p *program }

func (h hubCommands) serve() *cobra.Command {
	var by, environment string
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the hub in the foreground", Args: cobra.NoArgs,
		Long: `Run the hub in the foreground until it is interrupted. This also ends the effect of
"agent-discover stop": from then on, editors and other commands start the hub again.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			process.Protect() // the hub holds the token, and values of secrets
			if environment != "" {
				if err := instance.EnterTask(environment); err != nil {
					return err
				}
				var err error
				if h.p.folder, err = paths.Default(); err != nil {
					return err
				}
			}
			var console io.Writer
			if by == "" {
				console = h.p.err
			}
			running, err := hub.Open(cmd.Context(),
				hub.Options{Folder: h.p.folder, Version: h.p.version, StartedBy: by, Console: console, Helper: confinement.ThisProgram()})
			if err != nil {
				// Do not report that another hub is running, or that the user has stopped or is restarting the hub:
				// all processes that wait for a hub read the report, and these reasons do not hold for all of them.
				if by != "" && fault.KindOf(err) != fault.Conflict && !errors.Is(err, instance.ErrStopped) &&
					!errors.Is(err, instance.ErrStarting) {
					instance.ReportFailure(h.p.folder, err)
				}
				if by != "" && fault.KindOf(err) == fault.Conflict {
					return exitCode(instance.ExitHeld)
				}
				// Exit with exitArguments if another hub is running, the user stopped the hub or the settings
				// are invalid, and with exitFailed after other failures.
				if code := h.p.report(err); code == exitFailed && fault.KindOf(err) != fault.Conflict {
					return exitCode(code)
				}
				return exitCode(exitArguments)
			}
			return errors.Join(running.Run(cmd.Context()), running.Close())
		},
	}
	cmd.Flags().StringVar(&by, "started-by", "", "")
	cmd.Flags().StringVar(&environment, "environment", "", "")
	_ = cmd.Flags().MarkHidden("started-by") // cannot fail: the flags are defined above
	_ = cmd.Flags().MarkHidden("environment")
	return cmd
}
