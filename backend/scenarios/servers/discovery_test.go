package servers_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestChangesOfToolsAreAnnouncedKeptAndMeasured(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	s.Play(
		hubtest.Step{Name: "add", Method: "POST", Path: "/api/servers", Body: s.Server("sky"), Status: 201, Keep: "id"},
		hubtest.Step{
			Name: "list", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200,
			Events: []string{
				`tools "server":"sky","changes":[{"tool":"`,
				`tools "summary":{"added":17,"updated":0,"removed":0,"unchanged":0},"timestamp":"`,
			},
		},
		hubtest.Step{
			Name: "a tool more", Method: "POST", Path: "/api/servers/{id}/call",
			Body: `{"tool":"grow","args":{"name":"cloud","text":"A cloud"}}`, Status: 200,
			Events: []string{`tools {"tool":"cloud","change":"added","currentHash":"`},
		},
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/discovery/history?server=sky&tool=cloud", Status: 200,
			Want: []string{`{"changes":[{"tool":"cloud","change":"added","currentHash":"`, `"version":1`},
		},
		hubtest.Step{
			Name: "history of nothing", Method: "GET", Path: "/api/discovery/history?server=sky&tool=none",
			Status: 200, Want: []string{`{"changes":[]}`},
		},
		hubtest.Step{
			Name: "measured", Method: "GET", Path: "/api/discovery", Status: 200,
			Want: []string{`"tools":18`, `"hits":`, `"servers":[{"server":"sky","at":"`, `"failed":0`},
		},
		hubtest.Step{Name: "list all", Method: "POST", Path: "/api/discovery", Status: 200, Want: []string{`"server":"sky"`, `"tools":18`}},
		hubtest.Step{Name: "list one", Method: "POST", Path: "/api/discovery?server=sky", Status: 200, Want: []string{`"tools":18`}},
		hubtest.Step{Name: "list none", Method: "POST", Path: "/api/discovery?server=none", Status: 404},
		hubtest.Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{id}", Status: 200, Events: []string{`tools "removed":18`}},
	)
}

func TestToolsAreListedAgainOnDemandAndWhenTheListIsOutdated(t *testing.T) {
	const settings = "port: 0\nlimits: {refresh_tools: 0s}\ntrust: {changes: clean}\n"
	folder := hubtest.NewDataFolder(t, settings)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-silent")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "sky", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	a := hubtest.Introduced(t, h, companion.Entry{Surface: "meta"}, "{}")
	tools := func() string {
		return a.Exchange("tools/call", "{"+hubtest.Calling("list_tools", `{"server":"sky"}`)+"}")
	}
	grow := func(name string) {
		t.Helper()
		a.Exchange("tools/call", "{"+hubtest.Calling("call_tool",
			`{"call_as":"mcp__sky__grow","arguments":{"name":"`+name+`","text":"New"}}`)+"}")
		if strings.Contains(tools(), name) {
			t.Fatalf("%s is listed before anybody has asked the server", name)
		}
	}
	grow("cloud")
	a.Exchange("tools/call", "{"+hubtest.Calling("refresh_cache", "{}")+"}")
	if got := tools(); !strings.Contains(got, "cloud") {
		t.Errorf("after refresh_cache: %s", got)
	}
	grow("rain")
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	if got := tools(); !strings.Contains(got, "rain") {
		t.Errorf("after a refresh through REST: %s", got)
	}
	grow("snow")
	hubtest.WriteSettings(t, folder, settings+"discovery: {cache: {enabled: false}}\n")
	hubtest.Do(t, h, "POST", "/api/config/reload", nil, nil)
	if got := tools(); !strings.Contains(got, "snow") {
		t.Errorf("without the cache: %s", got)
	}
}
