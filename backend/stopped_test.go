package backend

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/instance"
	"github.com/agent-discover/agent-discover/backend/paths"
)

func TestWishThatComesWhileAHubStartsInTheBackgroundIsKept(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	for _, by := range []string{"companion", "cli", "tray"} {
		folder := paths.Folder(t.TempDir())
		if err := folder.Create(); err != nil {
			t.Fatal(err)
		}
		lock, err := instance.Acquire(folder)
		if err != nil {
			t.Fatal(err)
		}
		// The hub has found no wish; now the user has one.
		h := &Hub{options: Options{Folder: folder, StartedBy: by}, lock: lock, stop: make(chan struct{})}
		if err := instance.SetStopped(folder, true); err != nil {
			t.Fatal(err)
		}
		if err := h.build(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Run(t.Context()) }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("started by %s it ended with %v", by, err)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("started by %s it goes on", by)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if !instance.Stopped(folder) {
			t.Errorf("started by %s it took the wish back", by)
		}
	}
}
