package hub_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// credential is in the editor's file of these tests.
const credential = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// keyedConfig has a server with a credential.
const keyedConfig = "{\n\t\"mcpServers\": {\n\t\t\"keyed\": {\"command\": \"npx\", \"args\": [\"-y\", \"@example/keyed\"], \"env\": {\"GITHUB_TOKEN\": \"" + credential + "\"}}\n\t}\n}\n"

// newBackupScenario starts a hub with its own data folder, and an editor whose
// file has a credential. The file of secrets is unlocked.
func newBackupScenario(t *testing.T, home string, folder paths.Folder) (s *scenario, file string) {
	t.Helper()
	setHomeTo(t, home)
	bin := t.TempDir()
	fakeProgram(t, bin, "npx")
	t.Setenv("PATH", bin)
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		writeFile(t, file, keyedConfig)
	}
	s = newScenario(t, hub.Options{Program: fakeProgram(t, home, "agent-discover"), Folder: folder})
	s.play(step{name: "unlock the secrets", method: "POST", path: "/api/secrets/unlock", body: `{"passphrase":"correct-horse-battery-staple"}`, status: 200})
	return s, file
}

// checkNoCredential checks that no file in a folder contains the credential.
func checkNoCredential(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(credential)) {
			t.Errorf("%s contains the credential", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBackupsOfRemovedServersAreEncryptedUndoneAndForgotten(t *testing.T) {
	home, folder := t.TempDir(), paths.Folder(t.TempDir())
	s, file := newBackupScenario(t, home, folder)
	s.play(
		step{name: "import, and remove from the editor", method: "POST", path: "/api/editors/import", person: true, body: `{"take_out":true}`, status: 200, want: []string{`"status":"imported"`, `"entries":["keyed"]`, `"change":"`}},
		step{name: "register", method: "POST", path: "/api/editors/register", body: `{"all":true}`, status: 200, want: []string{`"status":"done"`}, keep: "outcomes.0.change"},
		step{name: "history", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"action":"take-out"`}, never: []string{credential, "unsealed"}, keep: "changes.1.id"},
	)
	backups := folder.Backups("editors")
	checkNoCredential(t, backups)
	if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte(credential)) {
		t.Errorf("the editor's file is %s, %v", data, err)
	}
	s.play(step{name: "undo the removal", method: "POST", path: "/api/editors/undo", body: `{"changes":["{changes.1.id}"]}`, status: 200, want: []string{`"status":"done"`}, never: []string{credential}})
	if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte(credential)) || !bytes.Contains(data, []byte(`"discover"`)) {
		t.Errorf("after the undo, the editor's file is %s, %v", data, err)
	}
	checkNoCredential(t, backups)
	s.play(
		step{name: "forget without changes", method: "POST", path: "/api/editors/history/forget", body: `{}`, status: 422},
		step{name: "forget an unknown change", method: "POST", path: "/api/editors/history/forget", body: `{"changes":["nothing"]}`, status: 404},
		step{name: "forget all changes", method: "POST", path: "/api/editors/history/forget", body: `{"all":true}`, status: 200, want: []string{`"deleted":3`}, events: []string{"editors"}},
		step{name: "a forgotten change cannot be undone", method: "POST", path: "/api/editors/undo", body: `{"changes":["{outcomes.0.change}"]}`, status: 200, want: []string{`"status":"refused"`, "was deleted"}},
	)
	if left, _ := filepath.Glob(filepath.Join(backups, "changes", "*", "*.age")); len(left) > 0 {
		t.Errorf("encrypted backups are left: %v", left)
	}
}

func TestPlainBackupsOfEarlierVersionsAreEncryptedWhenTheHubStarts(t *testing.T) {
	home, folder := t.TempDir(), paths.Folder(t.TempDir())
	change := filepath.Join(folder.Backups("editors"), "changes", "20260101T000000Z-cursor-1")
	if err := os.MkdirAll(change, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".cursor", "mcp.json")
	const entry = `"keyed": {"command": "npx", "args": ["-y", "@example/keyed"], "env": {"GITHUB_TOKEN": "` + credential + `"}}`
	const after = "{\n\t\"mcpServers\": {\n\t\t\n\t}\n}\n"
	for name, text := range map[string]string{
		"change.json": `{"id": "20260101T000000Z-cursor-1", "editor": "cursor", "name": "Cursor", "path": ` + inJSON(file) + `, "action": "take-out", "entries": ["keyed"],
			"at": "2026-01-01T00:00:00Z", "by": "person", "number": 1, "scope": "user", "shape": "plain", "place": {"format": "json", "keys": ["mcpServers"]},
			"before": "` + atomicfile.HashOf([]byte(keyedConfig)) + `", "after": "` + atomicfile.HashOf([]byte(after)) + `", "mode": 384, "had": false, "has": false}`,
		"before":     keyedConfig,
		"steps.json": `[{"name": "keyed", "was": true, "is": false, "made": 0, "cuts": [{"at": 21, "old": ` + inJSON(entry) + `, "new": ""}]}]`,
		"done":       "",
	} {
		writeFile(t, filepath.Join(change, name), text)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, after)
	s, _ := newBackupScenario(t, home, folder)
	s.play(step{name: "wake the scan of editors", method: "PUT", path: "/api/editors/settings", body: `{"auto_register":false}`, status: 200})
	programtest.Eventually(t, "the backups are encrypted", func() bool {
		var history struct{ Unsealed int }
		do(t, s.hub, "GET", "/api/editors/history", nil, &history)
		return history.Unsealed == 0
	})
	checkNoCredential(t, folder.Backups("editors"))
	s.play(
		step{name: "history", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"exact":true`}, never: []string{"unsealed"}},
		step{name: "undo", method: "POST", path: "/api/editors/undo", body: `{"all":true}`, status: 200, want: []string{`"status":"done"`}},
	)
	checkFile(t, file, keyedConfig)
}

func inJSON(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(text) + `"`
}
