package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

var editor = settings.Editor{
	Set: func(data []byte, keys []string, value any) ([]byte, error) {
		change, err := configedit.Scalar(data, keys, value)
		return change.Text, err
	},
	Write: paths.WriteFile,
}

func TestAValueIsSavedAndTheRestOfTheFileIsKept(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", "editors:\n  auto_register: true\n"},
		{"a file without the key", "# mine\nport: 4000 # the usual\n", "# mine\nport: 4000 # the usual\neditors:\n  auto_register: true\n"},
		{"a file with the key", "editors:\n  auto_register: false # for now\nport: 4000\n", "editors:\n  auto_register: true # for now\nport: 4000\n"},
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
