package servers_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestTheProgressOfCallsOfAgentsIsInTheLog(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	a := hubtest.Join(t, h, "a")
	a.Exchange("tools/call", `{"name":"fake__steps","arguments":{"count":2},"_meta":{"progressToken":"tok7"}}`)
	if got := strings.Join(a.Notices, "\n"); strings.Count(got, `"progressToken":"tok7"`) != 2 {
		t.Errorf("the client got %s", got)
	}
	type entry struct {
		Server string `json:"server"`
		Args   struct {
			Token    string `json:"token"`
			Progress int    `json:"progress"`
		} `json:"args"`
	}
	var list struct {
		Entries []entry `json:"entries"`
	}
	programtest.Eventually(t, "both reports are in the log", func() bool {
		hubtest.Do(t, h, "GET", "/api/logs/progress", nil, &list)
		return len(list.Entries) >= 2
	})
	for _, e := range list.Entries {
		if e.Server != "fake" || e.Args.Token != "tok7" || e.Args.Progress == 0 {
			t.Errorf("the log has %+v", e)
		}
	}
}
