package editors_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// credential is a credential in the editor's file.
const credential = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// keyedConfig is an editor's file with a server that has the credential.
const keyedConfig = "{\n\t\"mcpServers\": {\n\t\t\"keyed\": {\"command\": \"npx\", \"args\": [\"-y\", \"@example/keyed\"], \"env\": " +
	"{\"GITHUB_TOKEN\": \"" + credential + "\"}}\n\t}\n}\n"

// newBackupScenario starts a hub with its own data folder and an unlocked file of secrets. It also creates an
// editor's file with the credential, if the file does not exist.
func newBackupScenario(t *testing.T, home string, folder paths.Folder) (s *hubtest.Scenario, file string) {
	t.Helper()
	hubtest.SetHomeTo(t, home)
	bin := t.TempDir()
	hubtest.FakeProgram(t, bin, "npx")
	t.Setenv("PATH", bin)
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		hubtest.WriteFile(t, file, keyedConfig)
	}
	s = hubtest.NewScenario(t, hub.Options{Program: hubtest.FakeProgram(t, home, "agent-discover"), Folder: folder})
	s.Play(hubtest.Step{
		Name: "unlock the secrets", Method: "POST", Path: "/api/secrets/unlock", Person: true,
		Body:   `{"passphrase":"correct-horse-battery-staple"}`,
		Status: 200,
	})
	return s, file
}

// filesWithCredential returns the files in a folder that contain the credential.
func filesWithCredential(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(credential)) {
			files = append(files, path)
		}
		if errors.Is(err, fs.ErrNotExist) { // the hub has just replaced it
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// checkNoCredential checks that no file in a folder contains the credential.
func checkNoCredential(t *testing.T, folder string) {
	t.Helper()
	for _, file := range filesWithCredential(t, folder) {
		t.Errorf("%s contains the credential", file)
	}
}

func TestBackupsOfRemovedServersAreEncryptedUndoneAndForgotten(t *testing.T) {
	home, folder := t.TempDir(), paths.Folder(t.TempDir())
	s, file := newBackupScenario(t, home, folder)
	s.Play(
		hubtest.Step{
			Name: "import, and remove from the editor", Method: "POST", Path: "/api/editors/import", Person: true,
			Body: `{"take_out":true}`, Status: 200, Want: []string{`"status":"imported"`, `"entries":["keyed"]`, `"change":"`},
		},
		hubtest.Step{
			Name: "register", Method: "POST", Path: "/api/editors/register", Body: `{"all":true}`, Status: 200,
			Want: []string{`"status":"done"`}, Keep: "outcomes.0.change",
		},
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/editors/history", Status: 200, Want: []string{`"action":"take-out"`},
			Never: []string{credential, "unsealed"}, Keep: "changes.1.id",
		},
	)
	backups := folder.Backups("editors")
	checkNoCredential(t, backups)
	if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte(credential)) {
		t.Errorf("the editor's file is %s, %v", data, err)
	}
	s.Play(hubtest.Step{
		Name: "undo the removal", Method: "POST", Path: "/api/editors/undo", Body: `{"changes":["{changes.1.id}"]}`, Status: 200,
		Want: []string{`"status":"done"`}, Never: []string{credential},
	})
	if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte(credential)) ||
		!bytes.Contains(data, []byte(`"discover"`)) {
		t.Errorf("after the undo, the editor's file is %s, %v", data, err)
	}
	checkNoCredential(t, backups)
	s.Play(
		hubtest.Step{Name: "forget without changes", Method: "POST", Path: "/api/editors/history/forget", Body: `{}`, Status: 422},
		hubtest.Step{
			Name: "forget an unknown change", Method: "POST", Path: "/api/editors/history/forget", Body: `{"changes":["nothing"]}`,
			Status: 404,
		},
		hubtest.Step{
			Name: "forget all changes", Method: "POST", Path: "/api/editors/history/forget", Body: `{"all":true}`, Status: 200,
			Want: []string{`"deleted":3`}, Events: []string{"editors"},
		},
		hubtest.Step{
			Name: "a forgotten change cannot be undone", Method: "POST", Path: "/api/editors/undo",
			Body: `{"changes":["{outcomes.0.change}"]}`, Status: 200, Want: []string{`"status":"refused"`, "was deleted"},
		},
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
		"change.json": `{"id": "20260101T000000Z-cursor-1", "editor": "cursor", "name": "Cursor", "path": ` + hubtest.InJSON(file) +
			`, "action": "take-out", "entries": ["keyed"],
			"at": "2026-01-01T00:00:00Z", "by": "person", "number": 1, "scope": "user", "shape": "plain", "place": {"format": "json", "keys": ["mcpServers"]},
			"before": "` + atomicfile.HashOf([]byte(keyedConfig)) + `", "after": "` + atomicfile.HashOf([]byte(after)) +
			`", "mode": 384, "had": false, "has": false}`,
		"before": keyedConfig,
		"steps.json": `[{"name": "keyed", "was": true, "is": false, "made": 0, "cuts": [{"at": 21, "old": ` + hubtest.InJSON(entry) +
			`, "new": ""}]}]`,
		"done": "",
	} {
		hubtest.WriteFile(t, filepath.Join(change, name), text)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	hubtest.WriteFile(t, file, after)
	s, _ := newBackupScenario(t, home, folder)
	s.Play(hubtest.Step{
		Name: "wake the scan of editors", Method: "PUT", Path: "/api/editors/settings", Body: `{"auto_register":false}`, Status: 200,
	})
	programtest.Eventually(t, "the backups are encrypted", func() bool {
		var history struct{ Unsealed int }
		hubtest.Do(t, s.Hub, "GET", "/api/editors/history", nil, &history)
		return history.Unsealed == 0 && len(filesWithCredential(t, change)) == 0
	})
	checkNoCredential(t, folder.Backups("editors"))
	s.Play(
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/editors/history", Status: 200, Want: []string{`"exact":true`},
			Never: []string{"unsealed"},
		},
		hubtest.Step{
			Name: "undo", Method: "POST", Path: "/api/editors/undo", Body: `{"all":true}`, Status: 200, Want: []string{`"status":"done"`},
		},
	)
	checkFile(t, file, keyedConfig)
}
