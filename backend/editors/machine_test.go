package editors

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fake is a machine that has only these files, written as it writes paths.
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
		Command: func(string) (string, bool) { return "", false },
	}
}

func paths(files []File) []string {
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
		t.Fatalf("there is no editor %q", id)
	}
	return m.Find(e)
}

func TestAnEditorsFileIsWhereItsVersionReads(t *testing.T) {
	local := `C:\Users\me\AppData\Local\`
	for _, c := range []struct {
		says, system, id string
		variables        map[string]string
		files            []string
		want             []string
	}{
		{"nothing is there", "windows", "claude-desktop", nil, nil, []string{`C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`}},
		{
			"the package's folder decides, whatever else is there", "windows", "claude-desktop", nil,
			[]string{local + `Packages\Claude_abc\x`, `C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`},
			[]string{local + `Packages\Claude_abc\LocalCache\Roaming\Claude\claude_desktop_config.json`},
		},
		{"a variable moves it", "linux", "claude-code", map[string]string{"CLAUDE_CONFIG_DIR": "/w/claude"}, []string{"/home/me/.claude.json"}, []string{"/w/claude/.claude.json"}},
		{"a relative variable says nothing", "linux", "codex", map[string]string{"CODEX_HOME": "here"}, nil, []string{"/home/me/.codex/config.toml"}},
		{"the old file alone", "linux", "cline", nil, []string{"/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}, []string{"/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}},
		{"old and new", "linux", "cline", nil, []string{"/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "/home/me/.cline/data/settings/cline_mcp_settings.json"}, []string{"/home/me/.cline/data/settings/cline_mcp_settings.json"}},
		{"the user says where", "linux", "cline", map[string]string{"CLINE_MCP_SETTINGS_PATH": "/w/c.json"}, []string{"/home/me/.cline/data/settings/cline_mcp_settings.json"}, []string{"/w/c.json"}},
		{"the first generation's folder", "darwin", "antigravity", nil, []string{"/Users/me/.gemini/antigravity/x"}, []string{"/Users/me/.gemini/antigravity/mcp_config.json"}},
		{"the second generation's folder", "darwin", "antigravity", nil, []string{"/Users/me/.gemini/antigravity/x", "/Users/me/.gemini/config/.migrated"}, []string{"/Users/me/.gemini/config/mcp_config.json"}},
		{"both agents", "linux", "windsurf", nil, []string{"/home/me/.codeium/windsurf/x", "/home/me/.config/devin/x"}, []string{"/home/me/.codeium/windsurf/mcp_config.json", "/home/me/.config/devin/mcp_config.json"}},
		{"one agent", "windows", "windsurf", nil, []string{`C:\Users\me\AppData\Roaming\devin\x`}, []string{`C:\Users\me\AppData\Roaming\devin\mcp_config.json`}},
		{"profiles that have servers", "darwin", "vscode", nil, []string{"/Users/me/Library/Application Support/Code/User/profiles/1a/mcp.json", "/Users/me/Library/Application Support/Code/User/profiles/2b/x"}, []string{"/Users/me/Library/Application Support/Code/User/mcp.json", "/Users/me/Library/Application Support/Code/User/profiles/1a/mcp.json"}},
		{"another folder for all", "linux", "zed", map[string]string{"XDG_CONFIG_HOME": "/w/conf/"}, nil, []string{"/w/conf/zed/settings.json"}},
	} {
		t.Run(c.id+", "+c.says, func(t *testing.T) {
			if got := paths(find(t, fake(c.system, c.variables, c.files...), c.id).Files); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
