package hub_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// start opens and runs a hub in this process; ended receives what Run returned.
func start(t *testing.T, o hub.Options) (h *hub.Hub, ended <-chan error) {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	if o.Folder == "" {
		o.Folder = paths.Folder(filepath.Join(t.TempDir(), "data"))
	}
	h, err := hub.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.Run(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h, done
}

func ends(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the hub does not end")
	}
}

// ping proves that a session's hub is there.
func ping(t *testing.T, session io.ReadWriter) {
	t.Helper()
	if _, err := io.WriteString(session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatalf("ping: %v", err)
	}
	line, err := bufio.NewReader(session).ReadString('\n')
	if err != nil || !strings.Contains(line, `"result":{}`) {
		t.Fatalf("ping gave %q, %v", line, err)
	}
}

func TestHubOfACompanionEndsAfterItsLastSession(t *testing.T) {
	const idle = 100 * time.Millisecond
	h, ended := start(t, hub.Options{Version: "1.0.0", StartedBy: "companion", IdleEnd: idle})
	session, err := companion.Dial(t.Context(), h.Info(), "1.0.0", rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	// Held by a session it lives through several times that span.
	for began := time.Now(); time.Since(began) < 4*idle; {
		ping(t, session)
	}
	select {
	case err := <-ended:
		t.Fatalf("the hub ended beneath a session: %v", err)
	default:
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	ends(t, ended)
}

func TestHubOfACompanionThatNobodyComesToEnds(t *testing.T) {
	_, ended := start(t, hub.Options{StartedBy: "companion", IdleEnd: time.Millisecond})
	ends(t, ended)
}

func TestHubOfAPersonStaysWithoutASession(t *testing.T) {
	h, ended := start(t, hub.Options{IdleEnd: time.Millisecond})
	client := instance.NewClient(h.Info())
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
		if err := client.Do(t.Context(), http.MethodGet, "/api/status", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	h.Stop()
	ends(t, ended)
}

func TestHubInTheBackgroundRespectsTheWishToStop(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"companion", "cli", "tray"} {
		if _, err := hub.Open(t.Context(), hub.Options{Folder: folder, StartedBy: by}); fault.KindOf(err) != fault.Denied {
			t.Errorf("started by %s: %v", by, err)
		}
	}
	h, ended := start(t, hub.Options{Folder: folder})
	if instance.Stopped(folder) {
		t.Error("a hub that a person started leaves the wish to stop")
	}
	h.Stop()
	ends(t, ended)
}

func TestStopByRESTEndsTheHub(t *testing.T) {
	h, ended := start(t, hub.Options{})
	if err := instance.NewClient(h.Info()).Do(t.Context(), http.MethodPost, "/api/stop", nil, nil); err != nil {
		t.Fatal(err)
	}
	ends(t, ended)
}
