package surfaces_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestWhatAnEditorIsShownIsListedAndChanged(t *testing.T) {
	s, file := hubtest.NewEditorScenario(t)
	s.Play(
		hubtest.Step{Name: "an editor without the entry", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"shown":[]`}},
		hubtest.Step{
			Name: "register", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["cursor"]}`, Status: 200,
			Want: []string{`"status":"done"`},
		},
		hubtest.Step{Name: "new entries show meta", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{
			`"shown":[{"editor":"cursor","surface":"meta","adds_found":false,"surfaces":[{"surface":"meta","tools":10,"tokens":5`,
			`{"surface":"registry","tools":1,"tokens":43`, `{"surface":"native","tools":0,"tokens":0}]}]`,
		}},
		hubtest.Step{
			Name: "an unknown surface", Method: "POST", Path: "/api/editors/plan",
			Body: `{"action":"register","editors":["cursor"],"surface":"all"}`, Status: 422, Want: []string{"unknown surface"},
		},
		hubtest.Step{
			Name: "preview another surface", Method: "POST", Path: "/api/editors/plan",
			Body:   `{"action":"register","editors":["cursor"],"surface":"registry"}`,
			Status: 200, Want: []string{`\"--surface\", \"registry\"`, `"nothing":false`},
		},
		hubtest.Step{
			Name: "change it", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["cursor"],"surface":"registry"}`,
			Status: 200, Want: []string{`"status":"done"`}, Keep: "outcomes.0.change",
		},
		hubtest.Step{
			Name: "registry adds what it finds", Method: "GET", Path: "/api/editors", Status: 200,
			Want: []string{`"shown":[{"editor":"cursor","surface":"registry","adds_found":true`},
		},
		hubtest.Step{
			Name: "registering again keeps it", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["cursor"]}`, Status: 200,
			Want: []string{`"status":"nothing"`},
		},
		hubtest.Step{
			Name: "undo", Method: "POST", Path: "/api/editors/undo", Body: `{"changes":["{outcomes.0.change}"]}`,
			Status: 200, Want: []string{`"status":"done"`},
		},
		hubtest.Step{
			Name: "after undo", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"editor":"cursor","surface":"meta"`},
		},
	)
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"--surface", "meta"`) {
		t.Errorf("the file is %s, %v", text, err)
	}
}

func TestWhetherFoundToolsAreAddedIsASettingOfEachEditor(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "session_tools:\n  off: [codex] # mine\n")
	s, _ := hubtest.EditorScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{Name: "register", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["cursor"]}`, Status: 200},
		hubtest.Step{
			Name: "on", Method: "PUT", Path: "/api/editors/found-tools", Body: `{"editor":"cursor","add":true}`, Status: 200,
			Want: []string{`{"editor":"cursor","add":true}`},
		},
		hubtest.Step{Name: "is on", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"surface":"meta","adds_found":true`}},
		hubtest.Step{Name: "off", Method: "PUT", Path: "/api/editors/found-tools", Body: `{"editor":"cursor","add":false}`, Status: 200},
		hubtest.Step{
			Name: "is off", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"surface":"meta","adds_found":false`},
		},
		hubtest.Step{
			Name: "another editor", Method: "PUT", Path: "/api/editors/found-tools", Body: `{"editor":"gemini-cli","add":true}`,
			Status: 200,
		},
		hubtest.Step{Name: "needs no restart", Method: "GET", Path: "/api/config", Status: 200, Want: []string{`"restart":[]}`}},
		hubtest.Step{
			Name: "an unknown editor", Method: "PUT", Path: "/api/editors/found-tools", Body: `{"editor":"nobody","add":true}`, Status: 404,
		},
		hubtest.Step{Name: "no choice", Method: "PUT", Path: "/api/editors/found-tools", Body: `{"editor":"cursor"}`, Status: 422},
	)
	text, err := os.ReadFile(folder.Config())
	if err != nil || !strings.Contains(string(text), "on': [gemini-cli]") ||
		!strings.Contains(string(text), "off: [codex, cursor] # mine") {
		t.Errorf("the settings are %s, %v", text, err)
	}
}
