package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestAPersonLearnsWhatAnEditorStartsAndWhetherATokenIsAsked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have endings there")
	}
	program := filepath.Join(t.TempDir(), "agent-discover")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	quoted, _ := json.Marshal(program)
	for setting, off := range map[string]string{"": `"auth_off":false`, "off": `"auth_off":true`} {
		t.Setenv("AGENT_DISCOVER_AUTH", setting)
		newScenario(t, hub.Options{}).play(
			step{name: "about", method: "GET", path: "/api/about", status: 200, want: []string{`"program":` + string(quoted), off, `"version":"`}},
		)
	}
}
