package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func TestAHubThatCannotBeAnnouncedTellsWhoeverWaitsForIt(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	folder := paths.Folder(t.TempDir())
	if err := os.MkdirAll(filepath.Join(folder.Run("hub.json"), "x"), 0o700); err != nil { // a file cannot replace this folder
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Options{Folder: folder, StartedBy: "start"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Run(t.Context()) }()
	_, err = instance.Await(t.Context(), folder)
	if message := fault.MessageOf(err); !strings.Contains(message, "cannot start: could not write") ||
		!strings.Contains(message, "hub.json") {
		t.Errorf("the waiting program got %q", message)
	}
	select {
	case err := <-ended:
		if !strings.Contains(fault.MessageOf(err), "hub.json") {
			t.Errorf("the hub ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the hub did not end")
	}
	_ = h.Close()
}
