// Package backend puts the rooms together: it alone knows all of them.
//
//	Open takes the data folder and builds the rooms, Run serves until its
//	context ends or somebody asks the hub to stop, Close gives all back.
package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/api"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/prefetch"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

const (
	// unheld is how long a hub that only a companion asked for outlives its
	// last session.
	unheld = 10 * time.Minute
	// stopGrace is how long the HTTP door waits for its requests at the end.
	stopGrace = 5 * time.Second
)

// Options say which hub to open.
type Options struct {
	Folder  paths.Folder
	Version string
	// StartedBy is empty for a person; a hub started by a program that only
	// passes by (companion, cli), or starts one by itself (tray), ends by itself when nobody uses it.
	StartedBy string
	// Console receives the log as well as the log file; nil for a hub in the
	// background.
	Console io.Writer
	// Unheld overrides how long such a hub outlives its last session.
	Unheld time.Duration
	// Program is what editors start as a companion; "" for this very program.
	Program string
	// Timeouts override how long the HTTP door waits for its clients.
	Timeouts guard.Timeouts
}

// Hub is an open hub.
type Hub struct {
	options  Options
	lock     *instance.Lock
	store    *store.Store
	listener net.Listener
	info     instance.Info
	logFile  io.Closer
	log      *slog.Logger
	given    *secrets.Given

	bus       *events.Bus
	catalog   *catalog.Catalog
	journal   *journal.Journal
	clients   *gateway.ClientHistory
	meaning   *embedding.Index
	learning  *learning.Learning
	search    *search.Searcher
	vault     *secrets.Vault
	upstream  *upstream.Manager
	proxy     *proxy.Proxy
	lifecycle *lifecycle.Manager
	migrator  *secretmigration.Migrator
	prefetch  *prefetch.Prefetcher
	setup     *setup.Syncer
	imports   *setup.Importer
	inbox     *inspector.Inbox
	inspector *inspector.Inspector
	gateway   *gateway.Gateway
	desk      desk
	bridge    *companion.Hub
	door      *api.Door

	endLogin func() // nil before the login shell was asked
	stopOnce sync.Once
	stop     chan struct{}
}

// Open takes the data folder and builds the rooms. Nothing runs yet.
func Open(ctx context.Context, o Options) (*Hub, error) {
	if err := o.Folder.Create(); err != nil {
		return nil, err
	}
	if o.background() && instance.Stopped(o.Folder) {
		return nil, fault.New(fault.Denied, "the user stopped the hub; start it with: agent-discover serve")
	}
	lock, err := instance.Acquire(o.Folder)
	if err != nil {
		return nil, err
	}
	h := &Hub{options: o, lock: lock, given: &secrets.Given{}, stop: make(chan struct{})}
	if err := h.build(ctx); err != nil {
		if h.log != nil {
			h.log.Error("hub cannot start", "error", err)
		}
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// background is for programs that start a hub by themselves: the tray does when
// one died, the window when it is opened. A wish to stop that comes meanwhile
// counts.
func (o Options) background() bool {
	return slices.Contains([]string{"companion", "cli", "tray", "window"}, o.StartedBy)
}

func (h *Hub) build(ctx context.Context) error {
	if !h.options.background() { // a person's start; another one knows of no later wish
		if err := instance.SetStopped(h.options.Folder, false); err != nil {
			return fmt.Errorf("take back the wish to stop: %w", err)
		}
	}
	h.openLog()
	config, err := settings.Load(h.options.Folder.Config())
	if err != nil {
		return err
	}
	if h.store, err = store.Open(ctx, h.options.Folder.Database()); err != nil {
		return err
	}
	if err := h.listen(config); err != nil {
		return err
	}
	return h.connect(ctx, config)
}

// connect makes the rooms and shows them to each other.
func (h *Hub) connect(ctx context.Context, config settings.Settings) error {
	bus := &events.Bus{}
	h.bus = bus
	servers, err := registry.Open(ctx, h.store, bus)
	if err != nil {
		return err
	}
	if h.catalog, err = catalog.Open(ctx, h.store, bus, h.log); err != nil {
		return err
	}
	h.journal, err = journal.Open(ctx, journal.Options{Store: h.store, Bus: bus, Log: h.log, Retention: config.Log.Retention()})
	if err != nil {
		return err
	}
	h.meaning = h.openMeaning(config.Search, bus)
	h.learning, err = learning.Open(ctx, learning.Options{Store: h.store, Bus: bus, Log: h.log, Redact: h.given.Head, On: config.Search.Learning})
	if err != nil {
		return err
	}
	h.search = search.New(search.Options{Catalog: h.catalog, Bus: bus, Meaning: h.meaning, Learned: h.learning})
	h.openVault(ctx, bus)
	login := h.askLogin()
	h.inbox = inspector.NewInbox(h.journal, bus, sampler(config.Sampling), h.log)
	h.upstream = upstream.New(upstream.Options{
		Registry: servers, Catalog: h.catalog, Bus: bus, Log: h.log, Limits: config.Limits, Roots: config.Roots,
		Version: h.options.Version, Children: h.options.Folder.Run("children.json"), Environment: login,
		Secrets: h.vault, Given: h.given, Window: h.inbox.Window(), Pause: h.pauseSetting(),
	})
	h.vault.OnChange(h.upstream.Renew)
	h.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: servers, Catalog: h.catalog, Processes: h.upstream, Vault: h.vault, Metrics: remembered{h.journal, h.learning}, Agents: config.Agents, Log: h.log,
	})
	h.migrator = secretmigration.New(servers, h.vault)
	h.prefetch = prefetch.New(prefetch.Options{
		Registry: servers, Running: h.upstream, Environment: login, Background: config.WarmPackages, Log: h.log,
	})
	h.proxy = proxy.New(servers, h.upstream, h.journal, bus)
	h.inspector = inspector.New(h.upstream, h.inbox, h.journal, h.store)
	h.setup = setup.New(setup.Options{Registry: servers, Lifecycle: h.lifecycle, Secrets: h.vault, File: config.SetupFile, Variable: variable(login), Log: h.log})
	h.clients = gateway.NewClientHistory(h.store, h.log)
	h.gateway = gateway.New(gateway.Options{
		Registry: servers, Catalog: h.catalog, Search: h.search, Lifecycle: h.lifecycle, Setup: h.setup,
		Proxy: h.proxy, Usage: h.journal, SessionTools: h.store, History: h.clients, Learning: h.learning,
		Bus: bus, Log: h.log, Version: h.options.Version,
	})
	h.bridge = &companion.Hub{
		Info: h.info, Serve: h.gateway.Serve, Stop: h.Stop, Log: h.log,
		Busy: func() bool { return h.upstream.InFlight() > 0 },
	}
	if err := h.openDesk(config, servers, bus, login); err != nil {
		return err
	}
	h.openDoor(servers, config.Roots, bus)
	return nil
}

// openDoor composes the door for REST, WebSocket and the dashboard.
func (h *Hub) openDoor(servers *registry.Registry, roots []string, bus *events.Bus) {
	h.imports = setup.NewImporter(setup.ImportOptions{
		Registry: servers, Lifecycle: h.lifecycle, Catalog: h.catalog, Secrets: h.vault, Metrics: importedMetrics{h.journal}, Presets: h.store,
		Read: store.ReadOriginal, Folder: h.options.Folder.Run(""), Log: h.log,
	})
	entry := h.desk.registrar.Entry()
	h.door = api.New(api.Options{
		Info: h.info, Stop: h.Stop, Sessions: guard.OpenSessions(h.options.Folder.Run("sessions.json"), time.Now, h.log), Timeouts: h.options.Timeouts,
		Servers: api.Servers{
			Registry: servers, Catalog: h.catalog, Lifecycle: h.lifecycle, Prefetch: h.prefetch, Upstream: h.upstream, Proxy: h.proxy,
			Inspector: h.inspector, Inbox: h.inbox, Journal: h.journal,
			Secrets: api.Secrets{Vault: h.vault, Migrator: h.migrator, Names: h.secretNames},
			Setup:   api.Setup{Syncer: h.setup, Importer: h.imports},
		},
		Discovery: api.Discovery{Embedding: h.meaning, Learning: h.learning},
		Editors: api.Editors{
			Registrar: h.desk.registrar, Importer: h.desk.intake, Doctor: h.desk.doctor, KeepSetting: h.keepSetting,
			Entry: resources.EditorEntry{Name: registration.Name, Command: entry.Command, Args: entry.Args, Env: entry.Env},
		},
		Clients: api.Clients{Gateway: h.gateway, Companion: h.bridge},
		Roots:   roots, Bus: bus, Log: h.log,
	})
}

// Info returns where the hub listens, and its token.
func (h *Hub) Info() instance.Info { return h.info }

// Stop asks the hub to end gently; Run returns when it has.
func (h *Hub) Stop() { h.stopOnce.Do(func() { close(h.stop) }) }

// Run serves until ctx ends or Stop is called, and then ends gently: no new
// calls, those in flight get grace, children end, records are written.
func (h *Hub) Run(ctx context.Context) error {
	// The rooms below outlive the doors, so that what the doors still do
	// is recorded.
	rooms, stopRooms := context.WithCancel(context.WithoutCancel(ctx))
	defer stopRooms()
	var inner errgroup.Group
	for _, run := range []func(context.Context) error{
		h.catalog.Run, h.meaning.Run, h.journal.Run, h.search.Run, h.gateway.Run, h.clients.Run, h.learning.Run, h.lifecycle.Run, h.prefetch.Run, h.vault.Run, h.imports.Run, h.inspector.Run, h.desk.registrar.Run,
	} {
		inner.Go(func() error { return run(rooms) })
	}
	children, stopChildren := context.WithCancel(context.WithoutCancel(ctx))
	defer stopChildren()
	ended := make(chan error, 1)
	go func() { ended <- h.upstream.Run(children) }()

	sockets, stopSockets := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSockets()
	pushed := make(chan error, 1)
	go func() { pushed <- h.door.Run(sockets) }()
	web := guard.NewServer(h.door, h.options.Timeouts, h.log)
	served := make(chan error, 1)
	go func() { served <- web.Serve(h.listener) }()
	unannounced := h.lock.Announce(h.info)
	if unannounced != nil { // nobody would find it
		h.Stop()
	}
	// Who wished it to stop before it could be seen had nobody to ask.
	if h.options.background() && instance.Stopped(h.options.Folder) {
		h.Stop()
	}
	h.heedPause()
	h.log.Info("hub is ready", "address", h.info.Address(), "version", h.info.Version, "tools", len(h.catalog.Snapshot().Tools))
	inner.Go(func() error { return h.setup.Run(rooms) })
	inner.Go(func() error { h.search.Prepare(); rest(); return nil })

	err := errors.Join(unannounced, h.await(ctx, served))
	h.log.Info("hub is stopping")
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	stopChildren()
	err = errors.Join(err, <-ended)
	h.bridge.Close()
	stopSockets()
	err = errors.Join(err, <-pushed)
	if shut := web.Shutdown(grace); shut != nil {
		_ = web.Close()
	}
	stopRooms()
	return errors.Join(err, inner.Wait())
}

// rest gives back what only the start needed, and collects garbage sooner from
// now on: a hub mostly waits, and is judged by its memory.
func rest() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(60)
	}
	debug.FreeOSMemory()
}

// await returns when the hub is to end.
func (h *Hub) await(ctx context.Context, served <-chan error) error {
	unused := make(chan struct{})
	if h.options.background() {
		whole := unheld
		if h.options.Unheld > 0 {
			whole = h.options.Unheld
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			for h.bridge.AwaitIdle(ctx, whole) == nil {
				if !h.door.AwaitNoSockets(ctx) {
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
		h.log.Info("nobody uses this hub any more")
	case err := <-served:
		return fault.Wrap(err, fault.Internal, "the hub's port failed")
	}
	return nil
}

// Close gives back what Open took. It is called after Run has returned.
func (h *Hub) Close() error {
	var errs []error
	if h.listener != nil {
		_ = h.listener.Close() // closed already after a Run
	}
	if h.endLogin != nil {
		h.endLogin()
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.logFile != nil {
		errs = append(errs, h.logFile.Close())
	}
	return errors.Join(append(errs, h.lock.Release())...)
}
