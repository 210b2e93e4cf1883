package editors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestSetupLeavesTheServersOfAnEditorThatCannotBeConnected(t *testing.T) {
	s, _ := hubtest.NewEditorScenario(t)
	write := func(path, text string) string {
		t.Helper()
		file := filepath.Join(os.Getenv("HOME"), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		hubtest.WriteFile(t, file, text)
		return file
	}
	const (
		foreign = `{"mcpServers": {"discover": {"command": "other"}, "one": {"command": "one-server"}}}`
		own     = `{"mcpServers": {"two": {"command": "two-server"}}}`
	)
	cursor, gemini := write(".cursor/mcp.json", foreign), write(".gemini/settings.json", own)
	s.Play(
		hubtest.Step{
			Name: "nothing was set up", Method: "GET", Path: "/api/onboarding", Status: 200,
			Want: []string{`"undoable":false`, `"editors":[]`}, Never: []string{`"at"`},
		},
		hubtest.Step{
			Name: "nothing to undo", Method: "POST", Path: "/api/onboarding/undo", Status: 404, Want: []string{"agent-discover setup"},
		},
		hubtest.Step{
			Name: "plan", Method: "POST", Path: "/api/onboarding/plan", Body: `{"take_out":true}`, Status: 200,
			Want: []string{"the editor does not have the entry of Agent Discover", `"entries":["two"]`},
		},
		hubtest.Step{
			Name: "run", Method: "POST", Path: "/api/onboarding", Body: `{"take_out":true}`, Person: true, Status: 200,
			Want: []string{"the editor does not have the entry of Agent Discover", `"status":"imported"`, `"status":"refused"`},
		},
	)
	checkFile(t, cursor, foreign)
	s.Play(
		hubtest.Step{
			Name: "what was done", Method: "GET", Path: "/api/onboarding", Status: 200, Want: []string{`"name":"one"`, `"name":"two"`},
			Never: []string{"one-server", `"undone"`, `"undoable":false`},
		},
		hubtest.Step{Name: "the servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"name":"one"`, `"name":"two"`}},
		hubtest.Step{
			Name: "a run that does nothing", Method: "POST", Path: "/api/onboarding", Body: `{"servers":[],"editors":[]}`, Person: true,
			Status: 200,
		},
		hubtest.Step{
			Name: "undo", Method: "POST", Path: "/api/onboarding/undo", Status: 200,
			Want: []string{`"removed":["server-discover","one","two"]`, `"kept":[]`},
		},
		hubtest.Step{Name: "no servers", Method: "GET", Path: "/api/servers", Status: 200, Never: []string{"one-server", "two-server"}},
		hubtest.Step{
			Name: "the undone run", Method: "GET", Path: "/api/onboarding", Status: 200, Want: []string{`"undoable":false`, `"undone":`},
		},
		hubtest.Step{Name: "undo again", Method: "POST", Path: "/api/onboarding/undo", Status: 409, Want: []string{"undone already"}},
	)
	checkFile(t, gemini, own)
}

func TestAPageShowsTheFirstStartsOfASetupAndANeedToTry(t *testing.T) {
	s, _ := hubtest.NewEditorScenario(t)
	ready := mcptest.Command(t, "-only", "-tool", "delete_station=Delete a weather station",
		"-tool", "get_forecast=Return the weather forecast for a city")
	broken := mcptest.Command(t, "-crash", "the licence is missing")
	entry := func(command []string, more string) string {
		text, err := json.Marshal(map[string]any{"command": command[0], "args": command[1:]})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(text), "}") + more + "}"
	}
	cursor := filepath.Join(os.Getenv("HOME"), ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(cursor), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"mcpServers": {"weather": ` + entry(ready, "") + `, "broken": ` + entry(broken, "") + `, "off": ` +
		entry(ready, `, "env": {"A": "b"}, "disabled": true`) + `}}`
	hubtest.WriteFile(t, cursor, text)
	s.Play(
		hubtest.Step{
			Name: "nothing was set up", Method: "GET", Path: "/api/onboarding/starts", Status: 404, Want: []string{"agent-discover setup"},
		},
		hubtest.Step{
			Name: "a plan without a selected server", Method: "POST", Path: "/api/onboarding/plan", Body: `{"take_out":true,"servers":[]}`,
			Status: 200, Want: []string{`"name":"weather"`, `"import":{"servers":[],"taken":[]`},
		},
		hubtest.Step{
			Name: "a run without a selected server and editor", Method: "POST", Path: "/api/onboarding",
			Body: `{"take_out":true,"servers":[],"editors":[]}`, Person: true, Status: 200, Want: []string{`"editors":[]`, `"servers":[]`},
		},
	)
	checkFile(t, cursor, text)
	s.Play(
		hubtest.Step{
			Name: "run", Method: "POST", Path: "/api/onboarding", Body: `{"take_out":true}`, Person: true, Status: 200,
		},
	)
	for mark := s.Events.Mark(); ; mark = s.Events.Mark() {
		_, body := s.Send("GET", "/api/onboarding/starts", "")
		if strings.Contains(body, `"starting":0`) {
			break
		}
		s.Events.Await(t, "a start ends", mark, "state", "")
	}
	s.Play(
		hubtest.Step{
			Name: "the starts", Method: "GET", Path: "/api/onboarding/starts", Status: 200, Want: []string{
				`"name":"weather","state":"ready","tools":2`, `"name":"broken","state":"failed","tools":0,"cause":"`,
				"the licence is missing", `"name":"off","state":"disabled"`, `"need":"return the weather forecast for a"`,
				`"call_as":"mcp__weather__get_forecast"`, `"server":"weather"`,
			},
		},
		hubtest.Step{
			Name: "undo", Method: "POST", Path: "/api/onboarding/undo", Status: 200,
			Want: []string{`"removed":["weather","broken","off"],"kept":[]`},
		},
		hubtest.Step{Name: "no servers", Method: "GET", Path: "/api/servers", Status: 200, Never: []string{"forecast"}},
	)
	checkFile(t, cursor, text)
}
