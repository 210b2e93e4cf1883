package lifecycle_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

func openRegistry(t *testing.T) *registry.Registry {
	t.Helper()
	kept, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	servers, err := registry.Open(t.Context(), kept, &events.Bus{})
	if err != nil {
		t.Fatal(err)
	}
	return servers
}

func TestWhatHasChangedSinceItWasShownIsNotApproved(t *testing.T) {
	servers := openRegistry(t)
	installer := lifecycle.New(lifecycle.Options{Registry: servers, Agents: settings.Agents{Install: "ask"}})
	shown, err := installer.Propose(t.Context(), registry.Server{Name: "one", Transport: "stdio", Command: "npx"})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := servers.Update(t.Context(), "one", func(s *registry.Server) { s.Args = []string{"evil"} })
	if err != nil {
		t.Fatal(err)
	}
	_, err = installer.Approve(t.Context(), "one", lifecycle.LaunchHash(shown))
	if now, _ := servers.Get("one"); fault.KindOf(err) != fault.Conflict || now.Approved {
		t.Errorf("approved is %v, the error %v", now.Approved, err)
	}
	if now, err := installer.Approve(t.Context(), "one", lifecycle.LaunchHash(changed)); err != nil || !now.Approved {
		t.Errorf("as it is now: approved is %v, the error %v", now.Approved, err)
	}
}

// lines receives what is logged.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestToolsOfAServerProposedBeforeTheHubRunsAreListedThen(t *testing.T) {
	servers, bus, logged := openRegistry(t), &events.Bus{}, make(lines, 8)
	log := slog.New(slog.NewTextHandler(logged, nil))
	installer := lifecycle.New(lifecycle.Options{
		Registry: servers, Agents: settings.Agents{Install: "allow"}, Log: log,
		Upstream: upstream.New(upstream.Options{
			Registry: servers, Bus: bus, Log: slog.New(slog.DiscardHandler), Limits: settings.Limits{StartTimeout: time.Minute}, Children: filepath.Join(t.TempDir(), "children.json"),
			Environment: func(context.Context) process.Env { return process.Env{"PATH=/nowhere"} },
		}),
	})
	if _, err := installer.Propose(t.Context(), registry.Server{Name: "early", Transport: "stdio", Command: "no-such-program"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- installer.Run(ctx) }()
	select {
	case line := <-logged:
		if !strings.Contains(line, "server=early") || !strings.Contains(line, "no-such-program") {
			t.Errorf("logged: %s", line)
		}
	case <-time.After(30 * time.Second):
		t.Error("its tools are not listed")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
