package hub

import (
	"errors"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func TestStopRequestDuringAStartIsHonoured(t *testing.T) {
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
		// The stop request comes after Open has checked for one.
		h := newHub(Options{Folder: folder, StartedBy: by}, lock)
		if err := instance.SetStopped(folder, true); err != nil {
			t.Fatal(err)
		}
		if err := h.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Run(t.Context()) }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("started by %s: the hub ended with the error %v", by, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("started by %s: the hub did not end in time", by)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if !instance.Stopped(folder) {
			t.Errorf("started by %s: the hub cleared the stop request", by)
		}
	}
}

func TestPauseSettingAppliesBeforeTheHubRuns(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	folder := paths.Folder(t.TempDir())
	if err := errors.Join(folder.Create(), instance.SetPaused(folder, true)); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	if !h.servers.upstream.Paused() {
		t.Error("the hub is not paused")
	}
	// Changes of the setting are applied when the hub is announced.
	for _, paused := range []bool{false, true} {
		if err := instance.SetPaused(folder, paused); err != nil {
			t.Fatal(err)
		}
		if h.applyPause(); h.servers.upstream.Paused() != paused {
			t.Errorf("paused is %t, the setting is %t", !paused, paused)
		}
	}
}
