//go:build linux

package attack

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWhatAServerLeavesEndsWithAKilledHub(t *testing.T) {
	for _, on := range systems {
		t.Run(on.name, func(t *testing.T) {
			i := newInstalling(t, on, nil)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			server := filepath.Join(i.Dir, "attacker")
			copyProgram(t, self, server)
			p := plants{Abstract: filepath.Base(t.TempDir()) + strings.ReplaceAll(on.name, " ", "-")}
			add(t, i.Home, p, "leaving", "guard", nil, server)
			i.Must("call", "leaving__try", "attack=stay")
			if len(lingering(p.Abstract)) == 0 {
				t.Fatal("no process was left behind")
			}
			if err := syscall.Kill(i.RunningHub().PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if stays(p.Abstract) {
				t.Error("what the server has left still runs")
				end(lingering(p.Abstract))
			}
		})
	}
}
