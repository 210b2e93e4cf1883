//go:build linux

package cli_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestRepairAsksOnTheTerminalWhetherToTakeTheCopy(t *testing.T) {
	t.Parallel()
	for answer, servers := range map[string]string{"y": "one", "n": "No server is configured"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			hub := h.Serve()
			h.Must("servers", "add", "one", "--no-start", "--", "true")
			programtest.Signal(t, hub.PID, syscall.SIGTERM)
			hub.Exit()
			file := h.Folder.Database()
			if err := store.Copy(t.Context(), file); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 2048)), 0o600); err != nil {
				t.Fatal(err)
			}
			term := newTerminal(t)
			cmd := h.Command("doctor", "--repair")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			term.run(cmd)
			term.awaitText("has beside what can be read of the damaged database:")
			term.awaitText("1 server (one)")
			term.confirm("Take them from the copy? [y/N] ", 1, answer)
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, term.screen)
			}
			term.awaitText("Moved the damaged database to ")
			h.Serve()
			programtest.Contains(t, h.Must("servers", "list"), servers)
		})
	}
}
