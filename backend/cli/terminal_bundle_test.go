//go:build linux

package cli_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestCredentialsOfABundleAreTypedOrReadFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.mcpb")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	manifest, err := w.Create("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Write([]byte(`{"manifest_version":"0.3","name":"notes","version":"1.0.0","description":"Notes","author":{"name":"A"},
		"server":{"type":"binary","entry_point":"run","mcp_config":{"command":"true","env":{"KEY":"${user_config.key}","PLACE":"${user_config.place}"}}},
		"user_config":{"key":{"type":"string","title":"API key","sensitive":true,"required":true},
			"place":{"type":"string","title":"Place","required":true}}}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_PASSPHRASE", "a long passphrase")
	h.Serve()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("correct-horse-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	term := newTerminal(t)
	cmd := h.Command("editors", "import", "--bundle", file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.run(cmd)
	term.answer("API key: ", 1, "correct-horse-typed")
	term.confirm("Place: ", 1, "attic")
	term.confirm("Import these servers?", 1, "y")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, term.screen)
	}
	if strings.Contains(term.screen.String(), "correct-horse") {
		t.Errorf("the typed credential is on the screen:\n%s", term.screen)
	}
	programtest.Contains(t, h.Must("secrets", "list", "notes"), "KEY")
	programtest.Contains(t, h.Must("servers", "show", "notes", "--json"), `"PLACE": "attic"`)

	h.Must("servers", "remove", "notes", "--yes")
	h.Must("editors", "import", "--bundle", file, "--set-file", "key="+key, "--set", "place=cellar", "--yes")
	programtest.Contains(t, h.Must("secrets", "list", "notes"), "KEY")
}
