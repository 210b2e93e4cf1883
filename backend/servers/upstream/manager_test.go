package upstream_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// bench is a running manager with its real dependencies.
type bench struct {
	*upstream.Manager
	t       *testing.T
	bus     *events.Bus
	servers *registry.Registry
	store   *store.Store
	tools   *catalog.Catalog
	states  <-chan upstream.StateChanged
	stop    func() // ends Run and waits for it
}

func start(t *testing.T, limits settings.Limits, edit ...func(*upstream.Options)) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	bus, log := &events.Bus{}, slog.New(slog.DiscardHandler)
	servers, err := registry.Open(t.Context(), db.Servers, bus)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Open(t.Context(), db.Tools, bus, log)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []*time.Duration{&limits.StartTimeout, &limits.CallTimeout, &limits.IdleStop} {
		if *limit == 0 {
			*limit = time.Minute
		}
	}
	o := upstream.Options{
		Registry: servers, Catalog: tools, Bus: bus, Log: log, Limits: limits, Version: "1",
		Children:    filepath.Join(t.TempDir(), "children.json"),
		Environment: func(context.Context) process.Env { return process.Clean() },
	}
	for _, e := range edit {
		e(&o)
	}
	m := upstream.New(o)
	states, unsubscribe := events.Subscribe[upstream.StateChanged](bus, 1024)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = m.Run(ctx) }()
	stop := sync.OnceFunc(func() { cancel(); <-done; unsubscribe() })
	t.Cleanup(stop)
	return &bench{m, t, bus, servers, db, tools, states, stop}
}

func (b *bench) add(name string, flags ...string) registry.Server {
	b.t.Helper()
	command := mcptest.Command(b.t, flags...)
	s, err := b.servers.Add(b.t.Context(), registry.Server{Name: name, Approved: true, Command: command[0], Args: command[1:]})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) call(s registry.Server, tool, arguments string) (json.RawMessage, error) {
	params := json.RawMessage(`{"name":"` + tool + `","arguments":` + arguments + `}`)
	result, err := b.Call(b.t.Context(), s, "", nil, jsonrpc.Call{Method: "tools/call", Params: params})
	return result.JSON, err
}

// starting calls Start in a goroutine and returns a channel with its result.
func (b *bench) starting(s registry.Server) <-chan error {
	said := make(chan error, 1)
	go func() { said <- b.Start(b.t.Context(), s) }()
	return said
}

func TestStopDoesNotWaitForAStart(t *testing.T) {
	b := start(t, settings.Limits{StartTimeout: time.Hour})
	mute := b.add("mute", "-mute")
	said := b.starting(mute)
	// Repeat Stop, because it does nothing if it comes before the start.
	for stopped := false; !stopped; {
		b.Stop("mute")
		select {
		case err := <-said:
			if !strings.Contains(fault.MessageOf(err), "stopped while it was starting") {
				t.Errorf("got %v", err)
			}
			stopped = true
		default:
		}
	}
	said = b.starting(mute)
	b.stop()
	if err := <-said; err == nil || !strings.Contains(fault.MessageOf(err), "stopping") {
		t.Errorf("got %v", err)
	}
}

func TestNoCallIsLostToAnIdleStop(t *testing.T) {
	b := start(t, settings.Limits{IdleStop: -1}) // any idle time is longer, even if a coarse clock measures 0
	s := b.add("s")
	// Here, the manager stops the server whenever no call is in flight. Repeat calls
	// until it has stopped the server a few times between them.
	for ends := 0; ends < 3; {
		if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
			t.Fatal(err)
		}
		select {
		case state := <-b.states:
			if !state.Running {
				ends++
			}
		case <-time.After(200 * time.Microsecond): // the manager looks for idle servers at any moment of this pause
		}
	}
}

func TestAServerThatIsBeingStoppedMakesRoomForAnother(t *testing.T) {
	b := start(t, settings.Limits{Processes: 1})
	slow, other := b.add("slow", "-stubborn"), b.add("other")
	if _, err := b.call(slow, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	b.BeginIdleStop("slow") // its end takes seconds
	if _, err := b.call(other, "echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
}

func TestARemovedServerIsNotStartedByALateCall(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	if err := b.servers.Remove(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	b.Remove("s")
	if state := b.State("s"); state.Running {
		t.Errorf("the server still runs: %+v", state)
	}
	b.stop()
	if _, err := b.call(s, "echo", `{"text":"x"}`); err == nil {
		t.Error("a stopped manager started a server")
	}
}

func TestServersThatHangWhileStartingDelayOthersButDoNotFailThem(t *testing.T) {
	b := start(t, settings.Limits{StartTimeout: 5 * time.Second})
	var hanging []<-chan error
	for _, name := range []string{"a", "b", "c", "d"} {
		hanging = append(hanging, b.starting(b.add(name, "-mute")))
	}
	good := b.add("good")
	// The time limit of a start does not include the wait for other starts.
	if err := b.Start(t.Context(), good); err != nil && fault.KindOf(err) != fault.Busy {
		t.Errorf("got %v", err)
	}
	for _, said := range hanging {
		err := <-said
		if fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.MessageOf(err), "handshake") {
			t.Errorf("mute server: %v", err)
		}
	}
	if err := b.Start(t.Context(), good); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestACrashDuringACallIsReportedAsACrash(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	for range 5 {
		if err := b.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				_, err := b.call(s, "die", `{"text":"out of paper"}`)
				if text := fault.MessageOf(err); err != nil &&
					(strings.Contains(text, "configuration") || strings.Contains(text, "was stopped")) {
					t.Errorf("got %v", err)
				}
			})
		}
		calls.Wait()
	}
}

func TestAChangedConfigurationStartsANewSession(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	before := b.State("s").PID
	s, err := b.servers.Update(t.Context(), "s", func(v *registry.Server) { v.Env = map[string]string{"MODE": "new"} })
	if err != nil {
		t.Fatal(err)
	}
	result, err := b.call(s, "environment", `{}`)
	if err != nil || !strings.Contains(string(result), "MODE=new") || b.State("s").PID == before {
		t.Errorf("got %.300s, %v", result, err)
	}
}
