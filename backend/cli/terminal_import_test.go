//go:build linux

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// writeEditor writes a file of an editor below the home folder, and returns its path. SERVERS in the text stands for an
// object with the server hello.
func writeEditor(t *testing.T, h *programtest.Home, file, text string) string {
	t.Helper()
	path, command := filepath.Join(h.Dir, file), mcptest.Command(t)
	servers, err := json.Marshal(map[string]any{"hello": map[string]any{"command": command[0], "args": command[1:]}})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.Write(path, strings.ReplaceAll(text, "SERVERS", string(servers)))
	return path
}

func TestAnImportAsksWhetherToRemoveTheServersFromTheEditors(t *testing.T) {
	t.Parallel()
	for answer, removed := range map[string]bool{"n": false, "y": true} {
		h := programtest.NewHome(t)
		h.Serve()
		file := writeEditor(t, h, ".cursor/mcp.json", `{"mcpServers": SERVERS}`)
		term := typed(t, h, []string{"editors", "import", "cursor"},
			[2]string{
				"Remove the imported servers from the editors, which would start each of them a second time? You can undo that. [y/N] ",
				answer,
			},
			[2]string{"Import these servers? [y/N] ", "y"})
		programtest.Contains(t, h.Must("servers", "list"), "hello ")
		const undo = "to undo: agent-discover editors undo"
		if removed {
			term.awaitText(undo)
		}
		gone, shown := !strings.Contains(readFile(t, file), "hello"), strings.Contains(term.screen.String(), undo)
		if gone != removed || shown != removed {
			t.Errorf("after %q the entry is gone: %t; the screen shows:\n%s", answer, gone, term.screen)
		}
	}
}

func TestASecondSetupAsksNothing(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	project := t.TempDir()
	file := writeEditor(t, h, ".claude.json", `{"projects": {"`+project+`": {"mcpServers": SERVERS}}}`)
	typed(t, h, []string{"setup"}, [2]string{"Set up Agent Discover like this? You can undo it. [y/N] ", "y"}).shows("hello")
	before := readFile(t, file)
	programtest.Contains(t, before, "hello")
	again := h.Run("setup")
	programtest.Contains(t, again.Stdout+again.Stderr, "No editor needs a change", "stays in ~/.claude.json: hello",
		"claude mcp remove --scope local hello")
	if again.Code != 0 || strings.Contains(again.Stdout, "STATUS") || readFile(t, file) != before {
		t.Errorf("a second setup exited with %d and changed the file: %t\n%s%s", again.Code, readFile(t, file) != before, again.Stdout, again.Stderr)
	}
}
