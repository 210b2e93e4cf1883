// Package hub composes the hub from all other packages and runs it.
//
//	Open locks the data folder, opens the store and creates every part.
//	Run serves until its context ends or Stop is called.
//	Close releases what Open acquired.
//
// It contains no logic of its own beyond this life cycle: compose.go connects
// the parts, run.go starts and stops them in order.
package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/store"
)

// Options configure Open.
type Options struct {
	Folder  paths.Folder
	Version string
	// StartedBy names the program that started the hub: "companion", "cli",
	// "tray" or "window", or "" for a person. A hub that a program started
	// ends when nobody has used it for a while, and does not start if the user
	// has stopped the hub.
	StartedBy string
	// Console receives a copy of the log; nil for none.
	Console io.Writer
	// IdleEnd overrides how long a hub that a program started runs without a session before it ends.
	IdleEnd time.Duration
	// Program is the path of the companion that editors start; "" for the
	// path of this process.
	Program string
	// Helper is the command line of the process that calls confinement.Exec: it confines itself and then
	// executes a server's program. Without it, servers are not confined on Linux.
	Helper []string
	// Timeouts override how long the HTTP server waits for its clients.
	Timeouts guard.Timeouts
	// AnswerTimeout overrides how long a question of a server waits for a person.
	AnswerTimeout time.Duration
	// PassphraseWork overrides the cost of deriving a key from the passphrase of the
	// secrets, as a power of 2.
	PassphraseWork int
	// Encoder overrides the encoder of sentences. It must return the same vectors as the encoder of package minilm.
	Encoder embedding.Encoder
	// Now overrides the clock that decides when the tokens of remote servers are renewed.
	Now func() time.Time
}

// byProgram reports whether a program, not a person, started the hub.
func (o Options) byProgram() bool {
	return instance.ByProgram(o.StartedBy)
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
	bus      *events.Bus
	redactor *redact.KnownSecrets // knows the secrets that servers were given
	settings *settings.Live

	discovery discovery
	servers   servers
	editors   editors
	market    market
	doors     doors

	unlock   func(context.Context) error // unlocks the file of secrets
	login    *loginShell
	stopOnce sync.Once
	stop     chan struct{}
}

// Open locks the data folder and creates all parts. It fails with
// fault.Conflict if another hub has locked the folder. Call Run to serve, and
// Close afterwards.
func Open(ctx context.Context, o Options) (*Hub, error) {
	collectAt(startGarbage)
	if err := o.Folder.Create(); err != nil {
		return nil, err
	}
	if why := instance.Withheld(o.Folder); o.byProgram() && why != nil {
		return nil, why
	}
	lock, err := instance.Acquire(o.Folder)
	if err != nil {
		return nil, err
	}
	h := newHub(o, lock)
	if err := h.open(ctx); err != nil {
		if h.log != nil {
			h.log.Error("hub did not start", "error", err)
		}
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func newHub(o Options, lock *instance.Lock) *Hub {
	return &Hub{options: o, lock: lock, bus: &events.Bus{}, redactor: redact.NewKnownSecrets(), stop: make(chan struct{})}
}

func (h *Hub) open(ctx context.Context) error {
	// A person who starts the hub overrides an earlier stop request. A program
	// must not: the request may have come after it decided to start the hub.
	if !h.options.byProgram() {
		if err := instance.SetStopped(h.options.Folder, false); err != nil {
			return fmt.Errorf("clear stop request: %w", err)
		}
	}
	h.openLog()
	err := h.lock.Sign()
	if err != nil { // not fatal: on a full disk, the hub is found by its announcement only
		h.log.Warn("the holder of the lock cannot be recorded", "error", err)
	}
	if h.settings, err = settings.Open(h.options.Folder.Config(), h.bus, h.log); err != nil {
		return err
	}
	config := h.settings.State().Settings
	for _, v := range settings.IgnoredVariables() {
		h.log.Warn("an environment variable has no effect", "name", v.Name, "advice", v.Advice)
	}
	if h.store, err = store.Open(ctx, h.options.Folder.Database()); err != nil {
		return err
	}
	if err := h.listen(config); err != nil {
		return err
	}
	err = h.compose(ctx, config)
	if err != nil && fault.KindOf(err) == fault.Internal {
		if damaged := store.Inspect(ctx, h.options.Folder.Database()); store.Damaged(damaged) {
			return errors.Join(damaged, err) // compose failed because the database is damaged
		}
	}
	return err
}

// Info returns the address and the token of the hub.
func (h *Hub) Info() instance.Info { return h.info }

// Stop asks the hub to end gracefully. Run returns when it has ended.
func (h *Hub) Stop() { h.stopOnce.Do(func() { close(h.stop) }) }

// Close releases what Open acquired. Call it after Run has returned.
func (h *Hub) Close() error {
	var errs []error
	if h.listener != nil {
		_ = h.listener.Close() // fails if Run has closed it
	}
	if h.login != nil {
		h.login.close()
	}
	errs = append(errs, h.servers.audit.Close())
	if h.store != nil {
		errs = append(errs, h.closeStore())
	}
	if h.logFile != nil {
		errs = append(errs, h.logFile.Close())
	}
	return errors.Join(append(errs, h.lock.Release())...)
}
