package dashboard_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestAServerCountsOnlyToolsThatNoRuleDisables(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "port: 0\n")
	h := hubtest.AnnotatedWith(t, hub.Options{Folder: folder})
	s := &hubtest.Scenario{T: t, Hub: h, Events: hubtest.RecordEvents(t, h)}
	s.Play(hubtest.Step{
		Name: "all tools", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"tool_count":21`},
		Never: []string{"tools_disabled"},
	})
	mark := s.Events.Mark() // the hub may read the file before the request
	hubtest.WriteSettings(t, folder, stateA)
	s.Play(hubtest.Step{Name: "a rule", Method: "POST", Path: "/api/config/reload", Status: 200})
	s.Events.Await(t, "a rule", mark, "state", `"tools_disabled":1`)
	s.Play(
		hubtest.Step{
			Name: "the others", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"tool_count":20`, `"tools_disabled":1`},
		},
		hubtest.Step{
			Name: "the tool", Method: "GET", Path: "/api/tools?name=wipe&brief=true", Status: 200,
			Want: []string{`"disabled_by":"disabled by rule 0"`},
		},
	)
}
