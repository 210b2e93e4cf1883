package firststart

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// fleet is a registry and a fake Start, whose results a test chooses.
type fleet struct {
	t       *testing.T
	bus     *events.Bus
	starter *Starter

	mu      sync.Mutex
	servers []registry.Server
	refused error
	fails   map[string]error
	started []string
}

// newFleet returns a fleet whose starter runs until the test ends. It must be called in a synctest bubble.
func newFleet(t *testing.T, names ...string) *fleet {
	f := &fleet{t: t, bus: &events.Bus{}, fails: make(map[string]error)}
	for _, name := range names {
		f.add(registry.Server{Name: name, Command: name, Approved: true})
	}
	f.starter = New(Options{
		Servers: f, Start: f.start, Bus: f.bus, Log: slog.New(slog.DiscardHandler),
		Refused: func(registry.Server) error { f.mu.Lock(); defer f.mu.Unlock(); return f.refused },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.starter.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return f
}

func (f *fleet) List() []registry.Server {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.servers)
}

func (f *fleet) start(_ context.Context, server registry.Server) error {
	time.Sleep(time.Second) // virtual time that a program takes to start
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, server.Name)
	err := f.fails[server.Name]
	for i := range f.servers {
		if f.servers[i].ID == server.ID && err == nil {
			f.servers[i].Health.Listed = true
		}
	}
	return err
}

// fail makes the starts of a server fail; with nil they succeed.
func (f *fleet) fail(server string, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails[server] = why
}

func (f *fleet) add(s registry.Server) {
	f.mu.Lock()
	s.ID, s.UpdatedAt = int64(len(f.servers)+1), time.Now()
	f.servers = append(f.servers, s)
	f.mu.Unlock()
	events.Publish(f.bus, registry.Changed{Name: s.Name})
}

// change edits the first server, as a person would.
func (f *fleet) change(edit func(*registry.Server)) {
	f.mu.Lock()
	edit(&f.servers[0])
	f.servers[0].UpdatedAt = time.Now()
	f.mu.Unlock()
	events.Publish(f.bus, registry.Changed{Name: f.servers[0].Name})
}

// starts returns the names of the servers that were started since the last call, sorted.
func (f *fleet) starts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.started = nil }()
	slices.Sort(f.started)
	return f.started
}

func (f *fleet) want(what string, names ...string) {
	f.t.Helper()
	if got := f.starts(); !slices.Equal(got, names) {
		f.t.Errorf("%s: started %v, want %v", what, got, names)
	}
}

func TestEveryServerIsStartedOnceHoweverItComesIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, "a", "b", "c", "d", "e")
		f.starter.Await(t.Context())
		f.want("at the start", "a", "b", "c", "d", "e")
		f.add(registry.Server{Name: "added", Command: "x", Approved: true})
		if !f.starter.Expected() {
			t.Error("the tools of the new server are not expected")
		}
		f.starter.Await(t.Context())
		f.add(registry.Server{Name: "waits", Command: "x"})
		f.add(registry.Server{Name: "deferred", Command: "x", Approved: true, Deferred: true})
		f.add(registry.Server{Name: "empty", Approved: true})
		f.add(registry.Server{Name: "odd", Command: "x", Transport: "weird", Approved: true})
		f.add(registry.Server{Name: "known", Command: "x", Approved: true, Health: registry.Health{Listed: true}})
		f.starter.Await(t.Context())
		time.Sleep(24 * time.Hour)
		f.want("afterwards", "added")
	})
}

func TestAtMostThreeServersAreStartedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, "a", "b", "c", "d")
		time.Sleep(1500 * time.Millisecond)
		f.want("after the first second", "a", "b", "c")
		f.starter.Await(t.Context())
		f.want("afterwards", "d")
	})
}

func TestAStartThatFailsIsRepeatedWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		f.fail("a", fault.New(fault.Failed, "it exited"))
		f.add(registry.Server{Name: "a", Command: "x", Approved: true})
		f.starter.Await(t.Context())
		f.want("at first", "a")
		if _, failure := f.starter.Of(f.List()[0]); failure == nil {
			t.Error("the failure is not told")
		}
		time.Sleep(30 * 24 * time.Hour)
		f.want("later", "a", "a", "a")
		f.change(func(*registry.Server) {})
		f.starter.Await(t.Context())
		f.want("after a change", "a")
		f.fail("a", nil)
		f.starter.Again("a")
		f.starter.Await(t.Context())
		f.want("after a secret was set", "a")
		if _, failure := f.starter.Of(f.List()[0]); failure != nil {
			t.Errorf("after a start: %v", failure)
		}
	})
}

func TestAStartWaitsForAPerson(t *testing.T) {
	for what, why := range map[string]error{"sign-in": mcphttp.ErrSignIn, "pause": upstream.ErrPaused} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t)
			f.fail("a", why)
			f.add(registry.Server{Name: "a", Command: "x", Approved: true})
			time.Sleep(24 * time.Hour)
			f.want(what, "a")
			f.fail("a", nil)
			if errors.Is(why, upstream.ErrPaused) {
				events.Publish(f.bus, upstream.PauseChanged{})
			} else {
				f.starter.Again("a")
			}
			synctest.Wait()
			f.starter.Await(t.Context())
			f.want("after the "+what, "a")
		})
	}
}

func TestARefusedServerIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		f.refused = errors.New("its start has changed")
		f.add(registry.Server{Name: "a", Command: "x", Approved: true})
		f.starter.Await(t.Context())
		f.want("refused")
		f.mu.Lock()
		f.refused = nil
		f.mu.Unlock()
		f.starter.Again("a")
		f.starter.Await(t.Context())
		f.want("approved", "a")
	})
}

func TestAServerIsNotStartedBeforeItsConfigurationIsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		release := f.starter.Hold()
		f.add(registry.Server{Name: "a", Command: "x", Approved: true})
		time.Sleep(time.Hour)
		f.want("during the change")
		if !f.starter.Expected() {
			t.Error("the server is not expected")
		}
		release()
		release() // a second call does nothing
		f.starter.Await(t.Context())
		f.want("after the change", "a")
	})
}

func TestABusyHubIsAskedAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		f.fail("a", fault.New(fault.Busy, "too many servers run"))
		f.add(registry.Server{Name: "a", Command: "x", Approved: true})
		time.Sleep(5 * time.Second)
		f.want("at first", "a")
		f.fail("a", nil)
		time.Sleep(busyRetry)
		f.want("later", "a")
	})
}
