package hubtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// EditorConfig is an editor's configuration file with a comment and a trailing comma.
const EditorConfig = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"@example/files\"]},\n\t},\n}\n"

// NewEditorScenario starts a hub in a home folder with one editor, and returns the
// path of the editor's configuration file.
func NewEditorScenario(t *testing.T) (s *Scenario, file string) {
	t.Helper()
	return EditorScenario(t, hub.Options{})
}

// EditorScenario is like NewEditorScenario with options for the hub.
func EditorScenario(t *testing.T, o hub.Options) (s *Scenario, file string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	SetHomeTo(t, home)
	bin := t.TempDir()
	FakeProgram(t, bin, "npx")
	t.Setenv("PATH", bin)
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	WriteFile(t, file, EditorConfig)
	program := FakeProgram(t, home, "agent-discover")
	o.Program = program
	s = NewScenario(t, o)
	s.Kept = append(s.Kept, "{file}", strings.Trim(s.JSON(file), `"`), "{program}", strings.Trim(s.JSON(program), `"`))
	return s, file
}

// FakeProgram creates a program that does nothing.
func FakeProgram(t *testing.T, folder, name string) string {
	t.Helper()
	program := filepath.Join(folder, name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

// InJSON returns a text as a JSON string, including the quotation marks. It escapes only
// quotation marks and backslashes.
func InJSON(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(text) + `"`
}
