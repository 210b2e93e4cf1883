package hub_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestWhatAnEditorIsShownIsListedAndChanged(t *testing.T) {
	s, file := newEditorScenario(t)
	s.play(
		step{name: "an editor without the entry", method: "GET", path: "/api/editors", status: 200, want: []string{`"shown":[]`}},
		step{name: "register", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"]}`, status: 200, want: []string{`"status":"done"`}},
		step{name: "new entries show meta", method: "GET", path: "/api/editors", status: 200, want: []string{
			`"shown":[{"editor":"cursor","surface":"meta","adds_found":false,"surfaces":[{"surface":"meta","tools":10,"tokens":5`, `{"surface":"registry","tools":1,"tokens":43`, `{"surface":"native","tools":0,"tokens":0}]}]`,
		}},
		step{name: "an unknown surface", method: "POST", path: "/api/editors/plan", body: `{"action":"register","editors":["cursor"],"surface":"all"}`, status: 422, want: []string{"unknown surface"}},
		step{name: "preview another surface", method: "POST", path: "/api/editors/plan", body: `{"action":"register","editors":["cursor"],"surface":"registry"}`, status: 200, want: []string{`\"--surface\", \"registry\"`, `"nothing":false`}},
		step{name: "change it", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"],"surface":"registry"}`, status: 200, want: []string{`"status":"done"`}, keep: "outcomes.0.change"},
		step{name: "registry adds what it finds", method: "GET", path: "/api/editors", status: 200, want: []string{`"shown":[{"editor":"cursor","surface":"registry","adds_found":true`}},
		step{name: "registering again keeps it", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"]}`, status: 200, want: []string{`"status":"nothing"`}},
		step{name: "undo", method: "POST", path: "/api/editors/undo", body: `{"changes":["{outcomes.0.change}"]}`, status: 200, want: []string{`"status":"done"`}},
		step{name: "after undo", method: "GET", path: "/api/editors", status: 200, want: []string{`"editor":"cursor","surface":"meta"`}},
	)
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"--surface", "meta"`) {
		t.Errorf("the file is %s, %v", text, err)
	}
}

func TestWhetherFoundToolsAreAddedIsASettingOfEachEditor(t *testing.T) {
	folder := newDataFolder(t, "session_tools:\n  off: [codex] # mine\n")
	s, _ := editorScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "register", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"]}`, status: 200},
		step{name: "on", method: "PUT", path: "/api/editors/found-tools", body: `{"editor":"cursor","add":true}`, status: 200, want: []string{`{"editor":"cursor","add":true}`}},
		step{name: "is on", method: "GET", path: "/api/editors", status: 200, want: []string{`"surface":"meta","adds_found":true`}},
		step{name: "off", method: "PUT", path: "/api/editors/found-tools", body: `{"editor":"cursor","add":false}`, status: 200},
		step{name: "is off", method: "GET", path: "/api/editors", status: 200, want: []string{`"surface":"meta","adds_found":false`}},
		step{name: "another editor", method: "PUT", path: "/api/editors/found-tools", body: `{"editor":"gemini-cli","add":true}`, status: 200},
		step{name: "an unknown editor", method: "PUT", path: "/api/editors/found-tools", body: `{"editor":"nobody","add":true}`, status: 404},
		step{name: "no choice", method: "PUT", path: "/api/editors/found-tools", body: `{"editor":"cursor"}`, status: 422},
	)
	text, err := os.ReadFile(folder.Config())
	if err != nil || !strings.Contains(string(text), "on': [gemini-cli]") || !strings.Contains(string(text), "off: [codex, cursor] # mine") {
		t.Errorf("the settings are %s, %v", text, err)
	}
}
