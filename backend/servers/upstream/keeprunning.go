package upstream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// keeper starts servers with KeepRunning, starts always listed servers again that have died, and stops idle servers.
type keeper struct {
	slots    *slotTable
	router   *router
	registry *registry.Registry
	gate     Gate // nil if nothing is held for approval
	log      *slog.Logger
	work     *sync.WaitGroup
	limits   *liveLimits
}

// supervise starts servers with KeepRunning that are not running, and always listed servers that have died. It stops other
// servers that are idle.
func (k *keeper) supervise(ctx context.Context) {
	if k.slots.paused() {
		return
	}
	for _, server := range k.registry.List() {
		busy := false
		for _, s := range k.slots.ofServer(server.Name) {
			if busy = busy || s.busy() && s.target.Client == ""; !server.KeepRunning || s.spare() {
				s.stopIdle(k.limits.get().IdleStop)
			}
		}
		s := k.slots.shared(server.Name)
		wanted := server.KeepRunning || server.AlwaysListed && s != nil && s.revivable()
		if wanted && server.Usable() == nil && (k.gate == nil || k.gate.RefuseStart(server) == nil) && !server.Isolated() && !busy &&
			(s == nil || s.startAllowed()) {
			k.work.Go(func() { k.keepRunning(ctx, server) })
		}
	}
}

// maxKeepFailures is how many failed starts in a row end KeepRunning, and the attempts to start a server again that has
// died.
const maxKeepFailures = 3

// keepRunning starts a server without a call. After maxKeepFailures failed starts, it clears KeepRunning, unless the server
// only lacks a secret.
func (k *keeper) keepRunning(ctx context.Context, server registry.Server) {
	w := wantOf(server, "", nil)
	session, err := k.router.acquire(ctx, w)
	if err == nil {
		session.use.leave()
		return
	}
	if ctx.Err() != nil || errors.Is(err, ErrPaused) {
		return
	}
	k.log.Warn("could not start a server without a call", "server", server.Name, "error", fault.MessageOf(err))
	if s := k.slots.shared(server.Name); server.KeepRunning && s != nil && s.failureCount() >= maxKeepFailures && !isUnfilled(err) {
		_, _ = k.registry.Update(ctx, server.Name, func(v *registry.Server) {
			v.KeepRunning = false
			v.Health.LastError = "no longer kept running: it failed to start. " + fault.MessageOf(err)
		})
	}
}

func (s *slot) failureCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures
}

// revivable reports whether the server has died a while ago, and may be tried again.
func (s *slot) revivable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.died.IsZero() && time.Since(s.died) > firstDelay && s.failures < maxKeepFailures
}

func (s *slot) hold(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = on
}

// startAllowed reports whether the server may be started without a call: the
// back-off is over, and no person has stopped the server.
func (s *slot) startAllowed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.held && time.Now().After(s.notBefore)
}
