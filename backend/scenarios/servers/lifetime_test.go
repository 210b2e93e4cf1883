package servers_test

import (
	"bufio"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// ping checks that the hub answers in a session.
func ping(t *testing.T, session io.ReadWriter) {
	t.Helper()
	if _, err := io.WriteString(session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatalf("ping: %v", err)
	}
	line, err := bufio.NewReader(session).ReadString('\n')
	if err != nil || !strings.Contains(line, `"result":{}`) {
		t.Fatalf("ping returned %q, error %v", line, err)
	}
}

func TestHubStartedByACompanionEndsAfterItsLastSession(t *testing.T) {
	const idle = 2 * time.Second // long enough to connect on a busy machine
	h, ended := hubtest.RunHub(t, hub.Options{StartedBy: "companion", IdleEnd: idle})
	session, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text(), companion.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 3*idle/2; {
		ping(t, session)
	}
	select {
	case err := <-ended:
		t.Fatalf("the hub ended while it had a session: %v", err)
	default:
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	hubtest.AwaitEnd(t, ended)
}

func TestHubStartedByAPersonStaysWithoutASession(t *testing.T) {
	h, ended := hubtest.RunHub(t, hub.Options{IdleEnd: time.Millisecond})
	client := instance.NewClient(h.Info())
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
		if err := client.Do(t.Context(), http.MethodGet, "/api/status", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	h.Stop()
	hubtest.AwaitEnd(t, ended)
}

func TestOnlyAPersonStartsAStoppedHub(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"companion", "cli", "tray", "window"} {
		if _, err := hub.Open(t.Context(), hub.Options{Folder: folder, StartedBy: by}); fault.KindOf(err) != fault.Denied {
			t.Errorf("started by %s: %v", by, err)
		}
	}
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	if instance.Stopped(folder) {
		t.Error("a start by a person did not clear the stop request")
	}
	h.Stop()
	hubtest.AwaitEnd(t, ended)
}

func TestStopOverRESTEndsTheHub(t *testing.T) {
	h, ended := hubtest.RunHub(t, hub.Options{})
	hubtest.Row{Name: "stop", Method: "POST", Path: "/api/stop", Status: 200, Want: []string{"stopping"}}.Send(t, h)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestUnusedHubStartedByACompanionEnds(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	_, ended := hubtest.RunHub(t, hub.Options{Folder: folder, StartedBy: "companion", IdleEnd: time.Millisecond})
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := instance.Read(folder); err != instance.ErrNone {
		t.Errorf("hub.json was not removed: %v", err)
	}
}

func TestOpenPageKeepsAnUnusedHubRunning(t *testing.T) {
	const idle = 2 * time.Second // long enough to connect on a busy machine
	h, ended := hubtest.RunHub(t, hub.Options{StartedBy: "companion", IdleEnd: idle, Timeouts: guard.Timeouts{Ping: idle / 10}})
	s := hubtest.Connect(t, h, "/")
	for began := time.Now(); time.Since(began) < 2*idle; {
		s.Write(`{"type":"refresh"}`)
		s.Next()
	}
	select {
	case <-ended:
		t.Fatal("the hub ended while a page was open")
	default:
	}
	if err := s.Conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
