package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func (p *program) serve() *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the hub in the foreground", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var console io.Writer
			if by == "" {
				console = p.err
			}
			h, err := hub.Open(cmd.Context(), hub.Options{Folder: p.folder, Version: p.version, StartedBy: by, Console: console})
			if err != nil {
				if by != "" && fault.KindOf(err) != fault.Conflict { // then another hub is there
					instance.ReportFailure(p.folder, err)
				}
				return p.cannotServe(err)
			}
			return errors.Join(h.Run(cmd.Context()), h.Close())
		},
	}
	cmd.Flags().StringVar(&by, "started-by", "", "")
	_ = cmd.Flags().MarkHidden("started-by")
	return cmd
}

// cannotServe says why, and leaves with 1: a script that starts a hub has to
// know that it did not.
func (p *program) cannotServe(err error) error {
	if code := p.report(err); code == exitFailed && fault.KindOf(err) != fault.Conflict && fault.KindOf(err) != fault.Invalid {
		return exitCode(code)
	}
	return exitCode(exitArguments)
}

func (p *program) mcp() *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "Be the MCP server that an editor starts (stdio)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			companion := &companion.Companion{
				Folder: p.folder, Version: p.version, In: p.in, Out: p.out, Tool: gateway.RegistryTool(),
				Log: slog.New(slog.NewTextHandler(p.err, nil)),
			}
			// A signal ends us at once: the client is gone, and the hub
			// sees the socket close.
			done := make(chan error, 1)
			go func() { done <- companion.Run(cmd.Context()) }()
			select {
			case err := <-done:
				return err
			case <-cmd.Context().Done():
				return nil
			}
		},
	}
}

func (p *program) stop() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop the hub, and keep it stopped until somebody starts it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.folder.Create(); err != nil {
				return err
			}
			if err := instance.SetStopped(p.folder, true); err != nil {
				return fault.Wrap(err, fault.Unavailable, "the wish to stop cannot be written to %s", p.folder.Run(""))
			}
			info, err := instance.Read(p.folder)
			if err == nil {
				err = p.stopAndWait(cmd.Context(), info)
			} else {
				err = nil
			}
			if err != nil {
				return err
			}
			return p.say(map[string]string{"status": "stopped"}, "The hub is stopped. Start it again with: agent-discover serve\n")
		},
	}
}

func (p *program) stopAndWait(ctx context.Context, info instance.Info) error {
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
			return fault.New(fault.Timeout, "the hub (process %d) was asked to stop and has not; %s says what it waits for", info.PID, p.folder.Log())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// say prints JSON or a sentence.
func (p *program) say(v any, format string, args ...any) error {
	if p.json {
		return p.printJSON(v)
	}
	p.printf(format, args...)
	return nil
}

type hubStatus struct {
	Running bool       `json:"running"`
	Stopped bool       `json:"stopped_by_user,omitempty"`
	PID     int        `json:"pid,omitempty"`
	Version string     `json:"version,omitempty"`
	URL     string     `json:"url,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	AuthOff bool       `json:"auth_off,omitempty"`
	pausedStatus
	Servers []resources.Server `json:"servers,omitempty"`
	Clients []gateway.Client   `json:"clients,omitempty"`
}

const authOff = "Every program on this machine can use this hub without a token: it was started with AGENT_DISCOVER_AUTH=off"

func (p *program) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show whether the hub runs, its servers and its clients", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := instance.Read(p.folder)
			if err != nil {
				stopped := instance.Stopped(p.folder)
				text := "No hub is running. Start one with: agent-discover serve\n"
				if stopped {
					text = "The hub was stopped by the user. Start it with: agent-discover serve\n"
				}
				paused := instance.Paused(p.folder)
				if paused {
					text += pausedText
				}
				return errors.Join(p.say(hubStatus{Stopped: stopped, pausedStatus: pausedStatus{paused}}, "%s", text), exitCode(exitFailed))
			}
			st := hubStatus{Running: true, PID: info.PID, Version: info.Version, URL: "http://" + info.Address(), Since: &info.Started, AuthOff: info.AuthOff}
			client := instance.NewClient(info)
			if err := errors.Join(client.Do(cmd.Context(), http.MethodGet, "/api/servers", nil, &st.Servers),
				client.Do(cmd.Context(), http.MethodGet, "/api/clients", nil, &st.Clients),
				client.Do(cmd.Context(), http.MethodGet, "/api/status", nil, &st.pausedStatus)); err != nil {
				return err
			}
			if p.json {
				st.Servers = covered(st.Servers)
				return p.printJSON(st)
			}
			p.printf("Hub %s at %s, process %d, since %s\n\n", st.Version, st.URL, st.PID, st.Since.Local().Format(time.DateTime))
			if st.AuthOff {
				p.printf("%s\n\n", authOff)
			}
			if st.Paused {
				p.printf("%s\n", pausedText)
			}
			p.printServers(st.Servers)
			p.printf("\n%d clients connected\n", len(st.Clients))
			for _, c := range st.Clients {
				p.printf("  %s %s\n", cell(c.Name), cell(c.Version))
			}
			return nil
		},
	}
}

func (p *program) token() *cobra.Command {
	return &cobra.Command{
		Use: "token", Short: "Print the token that scripts send as Authorization: Bearer …", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := instance.Read(p.folder)
			if err != nil {
				return err
			}
			return p.say(map[string]string{"token": info.Token, "url": "http://" + info.Address()}, "%s\n", info.Token)
		},
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			exe, _ := os.Executable() // shown for information
			return p.say(map[string]string{"version": p.version, "program": exe}, "agent-discover %s\n", p.version)
		},
	}
}
