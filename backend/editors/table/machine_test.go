package table

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// fake returns a machine on which only the given files exist. The paths have
// the format of the machine's system.
func fake(system string, variables map[string]string, files ...string) Machine {
	home := map[string]string{"linux": "/home/me", "darwin": "/Users/me", "windows": `C:\Users\me`}[system]
	slash := func(p string) string { return strings.Trim(strings.ReplaceAll(p, `\`, "/"), "/") }
	disk := fstest.MapFS{}
	for _, f := range files {
		disk[slash(f)] = &fstest.MapFile{}
	}
	native := func(p string) string {
		if system == "windows" {
			return strings.ReplaceAll(p, "/", `\`)
		}
		return "/" + p
	}
	return Machine{
		OS: system, Home: home,
		Variable: func(name string) string { return variables[name] },
		Stat:     func(p string) (fs.FileInfo, error) { return fs.Stat(disk, path.Clean(slash(p))) },
		Glob: func(pattern string) ([]string, error) {
			found, err := fs.Glob(disk, slash(pattern))
			for i := range found {
				found[i] = native(found[i])
			}
			return found, err
		},
		Command: func(name string) (string, bool) {
			found := slices.Index(files, "/bin/"+name)
			return "/bin/" + name, found >= 0
		},
		Read: func(p string) ([]byte, error) { return nil, fs.ErrNotExist },
	}
}

func pathsOf(files []File) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

func find(t *testing.T, m Machine, id string) Found {
	t.Helper()
	e, ok := ByID(id)
	if !ok {
		t.Fatalf("no editor has the id %q", id)
	}
	return m.Find(e)
}

// create creates an empty file and its folders.
func create(t *testing.T, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEditorsAreFoundBelowARoot(t *testing.T) {
	for system, c := range map[string]struct{ home, variable, want string }{
		"linux":   {"/home/me", "/w/[conf]", "w/[conf]/Code/User/profiles/a1/mcp.json"},
		"darwin":  {"/Users/m[e]", "", "Users/m[e]/Library/Application Support/Code/User/profiles/a1/mcp.json"},
		"windows": {`C:\Users\me`, `D:\R`, "D/R/Code/User/profiles/a1/mcp.json"},
	} {
		root := t.TempDir()
		want := create(t, root, filepath.FromSlash(c.want))
		m := Here(func(name string) string {
			return map[string]string{"APPDATA": c.variable, "XDG_CONFIG_HOME": c.variable}[name]
		})
		m.OS, m.Home, m.Root = system, c.home, root
		files := find(t, m, "vscode").Files
		if len(files) != 2 || files[0].Exists || !files[1].Exists || files[1].Path != want {
			t.Errorf("%s: %+v, want %s", system, files, want)
		}
		if found := find(t, m, "vscode"); !found.Detected || !slices.Contains(found.Evidence, filepath.Join(want, "../../..")) {
			t.Errorf("%s: %v", system, found.Evidence)
		}
	}
}

func TestSharedFilesDoNotDetectAnEditor(t *testing.T) {
	for _, c := range []struct {
		system, file string
		ids          string
	}{
		{"linux", "/home/me/.gemini/x", ""},
		{"linux", "/home/me/.gemini/config/.migrated", "antigravity"},
		{"linux", "/home/me/.gemini/settings.json", "gemini-cli"},
		{"linux", "/home/me/.codeium/windsurf/x", "devin-desktop-windsurf"},
		{"linux", "/home/me/.codeium/x", ""},
		{"linux", "/home/me/.claude/skills/x/SKILL.md", ""},
		{"linux", "/home/me/.claude/projects/x", "claude-code"},
		{"linux", "/home/me/.config/Code/User/globalStorage/x", "vscode"},
		{"linux", "/home/me/.config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/x", "vscodium cline"},
		{"linux", "/home/me/.config/github-copilot/apps.json", ""},
		{"linux", "/bin/goose", ""},
		{"linux", "/bin/q", ""},
		{"linux", "/bin/zed", ""},
		{"linux", "/bin/acli", ""},
		{"linux", "/bin/codex", "codex"},
		{"darwin", "/Applications/Zed.app/x", "zed"},
		{"darwin", "/Users/me/Applications/Claude.app/x", "claude-desktop"},
		{"linux", "/Applications/Zed.app/x", ""},
		{"windows", `C:\Users\me\AppData\Roaming\Trae\User\x`, "trae"},
	} {
		m := fake(c.system, nil, c.file)
		var got []string
		for _, e := range Table() {
			if m.Find(e).Detected {
				got = append(got, e.ID)
			}
		}
		if strings.Join(got, " ") != c.ids {
			t.Errorf("%s detects %v, want %q", c.file, got, c.ids)
		}
	}
}

func TestPermissionsDependOnTheMachine(t *testing.T) {
	for _, c := range []struct {
		system, id string
		file       string
		want       Permission
	}{
		{"linux", "crush", "/x", Always},
		{"linux", "crush", "/home/me/.config/crush/crushrc", IfExisting},
		{"linux", "roo-code", "/x", IfExisting},
		{"linux", "roo-code", "/home/me/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/x", Always},
		{"linux", "jetbrains-ai-assistant", "/x", IfExisting},
		{"linux", "jetbrains-ai-assistant", "/home/me/.ai/mcp/x", Always},
		{"darwin", "copilot-jetbrains", "/x", IfExisting},
		{"linux", "copilot-jetbrains", "/x", Always},
		{"windows", "amp", "/x", IfExisting},
		{"linux", "witsy", "/home/me/.config/Witsy/settings.json", Never},
	} {
		if got := find(t, fake(c.system, nil, c.file), c.id).Register; got != c.want {
			t.Errorf("%s on %s with %s: %s, want %s", c.id, c.system, c.file, got, c.want)
		}
	}
}

func TestProcessesAndPoliciesDependOnTheSystem(t *testing.T) {
	if got := find(t, fake("darwin", nil), "claude-desktop").Running; !slices.Equal(got, []string{"Claude"}) {
		t.Errorf("got %q", got)
	}
	policy := `C:\Program Files\ClaudeCode\managed-mcp.json`
	if got := find(t, fake("windows", nil, policy), "claude-code").Managed; !slices.Equal(got, []string{policy}) {
		t.Errorf("got %q", got)
	}
	if got := find(t, fake("linux", nil, "/etc/codex/requirements.toml"), "claude-code").Managed; got != nil {
		t.Errorf("got %q", got)
	}
}

func TestReadOnlyFilesAreFound(t *testing.T) {
	in := "/home/me/.config/"
	cline := "/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
	m := fake("linux", nil, in+"Code"+cline, in+"Cursor"+cline, in+"Code/User/settings.json", "/home/me/.continue/mcpServers/a.json")
	for id, want := range map[string]File{
		"cline":    {Path: in + "Cursor" + cline, Shape: "cline"},
		"vscode":   {Path: in + "Code/User/settings.json", Shape: "vscode"},
		"continue": {Path: "/home/me/.continue/mcpServers/a.json", Shape: "continue"},
	} {
		e, _ := ByID(id)
		got := m.Beside(e)
		if len(got) != 1 || got[0].Path != want.Path || got[0].Shape != want.Shape || !got[0].Exists || got[0].Scope != "user" {
			t.Errorf("%s: %+v", id, got)
		}
		if id == "continue" && (got[0].Place.Format != "json" || got[0].Place.List != "") {
			t.Errorf("%s: %+v", id, got[0].Place)
		}
	}
}

func TestEachProjectInAFileIsReturnedAsOneFile(t *testing.T) {
	m := fake("linux", nil, "/home/me/.claude.json")
	m.Read = func(path string) ([]byte, error) {
		if path != "/home/me/.claude.json" {
			t.Errorf("%s is read", path)
		}
		return []byte(`{"projects":{"/w/a.b":{"mcpServers":{"x":{"command":"x"}}},"/w/c":{}},"mcpServers":{}}`), nil
	}
	e, _ := ByID("claude")
	got := m.Beside(e)
	if len(got) != 2 || got[0].Scope != "/w/a.b" || !slices.Equal(got[0].Place.Keys, []string{"projects", "/w/a.b", "mcpServers"}) ||
		got[1].Scope != "/w/c" {
		t.Fatalf("got %+v", got)
	}
	text, _ := m.Read(got[0].Path)
	if entries, err := configedit.Read(text, got[0].Place); err != nil || len(entries) != 1 || entries[0].Name != "x" {
		t.Errorf("got %v, %v", entries, err)
	}
	m.Read = func(string) ([]byte, error) { return []byte(`{"projects":`), nil }
	if got := m.Beside(e); got != nil {
		t.Errorf("a broken file gives %+v", got)
	}
}

func TestServersOfAPluginAreReadFromEitherPlace(t *testing.T) {
	e, _ := ByID("claude-plugins")
	f := e.row.file(e.row.Beside["any"][0], "/x")
	for text, place := range map[string]configedit.Place{
		`{"mcpServers":{"x":{"command":"x"}}}`: f.Place, `{"x":{"command":"x"}}`: f.Or[0],
	} {
		entries, err := configedit.Read([]byte(text), place)
		if err != nil || len(entries) != 1 || entries[0].Name != "x" {
			t.Errorf("%s: %v, %v", text, entries, err)
		}
	}
}

func TestFindReadsNoFile(t *testing.T) {
	m := fake("linux", nil, "/home/me/.claude.json", "/home/me/.claude/plugins/cache/a/b/c/.mcp.json")
	m.Read = func(path string) ([]byte, error) {
		t.Errorf("%s is read", path)
		return nil, nil
	}
	for _, e := range Table() {
		m.Find(e)
	}
}

func TestOnlyTheNewestVersionOfAPluginIsRead(t *testing.T) {
	root := t.TempDir()
	cache := filepath.Join(root, "home/me/.claude/plugins/cache/market")
	old := create(t, cache, "a/1.0.0/.mcp.json")
	create(t, cache, "a/1.1.0/.mcp.json")
	create(t, cache, "b/2/.claude-plugin/plugin.json")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(old), past, past); err != nil {
		t.Fatal(err)
	}
	m := Here(func(string) string { return "" })
	m.OS, m.Home, m.Root = "linux", "/home/me", root
	e, _ := ByID("claude-plugins")
	var got []string
	for _, f := range m.Beside(e) {
		below, err := filepath.Rel(cache, f.Plugin)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(below))
		if bare := filepath.Base(f.Path) == ".mcp.json"; bare != (len(f.Or) == 1 && len(f.Or[0].Keys) == 0) {
			t.Errorf("%s: %+v", f.Path, f)
		}
	}
	if !slices.Equal(got, []string{"a/1.1.0", "b/2"}) {
		t.Errorf("got %q", got)
	}
	if !m.Find(e).Detected {
		t.Error("the plugins are not detected")
	}
}

func TestFilesOfAProjectAreFound(t *testing.T) {
	vscode, _ := ByID("vscode")
	f, ok := fake("windows", nil).InProject(vscode, `D:\p`+`\`)
	if !ok || f.Path != `D:\p\.vscode\mcp.json` || f.Scope != `D:\p`+`\` || f.Exists || f.Place.Keys[0] != "servers" {
		t.Errorf("got %+v, %v", f, ok)
	}
	opencode, _ := ByID("opencode")
	if f, _ := fake("linux", nil, "/p/opencode.json").InProject(opencode, "/p"); f.Path != "/p/opencode.json" || !f.Exists {
		t.Errorf("the file that exists is not taken: %+v", f)
	}
	windsurf, _ := ByID("windsurf")
	if f, _ := fake("linux", nil).InProject(windsurf, "/p"); f.Shape != "devin" {
		t.Errorf("got %+v", f)
	}
	desktop, _ := ByID("claude-desktop")
	if f, ok := fake("linux", nil).InProject(desktop, "/p"); ok {
		t.Errorf("got %+v", f)
	}
}

func TestWithReplacesVariables(t *testing.T) {
	m := fake("linux",
		map[string]string{"CODEX_HOME": "/a", "VIBE_HOME": "/v"}).With(map[string]string{"CODEX_HOME": "/b", "VIBE_HOME": ""})
	if got := pathsOf(find(t, m, "codex").Files); !slices.Equal(got, []string{"/b/config.toml"}) {
		t.Errorf("got %q", got)
	}
	if got := pathsOf(find(t, m, "vibe").Files); !slices.Equal(got, []string{"/home/me/.vibe/config.toml"}) {
		t.Errorf("got %q", got)
	}
}

func TestProgramsAreFoundOnThePath(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	extension := map[bool]string{true: ".exe"}[os.PathSeparator == '\\']
	create(t, second, "codex"+extension)
	want := create(t, first, "codex"+extension)
	plain := create(t, first, "notes.txt")
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	m := Here(func(name string) string {
		return map[string]string{
			"PATH": first + string(os.PathListSeparator) + second + string(os.PathListSeparator) + "/not/there",
			"HOME": first, "USERPROFILE": first,
		}[name]
	})
	if got, ok := m.Command("codex"); !ok || got != want {
		t.Errorf("got %q, %v", got, ok)
	}
	for _, name := range []string{"notes.txt", "claude", ""} {
		if got, ok := m.Command(name); ok {
			t.Errorf("%q was found at %q", name, got)
		}
	}
	if found := find(t, m, "codex"); !found.Detected || !slices.Contains(found.Evidence, want) {
		t.Errorf("got %v", found.Evidence)
	}
}

func BenchmarkFindAllEditors(b *testing.B) {
	for b.Loop() {
		m := Here(os.Getenv)
		for _, e := range Table() {
			m.Find(e)
		}
	}
}
