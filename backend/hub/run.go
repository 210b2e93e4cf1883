package hub

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

const (
	// idleEnd is how long a hub that a program started outlives its last
	// session.
	idleEnd = 10 * time.Minute
	// stopGrace limits how long HTTP requests may take after a stop request.
	stopGrace = 5 * time.Second
	// newConnections is how long the first request of a connection is waited for after a stop request.
	newConnections = time.Second
)

// Run serves until ctx ends or Stop is called. Then it refuses new calls, gives
// running calls time to finish, ends the servers and writes pending records.
func (h *Hub) Run(ctx context.Context) error {
	// Shut down in this order: requests of companions, servers, WebSockets, HTTP, and last the other parts, because
	// they record what the requests still do.
	parts, stopParts := context.WithCancel(context.WithoutCancel(ctx))
	defer stopParts()
	var running errgroup.Group
	for _, run := range h.runners() {
		running.Go(func() error { return run(parts) })
	}
	stopServers, serversEnded := start(ctx, h.servers.upstream.Run)
	defer stopServers()
	stopSockets, socketsEnded := start(ctx, h.doors.api.Run)
	defer stopSockets()
	web := guard.NewServer(h.doors.api, h.options.Timeouts, h.log)
	served := make(chan error, 1)
	connections := guard.Limit(h.listener, h.log)
	go func() { served <- web.Serve(connections) }()

	unannounced := h.announce()
	h.login.start()
	h.log.Info("hub is ready", "address", h.info.Address(), "version", h.info.Version, "tools", len(h.discovery.catalog.Snapshot().Tools))
	running.Go(func() error {
		if err := h.unlock(parts); err != nil { // not fatal, because servers without secrets still work
			h.log.Error("secrets file not unlocked", "error", fault.MessageOf(err), "variable", passphraseVariable)
		}
		return nil
	})
	running.Go(func() error { return h.servers.setup.Run(parts) })
	if h.options.byProgram() {
		h.discovery.search.Prepare() // a session is about to begin
	}

	err := errors.Join(unannounced, h.await(ctx, served))
	h.log.Info("hub is stopping")
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	h.doors.api.Retire()
	h.doors.companion.Retire()
	stopServers()
	err = errors.Join(err, <-serversEnded)
	h.doors.companion.Close()
	h.doors.endpoint.Close()
	stopSockets()
	err = errors.Join(err, <-socketsEnded)
	_ = connections.Listener.Close() // the process ends soon, whether this fails or not
	connections.Settle(newConnections)
	if web.Shutdown(grace) != nil {
		_ = web.Close()
	}
	stopParts()
	return errors.Join(err, running.Wait())
}

// runners returns the functions that run in the background until the hub ends. They handle the events that are
// published from now on, even if they are called later.
func (h *Hub) runners() []func(context.Context) error {
	chores := &chores{folder: h.options.Folder, servers: &h.servers, redactor: h.redactor, bus: h.bus, log: h.log}
	return []func(context.Context) error{
		h.settings.Run, h.discovery.catalog.Run, h.discovery.embedding.Run, h.discovery.learning.Run, h.discovery.search.Run,
		h.servers.journal.Run, h.servers.vault.Run, h.servers.oauth.Run, chores.listSignedIn(), chores.knowConfigurations,
		h.servers.first.Run, chores.startHeld(), h.servers.downloads.Run, h.servers.imports.Run, h.servers.inspector.Run,
		h.servers.toolsets.Run, h.servers.trust.Run, h.servers.packages.Run, h.servers.sandbox.Run, chores.noticeDenials(),
		h.editors.registrar.Run, h.market.mirror.Run, h.market.installer.Run, h.market.marketplace.Run, h.market.updates.Run,
		h.doors.clients.Run, h.doors.gateway.Run, h.doors.tokens.Run,
		chores.rest, chores.copyDatabase, h.watchFiles,
	}
}

// chores are background tasks that belong to no other package.
type chores struct {
	folder   paths.Folder
	servers  *servers
	redactor *redact.KnownSecrets
	bus      *events.Bus
	log      *slog.Logger
}

// start calls run in a goroutine, with a context that ends only when stop is called. ended receives the result of run.
func start(ctx context.Context, run func(context.Context) error) (stop context.CancelFunc, ended <-chan error) {
	ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	return stop, done
}

// each subscribes to events of type E. The function that it returns calls do for each event, until ctx ends. Events may
// be lost while more than 256 of them are waiting.
func each[E any](bus *events.Bus, do func(context.Context, E)) func(context.Context) error {
	all, stop := events.Subscribe[E](bus, 256)
	return func(ctx context.Context) error {
		for {
			select {
			case <-ctx.Done():
				stop()
				return nil
			case e, open := <-all:
				if !open {
					all, stop = events.Subscribe[E](bus, 256)
					continue
				}
				do(ctx, e)
			}
		}
	}
}

// announce publishes the hub's address. If that fails, it stops the hub, because no program could find it. It also
// stops the hub if instance.Withheld forbids it to run and a program, not a person, has started it.
func (h *Hub) announce() error {
	err := h.lock.Announce(h.info)
	if err != nil {
		h.log.Error("hub cannot be found by other programs", "error", err)
		if h.options.StartedBy != "" { // a program waits for the hub
			instance.ReportFailure(h.options.Folder, err)
		}
	}
	if err != nil || h.options.byProgram() && instance.Withheld(h.options.Folder) != nil {
		h.Stop()
	}
	h.applyPause()
	return err
}

// await waits until the hub has to end: because ctx has ended, Stop was called,
// nobody uses a hub that a program started, or HTTP cannot be served.
func (h *Hub) await(ctx context.Context, served <-chan error) error {
	unused := make(chan struct{})
	if h.options.byProgram() {
		idle := idleEnd
		if h.options.IdleEnd > 0 {
			idle = h.options.IdleEnd
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			for h.doors.companion.AwaitIdle(ctx, idle) == nil {
				if !h.doors.api.AwaitNoSockets(ctx) && !h.doors.endpoint.AwaitNone(ctx) {
					close(unused)
					return
				}
			}
		}()
	}
	select {
	case <-ctx.Done():
	case <-h.stop:
	case <-unused:
		h.log.Info("no client has used this hub for a while")
	case err := <-served:
		return fault.Wrap(err, fault.Internal, "could not serve HTTP on the hub's port")
	}
	return nil
}
