package persona_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/market/persona"
)

// parser finds no servers.
type parser struct{}

func (parser) Parse(context.Context, string) ([]importer.Parsed, error) { return nil, nil }

const about = "name: reviewer\nversion: 1.10\ntoolsets: [{name: reading, tools: [notes.read]}]\ndefaultToolset: reading\n"

// none reports that no server is configured.
func none(string) bool { return false }

// packed returns the path of a zip archive with the given files.
func packed(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "reviewer.zip")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPersonaInAnArchiveIsRead(t *testing.T) {
	for _, prefix := range []string{"", "reviewer/"} {
		p, err := persona.Read(t.Context(), packed(t, map[string]string{prefix + "persona.yaml": about, prefix + "README.md": "x"}),
			parser{}, none)
		if err != nil || len(p.Problems) > 0 || p.Name != "reviewer" || p.Version != "1.10" || p.Toolsets[0].Tools[0] != "notes.read" {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

func TestHostileArchivesOfPersonasAreRefused(t *testing.T) {
	for name, want := range map[string]string{
		"../persona.yaml": "leads outside", "/etc/passwd": "leads outside", "a/../../x": "leads outside", `..\x`: "leads outside",
		"c:/x": "leads outside",
	} {
		_, err := persona.Read(t.Context(), packed(t, map[string]string{"persona.yaml": about, name: "x"}), parser{}, none)
		if err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := packed(t, map[string]string{"persona.yaml": about + "#" + strings.Repeat("x", 300<<10)})
	if _, err := persona.Read(t.Context(), large, parser{}, none); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a large file: %v", err)
	}
}

func TestAFolderLeadsNowhereElse(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(outside, []byte(about), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(folder, "persona.yaml")); err != nil {
		t.Skip("there are no links here: ", err)
	}
	if p, err := persona.Read(t.Context(), folder, parser{}, none); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a link out of the folder: %+v, %v", p, err)
	}
}
