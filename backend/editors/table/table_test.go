package table

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

func TestRowsAreValid(t *testing.T) {
	rows, err := parse(tableText)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	names := map[string]string{}
	for _, r := range rows {
		for _, id := range append([]string{r.ID}, r.Also...) {
			if !word.MatchString(id) || names[id] != "" {
				t.Errorf("%s: the id %q is invalid or belongs to %s", r.ID, id, names[id])
			}
			names[id] = r.ID
		}
		oneOf(t, r.ID, r.Register, Always, IfExisting, Never)
		oneOf(t, r.ID, r.Reload, Hot, Session, Refresh, Restart)
		oneOf(t, r.ID, r.ListChanged, "yes", "no", "unknown")
		oneOf(t, r.ID, r.Schemas, "", "anthropic", "gemini", "openai")
		oneOf(t, r.ID, r.Format, configedit.JSON, configedit.StrictJSON, configedit.TOML, configedit.YAML)
		for _, system := range r.Unsure {
			oneOf(t, r.ID, system, systems...)
		}
		for _, s := range []string{r.Hint, r.Note} {
			if s != "" && !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %q does not end in a full stop", r.ID, s)
			}
		}
		if r.Name == "" || r.Hint == "" {
			t.Errorf("%s has no name or no hint", r.ID)
		}
		if strings.ToLower(strings.Join(r.Clients, "")) != strings.Join(r.Clients, "") {
			t.Errorf("%s: names of clients must be in lower case", r.ID)
		}
		checkSpots(t, r)
	}
}

func oneOf[T comparable](t *testing.T, id string, value T, known ...T) {
	t.Helper()
	if !slices.Contains(known, value) {
		t.Errorf("%s: %v is not one of %v", id, value, known)
	}
}

func checkSpots(t *testing.T, r *row) {
	t.Helper()
	spots := r.Project
	for _, system := range systems {
		spots = slices.Concat(spots, r.Files[system], r.Further[system], r.Beside[system])
	}
	for _, s := range append(spots, spot{Path: "~"}) {
		f := r.file(s, s.Path)
		if _, ok := shapes[f.Shape]; !ok || s.Path == "" {
			t.Errorf("%s: %q has no path or the unknown shape %q", r.ID, s.Path, f.Shape)
		}
		if f.Place.Format == "" || f.Place.List != "" && f.Place.List != "name" {
			t.Errorf("%s: the place of %s is wrong: %+v", r.ID, s.Path, f.Place)
		}
	}
}

func TestTheTableHasManyEditors(t *testing.T) {
	registered, imported := 0, 0
	for _, e := range Table() {
		if e.Register != Never {
			registered++
		}
		if e.Import {
			imported++
		}
		if e.Register == Never && e.Note == "" {
			t.Errorf("%s: a note must say why the entry cannot be added", e.ID)
		}
		if found, ok := ByID(e.ID); !ok || found != e {
			t.Errorf("%s is not found by its id", e.ID)
		}
	}
	if len(Table()) < 63 || registered < 25 || imported < 35 {
		t.Errorf("%d editors, %d take the entry, %d can be imported", len(Table()), registered, imported)
	}
}

func TestEditorsAreFoundByAlternativeIDs(t *testing.T) {
	for typed, id := range map[string]string{
		"windsurf": "devin-desktop-windsurf", "devin": "devin-desktop-windsurf", "copilot": "copilot-cli", "code": "vscode",
		"claude": "claude-code", "q": "amazon-q-cli", "droid": "factory-droid", "auggie": "augment-auggie", " Cursor ": "cursor",
	} {
		if e, ok := ByID(typed); !ok || e.ID != id {
			t.Errorf("%q is %v", typed, e)
		}
	}
	if e, ok := ByID("emacs-of-old"); ok {
		t.Errorf("found %v", e.ID)
	}
}

func TestEditorsAreFoundByClientName(t *testing.T) {
	for name, id := range map[string]string{
		"claude-ai": "claude-desktop", "claude-code": "claude-code", "cursor-vscode": "cursor", "Cursor 3": "cursor",
		"Visual Studio Code": "vscode", "Visual Studio Code - Insiders": "vscode-insiders", "codex-mcp-client": "codex",
		"gemini-cli-mcp-client-x": "gemini-cli", "Zed": "zed", "Roo-Code": "roo-code", "opencode": "opencode", "Cline": "cline",
	} {
		if e, ok := ByClient(name); !ok || e.ID != id {
			t.Errorf("%q is %v", name, e)
		}
	}
	for _, name := range []string{"", "claude", "mcp-inspector"} {
		if e, ok := ByClient(name); ok {
			t.Errorf("%q is %s", name, e.ID)
		}
	}
}

func TestClientNamesAreUnique(t *testing.T) {
	for _, e := range Table() {
		for _, other := range Table() {
			for _, known := range e.Clients {
				for _, name := range other.Clients {
					if e != other && SameClient(known, strings.TrimSuffix(name, "*")) {
						t.Errorf("%q of %s is also %s", name, other.ID, e.ID)
					}
				}
			}
		}
	}
}

func TestOverridesListsTheVariablesOfEditors(t *testing.T) {
	got := Overrides()
	for _, name := range []string{
		"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "CLINE_MCP_SETTINGS_PATH",
		"CLINE_DATA_DIR", "CLINE_DIR", "GOOSE_PATH_ROOT", "CONTINUE_GLOBAL_DIR", "CRUSH_GLOBAL_CONFIG", "OPENCODE_CONFIG",
		"OPENCODE_CONFIG_DIR", "KIMI_SHARE_DIR", "VIBE_HOME",
	} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is missing in %v", name, got)
		}
	}
	if slices.Contains(got, "APPDATA") || !slices.IsSorted(got) {
		t.Errorf("got %v", got)
	}
}

func TestInvalidRowsAreRefused(t *testing.T) {
	for _, text := range []string{
		"- {id: x, nmae: X}",
		"- {id: x, files: {solaris: [a]}}",
		"- {id: x, files: [{path: a, shap: b}]}",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

// elsewhere maps the ids of editors to the reason why the table does not have the
// path that the reference list clients.json contains for them.
var elsewhere = map[string]string{
	"claude-code-plugins": "only installed plugins are read, below cache",
	"cherry-studio":       "not a file",
	"emacs-mcp-el":        "a Lisp file",
}

func TestTheTableAgreesWithTheReference(t *testing.T) {
	text, err := os.ReadFile(reference.Path(t, "editors", "clients.json"))
	if err != nil {
		t.Fatal(err)
	}
	var clients []struct {
		ID    string              `json:"id"`
		Paths map[string][]string `json:"paths"`
		Key   string              `json:"key_path"`
		Auto  string              `json:"auto_register"`
	}
	if err := json.Unmarshal(text, &clients); err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		e, ok := ByID(c.ID)
		if !ok || e.ID != c.ID {
			t.Errorf("%s is not in the table", c.ID)
			continue
		}
		if never := strings.HasPrefix(c.Auto, "no") || strings.HasPrefix(c.Auto, "import only"); never != (e.Register == Never) {
			t.Errorf("%s: register is %s, the reference has: %s", c.ID, e.Register, c.Auto)
		}
		if elsewhere[c.ID] != "" {
			continue
		}
		for _, key := range e.Place.Keys {
			if !strings.Contains(c.Key, key) {
				t.Errorf("%s: the keys are %v, the reference has %s", c.ID, e.Place.Keys, c.Key)
			}
		}
		for system, known := range c.Paths {
			for _, path := range known {
				agree(t, e.row, system, path)
			}
		}
	}
}

// agree checks that a row of the table has a pattern for the path that the reference list contains
// for its editor.
func agree(t *testing.T, r *row, system, known string) {
	t.Helper()
	known = regexp.MustCompile(`^legacy:? | or .*| \(.*`).ReplaceAllString(known, "")
	known = strings.NewReplacer("<id>", "*", "Claude_pzs8sxrjxfjjc", "Claude_*").Replace(known)
	if strings.HasSuffix(known, "crushrc") {
		return // the path of a script, which is never read
	}
	m := fake(system, nil)
	if name := regexp.MustCompile(`^[$%]([A-Z_]+)`).FindStringSubmatch(known); name != nil && standard[name[1]] == "" {
		m = fake(system, map[string]string{name[1]: map[bool]string{true: `C:\w`, false: "/w"}[system == "windows"]})
	}
	want, _, _ := m.substitute(strings.ReplaceAll(strings.ReplaceAll(known, `\`, "/"), "%USERPROFILE%", "~"))
	for _, s := range slices.Concat(r.Files.on(system), r.Further.on(system), r.Beside.on(system)) {
		if got, _, ok := m.substitute(s.Path); ok && got == want {
			return
		}
	}
	if !slices.ContainsFunc(r.Managed.on(system), func(p string) bool { got, _, _ := m.substitute(p); return got == want }) {
		t.Errorf("%s on %s: no pattern matches %s", r.ID, system, want)
	}
}
