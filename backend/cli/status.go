package cli

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// hubStatus is the output of status --json.
type hubStatus struct {
	Running bool       `json:"running"`
	Stopped bool       `json:"stopped_by_user,omitempty"`
	PID     int        `json:"pid,omitempty"`
	Version string     `json:"version,omitempty"`
	URL     string     `json:"url,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	AuthOff bool       `json:"auth_off,omitempty"`
	pausedStatus
	quarantine.Counts
	Problem string              `json:"problem,omitempty"`
	Servers []operations.Server `json:"servers,omitempty"`
	Clients []gateway.Client    `json:"clients,omitempty"`
}

const authOff = "Every program on this machine can use this hub without a token: it was started with AGENT_DISCOVER_AUTH=off"

func (h hubCommands) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show whether the hub is running, its servers and its clients", Args: cobra.NoArgs,
		Long: `Show whether the hub is running, its servers and its clients. This command does not
start the hub. It exits with 3 if the hub is not running.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := instance.Read(h.p.folder)
			if err != nil {
				return errors.Join(h.printNotRunning(), exitCode(exitFailed))
			}
			return h.printRunning(cmd.Context(), info)
		},
	}
}

func (h hubCommands) printNotRunning() error {
	stopped, paused := instance.Stopped(h.p.folder), instance.Paused(h.p.folder)
	text := "No hub is running. Start one with: agent-discover start\n"
	if stopped {
		text = "The hub was stopped by the user. Start it with: agent-discover start\n"
	}
	if paused {
		text += pausedText
	}
	return h.p.respond(hubStatus{Stopped: stopped, pausedStatus: pausedStatus{paused}}, "%s", text)
}

func (h hubCommands) printRunning(ctx context.Context, info instance.Info) error {
	st := hubStatus{
		Running: true, PID: info.PID, Version: info.Version, URL: "http://" + info.Address(), Since: &info.Started, AuthOff: info.AuthOff,
	}
	client := instance.NewClient(info)
	var now struct {
		pausedStatus
		quarantine.Counts
		Problem string
	}
	if err := errors.Join(client.Do(ctx, http.MethodGet, "/api/servers", nil, &st.Servers),
		client.Do(ctx, http.MethodGet, "/api/clients", nil, &st.Clients),
		client.Do(ctx, http.MethodGet, "/api/status", nil, &now)); err != nil {
		return err
	}
	st.pausedStatus, st.Counts, st.Problem = now.pausedStatus, now.Counts, now.Problem
	if h.p.json {
		st.Servers = redactServers(st.Servers)
		return h.p.printJSON(st)
	}
	h.p.printf("Hub %s at %s, process %d, since %s\n\n", st.Version, st.URL, st.PID, st.Since.Local().Format(time.DateTime))
	if st.AuthOff {
		h.p.printf("%s\n\n", authOff)
	}
	if st.Paused {
		h.p.printf("%s\n", pausedText)
	}
	if st.Waiting > 0 {
		h.p.printf("%s for your decision: agent-discover trust list\n\n", counted(st.Waiting, "item waits", "items wait"))
	}
	if st.Problem != "" {
		h.p.printf("Problem: %s\n\n", st.Problem)
	}
	if err := h.p.printServers(st.Servers, st.Paused); err != nil {
		return err
	}
	h.p.printf("\n%s connected\n", counted(len(st.Clients), "client", "clients"))
	for _, c := range st.Clients {
		h.p.printf("  %s %s\n", cell(c.Name), cell(c.Version))
	}
	return nil
}
