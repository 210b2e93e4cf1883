package registration

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

func TestOurEntryMayBeSpelledWithOtherSeparatorsAndCase(t *testing.T) {
	server := func(command, home string) table.Server {
		return table.Server{
			Transport: "stdio", Command: command, Args: []string{"mcp"}, Env: map[string]string{"AGENT_DISCOVER_HOME": home},
		}
	}
	wanted := server(`Z:\programs\agent-discover.exe`, `D:\data`)
	if !equivalent(server(`z:/Programs/agent-discover.exe`, `d:/Data/`), wanted) {
		t.Error("the same program and folder need a repair")
	}
	for _, other := range []table.Server{
		server(`Y:\programs\agent-discover.exe`, `D:\data`), server(`Z:\programs\agent-discover.exe`, `D:\data2`),
	} {
		if equivalent(other, wanted) {
			t.Errorf("%v is not the wanted entry", other)
		}
	}
}
