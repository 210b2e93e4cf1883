//go:build unix

package upstream

import (
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestOrphansAreEndedOnceAndBeforeTheListIsWritten(t *testing.T) {
	orphan := exec.Command("sleep", "1000")
	process.Isolate(orphan)
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	left, err := json.Marshal([]process.ID{{PID: orphan.Process.Pid, Start: process.StartOf(orphan.Process.Pid)}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "children.json")
	if err := os.WriteFile(file, left, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newChildList(file, slog.New(slog.DiscardHandler))
	if data, err := os.ReadFile(file); err != nil || string(data) != string(left) {
		t.Errorf("the constructor changed the list to %s, %v", data, err)
	}
	c.endOrphans()
	if err := orphan.Wait(); err == nil {
		t.Error("the orphan ended without a signal")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "[]" {
		t.Errorf("the list is %s, %v", data, err)
	}
	if err := os.WriteFile(file, left, 0o600); err != nil {
		t.Fatal(err)
	}
	c.endOrphans()
	if data, _ := os.ReadFile(file); string(data) != string(left) {
		t.Errorf("a second call changed the list to %s", data)
	}
}
