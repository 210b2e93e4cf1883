//go:build linux

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAChangeIsShownAgainOnlyIfItIsNoLongerTheSame(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	file := filepath.Join(h.Dir, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	h.Write(file, "{}")
	term := newTerminal(t)
	const question = "Change this file? [y/N]"
	asked := 0
	change := func(code int, meanwhile string, answers []string, args ...string) {
		t.Helper()
		cmd := h.Command(args...)
		term.run(cmd)
		for i, answer := range answers {
			asked++
			term.reply(question, answer, func() bool {
				if strings.Count(term.screen.String(), question) != asked {
					return false
				}
				if i == 0 {
					h.Write(file, meanwhile)
				}
				return true
			})
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v exited with %d, want %d:\n%s", args, cmd.ProcessState.ExitCode(), code, term.screen)
		}
	}
	const old = `{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"]}}}`
	change(4, old, []string{"y", "n"}, "editors", "register", "cursor")
	term.awaitText("the other files were not changed")
	if data, err := os.ReadFile(file); err != nil || string(data) != old {
		t.Errorf("after a no, the file is %s, %v", data, err)
	}

	h.Write(file, "{}")
	change(0, old, []string{"y", "y"}, "editors", "register", "cursor")
	term.awaitText("Another program has changed 1 of the files meanwhile")
	data, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(data), "/old/") {
		t.Errorf("after a yes, the file is %s, %v", data, err)
	}

	change(0, strings.Replace(string(data), "{", `{"theirs": 1, `, 1), []string{"y"}, "editors", "undo", "cursor")
	if data, err = os.ReadFile(file); err != nil || !strings.Contains(string(data), "theirs") || !strings.Contains(string(data), "/old/") {
		t.Errorf("after the undo, the file is %s, %v", data, err)
	}
	if n := strings.Count(term.screen.String(), question); n != asked {
		t.Errorf("asked %d times, want %d:\n%s", n, asked, term.screen)
	}
}
