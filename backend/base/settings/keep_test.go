package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

var editor = settings.Editor{
	Set: func(data []byte, keys []string, value any) ([]byte, error) {
		change, err := configedit.Scalar(data, keys, value)
		return change.Text, err
	},
	Edit: func(path string, check func([]byte) error, edit func([]byte) ([]byte, error)) error {
		return disk.Edit(context.Background(), path, check, edit)
	},
}

// disk waits only briefly for other writers, because only the tests write the file.
var disk = atomicfile.Disk{Rest: 5 * time.Millisecond}

func TestAValueIsSavedAndTheRestOfTheFileIsKept(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", "editors:\n  auto_register: true\n"},
		{"a file without the key", "# mine\nport: 4000 # the usual\n", "# mine\nport: 4000 # the usual\neditors:\n  auto_register: true\n"},
		{"a file that declares a version", "%YAML 1.2\n---\nport: 4000\n", "%YAML 1.2\n---\nport: 4000\neditors:\n  auto_register: true\n"},
		{
			"a file with the key", "editors:\n  auto_register: false # for now\nport: 4000\n",
			"editors:\n  auto_register: true # for now\nport: 4000\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if c.before != "" {
				if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := editor.Keep(file, []string{"editors", "auto_register"}, true); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != c.after {
				t.Errorf("%q, %v; want %q", data, err, c.after)
			}
			if s, err := settings.Load(file); err != nil || !s.Editors.AutoRegister {
				t.Errorf("the saved value is not loaded: %+v, %v", s.Editors, err)
			}
		})
	}
}

func TestAnInvalidFileIsNotChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	const wrong = "port: many\n"
	if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := editor.Keep(file, []string{"editors", "auto_register"}, true); err == nil {
		t.Error("no error for an invalid file")
	}
	if data, _ := os.ReadFile(file); string(data) != wrong {
		t.Errorf("the file was changed to %q", data)
	}
}

func TestAnInvalidValueIsNotSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	const text = "port: 4000 # the usual\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]any{
		"port": 70000, "prot": 1, "discovery.cache.ttl": 0, "limits.idle_stop": "soon", "discovery.tool_rules": "x",
	} {
		if err := editor.Keep(file, strings.Split(key, "."), value); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v is saved, %v", key, value, err)
		}
		if data, _ := os.ReadFile(file); string(data) != text {
			t.Fatalf("%s: the file was changed to %q", key, data)
		}
	}
	if err := editor.Keep(file, []string{"discovery", "approval", "destructive"}, true); err != nil {
		t.Error(err)
	}
}

func TestAFileThatAPersonIsSavingIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	link := filepath.Join(t.TempDir(), "linked.yaml")
	if err := os.WriteFile(file, []byte("port: 4000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	saving := editor
	looks := 0
	saving.Edit = func(path string, check func([]byte) error, edit func([]byte) ([]byte, error)) error {
		return disk.Edit(t.Context(), path, func(data []byte) error {
			if looks++; looks == 1 { // the text editor has truncated the file before the first look, and writes it after that
				_ = os.WriteFile(file, []byte("# mine\nport: 5000\n"), 0o644)
			}
			return check(data)
		}, edit)
	}
	if err := saving.Keep(link, []string{"editors", "auto_register"}, true); err != nil {
		t.Fatal(err)
	}
	const want = "# mine\nport: 5000\neditors:\n  auto_register: true\n"
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%q, %v; want %q", data, err, want)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}
