package companion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNearestFileNamesTheToolsetOfAProject(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "a", "b", "c")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(folder, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, ProjectFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(root, `{"toolset": "outer"}`)
	if p := FindProject(inner); p.Toolset != "outer" || p.File != filepath.Join(root, ProjectFile) || p.Problem != "" {
		t.Errorf("above: %+v", p)
	}
	write(filepath.Join(root, "a"), `{"toolset": "inner"}`)
	if p := FindProject(inner); p.Toolset != "inner" {
		t.Errorf("nearer: %+v", p)
	}
	for text, want := range map[string]string{
		``:                        "JSON object",
		`[]`:                      "JSON object",
		`{"toolset": "daily"} {}`: "text follows",
		`{"toolset": "../daily"}`: "invalid toolset name",
		`{"toolset": ""}`:         "invalid toolset name",
		`{}`:                      "invalid toolset name",
		`{"toolset": ["daily"]}`:  "JSON object",
		`{"toolset":"daily","tools":[{"server":"mail","tool":"send"}]}`: "JSON object",
		`{"toolset":"daily","surface":"registry"}`:                      "JSON object",
		`{"toolset":"daily"}` + strings.Repeat(" ", maxProjectFile):     "too large",
	} {
		write(filepath.Join(root, "a"), text)
		p := FindProject(inner)
		if p.Toolset != "" || !strings.Contains(p.Problem, want) || p.File == "" {
			t.Errorf("%.60s: %+v, want %q", text, p, want)
		}
		if err := (Entry{Project: p}).Check(); err != nil {
			t.Errorf("%.60s: the hub would refuse the client: %v", text, err)
		}
	}
	if err := os.Remove(filepath.Join(root, "a", ProjectFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "a", ProjectFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if p := FindProject(inner); p.Toolset != "" || !strings.Contains(p.Problem, "regular file") {
		t.Errorf("a folder: %+v", p)
	}
	for _, folder := range []string{"", "relative", "."} {
		if p := FindProject(folder); p != (Project{}) {
			t.Errorf("%q: %+v", folder, p)
		}
	}
}

func TestAHandshakeWithABadProjectIsRefused(t *testing.T) {
	for _, p := range []Project{
		{Toolset: "../x"}, {Toolset: strings.Repeat("a", 51)}, {File: strings.Repeat("a", 2000)}, {Problem: "\xff"},
	} {
		if err := (Entry{Project: p}).Check(); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}
