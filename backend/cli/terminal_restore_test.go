//go:build linux

package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAPersonGoesBackToACopy(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	hub := h.Serve()
	h.Must("servers", "add", "plain", "--no-start", "--", "true")
	if err := store.Copy(t.Context(), h.Folder.Database()); err != nil {
		t.Fatal(err)
	}
	h.Must("servers", "remove", "plain", "--yes")
	programtest.Contains(t, h.Must("restore"), "copied just now")
	if out := h.Run("restore", "newest"); out.Code != 3 {
		t.Errorf("while the hub runs: %+v", out)
	}
	programtest.Signal(t, hub.PID, syscall.SIGTERM)
	hub.Exit()
	if out := h.Run("restore", "newest"); out.Code != 4 {
		t.Errorf("without a terminal: %+v", out)
	}
	typed(t, h, []string{"restore", "newest"}, [2]string{"Go back to this copy? [y/N] ", "y"}).awaitText("The former database is ")
	if aside, err := filepath.Glob(h.Folder.Database() + ".before-*"); err != nil || len(aside) == 0 {
		t.Errorf("the former database is %v, %v", aside, err)
	}
	if _, err := os.Stat(h.Folder.Database()); err != nil {
		t.Fatal(err)
	}
	h.Serve()
	programtest.Contains(t, h.Must("servers", "list"), "plain")
}
