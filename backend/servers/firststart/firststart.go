// Package firststart starts each server once after it was configured, so that its tools, prompts and resources are
// known before an agent needs them. Package upstream starts the servers, and stops them again when they are idle.
package firststart

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// atOnce is how many servers are started at the same time. Package upstream allows more, which leaves room for
	// the starts that calls cause.
	atOnce = 3
	// firstRetry is the delay before a failed start is repeated for the first time. Each further delay is four times as
	// long.
	firstRetry = time.Minute
	// maxFailures is the number of failed starts after which a server is started again only if it is changed or Again
	// is called.
	maxFailures = 4
	// busyRetry is the delay after a start that was refused because too many servers were running.
	busyRetry = 10 * time.Second
)

// Options are the dependencies of a Starter.
type Options struct {
	Servers interface{ List() []registry.Server }
	// Start starts a server, and returns when its tools are in the catalog.
	Start func(ctx context.Context, server registry.Server) error
	// Refused returns the reason why a server must not be started at present, or nil if it may be started.
	Refused func(server registry.Server) error
	Bus     *events.Bus
	Log     *slog.Logger
}

// Starter starts new servers. It is safe for concurrent use.
type Starter struct {
	options Options
	wake    chan struct{} // has a token when Run has to look at the servers again

	changes                 <-chan registry.Changed
	pauses                  <-chan upstream.PauseChanged
	unsubscribe, stopPauses func()

	mu    sync.Mutex
	holds int           // see Hold
	tries map[int64]try // by the id of the server
	ended chan struct{} // closed and replaced when a start has ended
}

// try is the state of the starts of one server.
type try struct {
	server   string
	config   time.Time // UpdatedAt of the configuration that was tried
	running  bool
	done     bool // the last start has ended
	failures int
	err      error     // error of the last start
	next     time.Time // when to try again; zero: only after a change
}

// Changed is published when the first start of a server has ended, and when pausing or resuming all servers affects
// that start.
type Changed struct{ Server string }

// New returns a starter, which starts servers only while Run is running.
func New(o Options) *Starter {
	s := &Starter{options: o, wake: make(chan struct{}, 1), tries: make(map[int64]try), ended: make(chan struct{})}
	s.changes, s.unsubscribe = events.Subscribe[registry.Changed](o.Bus, 256)
	s.pauses, s.stopPauses = events.Subscribe[upstream.PauseChanged](o.Bus, 16)
	return s
}

// Run starts servers that have never been started, until ctx ends.
func (s *Starter) Run(ctx context.Context) error {
	defer func() { s.unsubscribe(); s.stopPauses() }()
	var starts sync.WaitGroup
	defer starts.Wait()
	for {
		var retry <-chan time.Time
		if wait, ok := s.startDue(ctx, &starts); ok {
			retry = time.After(wait)
		}
		select {
		case change, ok := <-s.changes:
			if !ok {
				s.changes, s.unsubscribe = events.Subscribe[registry.Changed](s.options.Bus, 256)
			} else if change.Removed {
				s.Again(change.Name)
			}
		case pause, ok := <-s.pauses:
			if !ok {
				s.pauses, s.stopPauses = events.Subscribe[upstream.PauseChanged](s.options.Bus, 16)
			} else {
				s.paused(pause.Paused)
			}
		case <-s.wake:
		case <-retry:
		case <-ctx.Done():
			return nil
		}
	}
}

// Hold prevents first starts until release is called. Callers use it while they store the secrets of a new server or
// record the approval of its configuration.
func (s *Starter) Hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.holds--
		s.mu.Unlock()
		s.look()
	})
}

// Again makes the starter try a failed server once more, because the reason for the failure may be gone: a secret was
// set, or a person has signed in or approved something.
func (s *Starter) Again(server string) { s.forget(func(t try) bool { return t.server == server }) }

// paused handles a change of the pause setting; now is true if all servers are paused. It publishes Changed for the
// servers that are due. After a resume, servers whose start failed because of the pause may start again.
func (s *Starter) paused(now bool) {
	if !now {
		s.forget(func(t try) bool { return errors.Is(t.err, upstream.ErrPaused) })
	}
	for _, server := range s.unlisted() {
		events.Publish(s.options.Bus, Changed{server.Name})
	}
}

// forget drops the state of all starts that meet the condition and are not running.
func (s *Starter) forget(condition func(try) bool) {
	s.mu.Lock()
	maps.DeleteFunc(s.tries, func(_ int64, t try) bool { return !t.running && condition(t) })
	s.mu.Unlock()
	s.look()
}

func (s *Starter) look() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// startDue starts the servers that are due, at most atOnce at the same time. wait is the time until the next retry; ok
// is false if no retry is planned.
func (s *Starter) startDue(ctx context.Context, starts *sync.WaitGroup) (wait time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running, at := 0, time.Now()
	for _, t := range s.tries {
		if t.running {
			running++
		}
	}
	var next time.Time
	for _, server := range s.unlisted() {
		t := s.tryOf(server)
		switch now := !t.done || !t.next.IsZero() && !t.next.After(at); {
		case t.running:
		case !now && !t.next.IsZero() && (next.IsZero() || t.next.Before(next)):
			next = t.next
		case now && s.holds == 0 && running < atOnce && s.options.Refused(server) == nil:
			running++
			t.running = true
			s.tries[server.ID] = t
			starts.Go(func() { s.start(ctx, server) })
		}
	}
	return time.Until(next), !next.IsZero()
}

// due reports whether the tools of a server have never been listed, and the server may be started before its first
// call.
func due(server registry.Server) bool {
	return server.Usable() == nil && !server.Health.Listed && !server.Deferred
}

// unlisted returns the servers that are due, the oldest first.
func (s *Starter) unlisted() []registry.Server {
	servers := slices.DeleteFunc(slices.Clone(s.options.Servers.List()), func(server registry.Server) bool { return !due(server) })
	slices.SortFunc(servers, func(a, b registry.Server) int { return cmp.Compare(a.ID, b.ID) })
	return servers
}

// tryOf returns the state of the starts of a server with its current configuration. The caller holds mu.
func (s *Starter) tryOf(server registry.Server) try {
	t, known := s.tries[server.ID]
	if !known || !t.running && !t.config.Equal(server.UpdatedAt) {
		return try{server: server.Name, config: server.UpdatedAt}
	}
	return t
}

func (s *Starter) start(ctx context.Context, server registry.Server) {
	err := s.options.Start(ctx, server)
	if err != nil && ctx.Err() == nil {
		s.options.Log.Warn("could not list the tools of a new server", "server", server.Name, "error", fault.MessageOf(err))
	}
	s.mu.Lock()
	s.tries[server.ID] = s.tries[server.ID].after(err)
	close(s.ended)
	s.ended = make(chan struct{})
	s.mu.Unlock()
	events.Publish(s.options.Bus, Changed{server.Name})
	s.look()
}

// after returns t with the result of a start and, if the start is to be repeated, the time of the next attempt.
func (t try) after(err error) try {
	t.running, t.done, t.err, t.next = false, true, err, time.Time{}
	switch {
	case err == nil, errors.Is(err, upstream.ErrPaused), errors.Is(err, mcphttp.ErrSignIn):
	case fault.KindOf(err) == fault.Busy:
		t.next = time.Now().Add(busyRetry)
	default:
		if t.failures++; t.failures < maxFailures {
			t.next = time.Now().Add(firstRetry << (2 * (t.failures - 1)))
		}
	}
	return t
}

// Of reports whether a server is being started for the first time or about to be, and why the last attempt failed.
func (s *Starter) Of(server registry.Server) (pending bool, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !due(server) {
		return false, nil
	}
	t := s.tryOf(server)
	return t.running || !t.done && s.options.Refused(server) == nil, t.err
}

// Expected reports whether servers are being started for the first time, or about to be.
func (s *Starter) Expected() bool {
	return slices.ContainsFunc(s.options.Servers.List(), func(server registry.Server) bool {
		pending, _ := s.Of(server)
		return pending
	})
}

// Await returns when no server is being started for the first time or about to be, or when ctx ends.
func (s *Starter) Await(ctx context.Context) {
	for {
		s.mu.Lock()
		ended := s.ended
		s.mu.Unlock()
		if !s.Expected() {
			return
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
	}
}
