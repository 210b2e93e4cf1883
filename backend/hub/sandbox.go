package hub

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// openSandbox returns the sandbox of the servers' processes. The function Output looks up the process manager at each
// call, because the manager is created after the sandbox.
func (h *Hub) openSandbox(config settings.Settings, login loginEnv) *sandbox.Sandbox {
	look := variable(login)
	folder := string(h.options.Folder)
	return sandbox.New(sandbox.Options{
		Helper: h.options.Helper, Data: folder, Folder: filepath.Join(folder, "sandbox"), Roots: config.Roots,
		Shared: []string{filepath.Join(folder, "packages"), filepath.Join(folder, "market-bundles"), filepath.Join(folder, "bundles")},
		Secrets: sync.OnceValue(func() []string { // when the first server starts: the login shell has answered by then
			return table.Here(func(name string) string { return look(context.Background(), name) }).Configuration()
		}),
		Packages: h.servers.packages,
		Output: func(server string, n int, after int64) ([]upstream.Line, int64) {
			return h.servers.upstream.Traces.Output(server, n, after)
		},
		Now: h.options.Now, Bus: h.bus, Log: h.log,
	})
}

// noticeDenials returns a function that passes the arguments of calls and the responses of failed ones to the sandbox,
// which looks for denied accesses in them, until ctx ends.
func (c *chores) noticeDenials() func(ctx context.Context) error {
	return each(c.bus, func(_ context.Context, e journal.Recorded) {
		c.servers.sandbox.CallMade(e.Record.Server, e.Record.Args, e.Record.At)
		if r := e.Record; r.Outcome == journal.ToolError || r.Outcome == journal.Failed {
			c.servers.sandbox.CallFailed(r.Server, r.Response, r.At)
		}
	})
}
