package registration

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// The accepted extensions of JSON were determined for each editor by running its list command
// on files with these extensions.
func TestAFileThatTheEditorDoesNotReadIsRefusedBeforeItIsChanged(t *testing.T) {
	texts := map[configedit.Extension]string{
		configedit.ByteOrderMark: "\uFEFF{\n\t\"mcpServers\": {}\n}\n",
		configedit.Comment:       "{\n\t// note\n\t\"mcpServers\": {}\n}\n",
		configedit.TrailingComma: "{\n\t\"a\": \"// , }\",\n\t\"mcpServers\": {},\n}\n",
	}
	words := map[configedit.Extension]string{
		configedit.ByteOrderMark: "line 1: ", configedit.Comment: "line 2: ", configedit.TrailingComma: "line 3: ",
	}
	for id, accepts := range map[string][]configedit.Extension{
		"gemini-cli":     {configedit.Comment},
		"qwen-code":      {configedit.ByteOrderMark, configedit.Comment},
		"qoder-cli":      {configedit.ByteOrderMark, configedit.Comment},
		"augment-auggie": {configedit.Comment, configedit.TrailingComma},
		"claude-code":    {configedit.ByteOrderMark},
		"copilot-cli":    {configedit.ByteOrderMark, configedit.Comment, configedit.TrailingComma},
		"opencode":       {configedit.ByteOrderMark, configedit.Comment, configedit.TrailingComma},
	} {
		for which, text := range texts {
			t.Run(id+" "+string(which), func(t *testing.T) {
				rg := newRig(t, "linux")
				path := rg.file(id, strings.ReplaceAll(text, "mcpServers", rg.found(id).Files[0].Place.Keys[0]))
				before := rg.read(path)
				for _, one := range accepts {
					if one == which {
						rg.register(id, done)
						rg.is(id, Registered)
						return
					}
				}
				s := rg.is(id, Unreadable)
				plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{id}})
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range []string{plans[0].Problem, s.Files[0].Problem} {
					if !strings.Contains(problem, words[which]) || !strings.Contains(problem, "remove it") {
						t.Errorf("the problem is %q", problem)
					}
				}
				rg.register(id, refused)
				rg.holds(path, before)
			})
		}
	}
}

func TestAnEntryCanBeRemovedFromAFileThatTheEditorDoesNotRead(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("gemini-cli", "{\n\t\"mcpServers\": {}\n}\n")
	rg.register("gemini-cli", done)
	rg.write(path, "\uFEFF"+rg.read(path))
	rg.is("gemini-cli", Unreadable)
	rg.do(Request{Action: Unregister, All: true}, done)
	rg.holds(path, "\uFEFF{\n\t\"mcpServers\": {}\n}\n")
}

func TestTheEntryIsWrittenUnderTheKeyThatTheFileHas(t *testing.T) {
	for text, key := range map[string]string{
		`{"servers": {"git": {"command": "uvx"}}}`: "servers", `{"servers": {}}`: "servers",
		`{"mcpServers": {"git": {"command": "uvx"}}}`: "mcpServers", `{}`: "mcpServers", ``: "mcpServers",
	} {
		rg := newRig(t, "linux")
		path := rg.file("mcphub-nvim", text)
		change := rg.register("mcphub-nvim", done)
		rg.is("mcphub-nvim", Registered)
		if after := rg.read(path); !strings.Contains(after, `"`+key+`"`) || strings.Count(after, "ervers\"") != 1 {
			t.Errorf("%s became %s", text, after)
		}
		rg.undo(done, change)
		rg.holds(path, text)
	}
}
