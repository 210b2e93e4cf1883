package registration

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// field checks a field of the Agent Discover entry in a file.
func (rg *rig) field(file table.File, key string, want any) {
	rg.Helper()
	value, _ := rg.entryIn(file).value.(map[string]any)
	if !reflect.DeepEqual(value[key], want) {
		rg.Errorf("%s is %v, want %v, in %s", key, value[key], want, rg.read(file.Path))
	}
}

func TestEntriesAskTheEditorToShowTheToolsFromTheStart(t *testing.T) {
	want := map[string]map[string]any{
		"claude-code": {"alwaysLoad": true}, "codex": {"required": true}, "copilot-cli": {"deferTools": "never"},
		"qwen-code": {"alwaysLoadTools": true},
	}
	for _, e := range table.Table() {
		if got := toMap(e.Eager); len(got) > 0 && !reflect.DeepEqual(got, want[e.ID]) {
			t.Errorf("%s: the table has %v", e.ID, got)
		}
	}
	for id, fields := range want {
		t.Run(id, func(t *testing.T) {
			rg := newRig(t, "linux")
			file := rg.found(id).Files[0]
			check := func(present map[string]any) {
				t.Helper()
				for key, value := range present {
					rg.field(file, key, value)
				}
			}
			added := rg.register(id, done)
			check(fields)
			rg.undo(done, added)

			rg.registerAsBefore(id)
			old := rg.read(file.Path)
			update := rg.register(id, done)
			check(fields)
			rg.undo(done, update)
			rg.holds(file.Path, old)
		})
	}
}

func TestUpdatesKeepAPersonsChoiceOfWhatIsShownFromTheStart(t *testing.T) {
	for _, args := range []string{`["mcp"]`, `["mcp", "--client"]`} {
		rg, p := claudeRig(t)
		text := `{"mcpServers": {"discover": {"type": "stdio", "command": "` + escaped(rg.options.Entry.Command) + `", "args": ` + args +
			`, "alwaysLoad": false}}}`
		path := rg.file("claude-code", text)
		update := rg.register("claude-code", done)
		rg.field(rg.found("claude-code").Files[0], "alwaysLoad", false)
		rg.args(rg.found("claude-code").Files[0], "mcp", "--client", "claude-code", "--surface", "meta")
		if len(p.calls) > 0 {
			t.Errorf("Claude Code's own command, which replaces the entry, was run: %v", p.calls)
		}
		rg.undo(done, update)
		rg.holds(path, text)
	}
}

// codexHome creates the file of Codex with the content given in before, and then registers. It returns the path of
// the file, and the content after the registration.
func codexHome(t *testing.T, before string) (rg *rig, path, after string) {
	rg = newRig(t, "linux")
	path = rg.file("codex", before)
	rg.register("codex", done)
	return rg, path, rg.read(path)
}

const codexSetting = `direct_only_tool_namespaces = ["mcp__discover"]`

func TestTheSettingBesideTheEntryIsAddedAndUndone(t *testing.T) {
	for name, before := range map[string]string{
		"an empty file":       "",
		"a file":              "model = \"x\"\n\n[mcp_servers.a]\ncommand = \"x\"\n",
		"a table of features": "[features]\nweb_search = true # mine\n\n[mcp_servers.a]\ncommand = \"x\"\n",
		"code mode":           "[features.code_mode]\nenabled = false # mine\n",
	} {
		t.Run(name, func(t *testing.T) {
			rg, path, after := codexHome(t, before)
			if !strings.Contains(after, codexSetting) || strings.Contains(after, "enabled = true") {
				t.Errorf("the file is\n%s", after)
			}
			rg.register("codex", nothing)
			rg.unregister("codex", done)
			if name != "code mode" { // a table that existed before keeps the field, which has no effect without the entry
				rg.holds(path, before)
			}

			rg, path, _ = codexHome(t, before)
			changes, err := rg.History(t.Context(), "codex")
			if err != nil {
				t.Fatal(err)
			}
			rg.write(path, rg.read(path)+"\n[mcp_servers.later]\ncommand = \"x\"\n")
			rg.undo(done, changes[0].ID)
			if now := rg.read(path); strings.Contains(now, "direct_only") || strings.Contains(now, Name) ||
				!strings.Contains(now, "later") {
				t.Errorf("after undo, the file is\n%s", now)
			}
		})
	}
}

func TestAPersonsSettingBesideTheEntryStays(t *testing.T) {
	for _, before := range []string{
		"[features.code_mode]\ndirect_only_tool_namespaces = [\"mine\"]\n", "[features.code_mode]\ndirect_only_tool_namespaces = []\n",
		"[features]\ncode_mode = true\n", "features = 1\n", "[features]\ncode_mode = { direct_only_tool_namespaces = [\"mine\"] }\n",
	} {
		rg, path, after := codexHome(t, before)
		if strings.Contains(after, codexSetting) || !strings.Contains(after, strings.TrimSpace(before)) {
			t.Errorf("the file is\n%s", after)
		}
		rg.unregister("codex", done)
		rg.holds(path, before)
	}
	rg, path, after := codexHome(t, "")
	changed := strings.Replace(after, codexSetting, codexSetting+"\nenabled = true", 1)
	rg.write(path, changed)
	rg.unregister("codex", done)
	if now := rg.read(path); !strings.Contains(now, "enabled = true") || !strings.Contains(now, codexSetting) {
		t.Errorf("a table to which a person has added something is\n%s", now)
	}
}
