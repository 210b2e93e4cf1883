package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTheResourceAboutAServerHasItsName(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	command := mcptest.Command(t)
	for _, name := range []string{"git", "My_notes"} {
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
	}
	a := hubtest.Introduced(t, h, hubtest.Meta, "{}")
	listed := a.Exchange("resources/list", "{}")
	for uri, name := range map[string]string{
		"agent-discover://servers/git": "git", "agent-discover://servers/My_notes": "My_notes",
	} {
		if !strings.Contains(listed, `"uri":"`+uri+`"`) {
			t.Errorf("%s is not listed: %s", uri, listed)
		}
		if got := a.Exchange("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, `{\"name\":\"`+name+`\"`) {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if got := a.Exchange("resources/read", `{"uri":"agent-discover://servers/git-2"}`); !strings.Contains(got, `{\"name\":\"git\"`) {
		t.Errorf("the URI of earlier versions: %s", got)
	}
}
