package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c marketCommands) sync() *cobra.Command {
	return &cobra.Command{
		Use: "sync", Short: "Refresh the copy of the official registry on this machine", Args: cobra.NoArgs,
		Long: `Refresh the copy of the official registry on this machine, which is searched without a
network. The hub refreshes it once a day. Only what has changed is downloaded. An interrupt
ends the command; the hub continues the refresh in the background.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runSync(cmd.Context()) },
	}
}

const reading = "Reading the registry …"

func (c marketCommands) runSync(ctx context.Context) error {
	w, err := c.watcher(ctx)
	if err != nil {
		return err
	}
	whole, stop := context.WithCancel(ctx)
	defer stop()
	events, err := w.subscribe(whole)
	if err != nil {
		return err
	}
	var before, now operations.MirrorState
	if err := w.client.Do(ctx, http.MethodGet, "/api/market/mirror", nil, &before); err != nil {
		return err
	}
	if err := w.client.Do(ctx, http.MethodPost, "/api/market/sync", nil, &now); err != nil {
		return err
	}
	line := &progressLine{p: c.p}
	defer line.clear()
	for now.Running || !now.Refreshed.After(before.Refreshed) && !now.FailedAt.After(before.FailedAt) {
		line.show(reading, reading+" "+counted(now.Read, "entry", "entries"))
		select {
		case <-events.changed:
		case <-events.ended:
			return fault.New(fault.Unavailable, "the hub has stopped; see: agent-discover status")
		case <-ctx.Done():
			return fault.New(fault.Invalid, "interrupted; the hub continues the refresh in the background")
		}
		if err := w.client.Do(ctx, http.MethodGet, "/api/market/mirror", nil, &now); err != nil {
			return err
		}
	}
	line.clear()
	if now.FailedAt.After(before.FailedAt) {
		return fault.New(fault.Failed, "the copy of the registry was not refreshed: %s", now.Problem)
	}
	return c.p.respond(now, "The copy of %s has %s.\n", now.Address, counted(now.Entries, "server", "servers"))
}
