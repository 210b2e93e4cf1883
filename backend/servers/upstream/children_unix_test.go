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

func TestACopyOfTheListEndsNoProcessOfTheOriginal(t *testing.T) {
	child := exec.Command("sleep", "1000")
	process.Isolate(child)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	file, copied := filepath.Join(t.TempDir(), "children.json"), filepath.Join(t.TempDir(), "children.json")
	log := slog.New(slog.DiscardHandler)
	id := process.ID{PID: child.Process.Pid, Start: process.StartOf(child.Process.Pid)}
	newChildList(file, log).add(process.Tree{ID: id}, nil)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	newChildList(copied, log).endOrphans()
	if !id.Alive() {
		t.Error("the process of the original was ended")
	}
	if data, err := os.ReadFile(copied); err != nil || string(data) != "[]" {
		t.Errorf("the copy still lists %s, %v", data, err)
	}
	// A folder that was moved is not a copy.
	if err := os.Rename(file, copied); err != nil {
		t.Fatal(err)
	}
	newChildList(copied, log).endOrphans()
	if err := child.Wait(); err == nil {
		t.Error("the process ended without a signal")
	}
}
