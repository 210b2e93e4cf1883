package cli

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/version"
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
	Problem string `json:"problem,omitempty"`
	// Difference says how the versions of the hub and of this program differ, and what to do.
	Difference string `json:"difference,omitempty"`
	// Port says why the hub does not listen on its configured port.
	Port    *operations.TakenPort `json:"taken_port,omitempty"`
	Servers []operations.Server   `json:"servers,omitempty"`
	Clients []gateway.Client      `json:"clients,omitempty"`
}

const authOff = "Every program on this machine can use this hub without a token: it was started with AGENT_DISCOVER_AUTH=off"

func (h hubCommands) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show whether the hub is running, its servers and its clients", Args: cobra.NoArgs,
		Long: `Show whether the hub is running, its servers and its clients. This command does not
start the hub. It exits with 3 if the hub is not running.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := instance.Next(cmd.Context(), h.p.folder)
			if errors.Is(err, instance.ErrNone) {
				return errors.Join(h.printNotRunning(err), exitCode(exitFailed))
			}
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), answerLimit)
			defer cancel()
			return h.printRunning(ctx, info)
		},
	}
}

// answerLimit is how long status and doctor wait for the answers of the hub.
const answerLimit = 10 * time.Second

// printNotRunning prints why the hub cannot be used. why is the error of instance.Read.
func (h hubCommands) printNotRunning(why error) error {
	if id, ok := instance.Holder(h.p.folder); ok {
		problem := fault.MessageOf(instance.Silent(h.p.folder, id))
		return h.p.respond(hubStatus{PID: id.PID, Problem: problem}, "Problem: %s\n", problem)
	}
	stopped, paused := instance.Stopped(h.p.folder), instance.Paused(h.p.folder)
	text := "No hub is running. Start one with: agent-discover start\n"
	if stopped {
		text = "The hub was stopped by the user. Start it with: agent-discover start\n"
	}
	if why := instance.Ended(h.p.folder); why != "" && !stopped {
		text = "No hub is running. The last one ended because " + why + ". Start one with: agent-discover start\n"
	}
	if paused {
		text += pausedText
	}
	if instance.Elsewhere(why) {
		h.p.notef("agent-discover: %s\n", fault.MessageOf(why))
	}
	return h.p.respond(hubStatus{Stopped: stopped, pausedStatus: pausedStatus{paused}}, "%s", text)
}

func (h hubCommands) printRunning(ctx context.Context, info instance.Info) error {
	st := hubStatus{
		Running: true, PID: info.PID, Version: info.Version, URL: "http://" + info.Address(), Since: &info.Started, AuthOff: info.AuthOff,
		Difference: version.Difference(info.Version, h.p.version),
	}
	client := instance.NewClient(info)
	var now struct {
		pausedStatus
		quarantine.Counts
		Problem string
	}
	for _, get := range []struct {
		path string
		into any
	}{{"/api/status", &now}, {"/api/servers", &st.Servers}, {"/api/clients", &st.Clients}} {
		if err := client.Do(ctx, http.MethodGet, get.path, nil, get.into); err != nil {
			return err
		}
	}
	st.pausedStatus, st.Counts, st.Problem = now.pausedStatus, now.Counts, now.Problem
	var err error
	if st.Port, err = takenPort(ctx, client); err != nil {
		return err
	}
	if h.p.json {
		st.Servers = redactServers(st.Servers)
		return h.p.printJSON(st)
	}
	h.p.printf("Hub %s at %s, process %d, since %s\n\n", st.Version, st.URL, st.PID, st.Since.Local().Format(time.DateTime))
	if st.Difference != "" {
		h.p.printf("Note: %s\n\n", st.Difference)
	}
	if st.Port != nil {
		h.p.printf("%s\n\n", portWarning(st.Port))
	}
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
