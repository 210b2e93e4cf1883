package registration

import (
	"reflect"
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
		"claude-code": {"alwaysLoad": true}, "codex": {"required": true}, "copilot-cli": {"deferTools": "never"}, "qwen-code": {"alwaysLoadTools": true},
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
		text := `{"mcpServers": {"discover": {"type": "stdio", "command": "` + escaped(rg.options.Entry.Command) + `", "args": ` + args + `, "alwaysLoad": false}}}`
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
