package cli

import (
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMain(m *testing.M) {
	leaveTerminal()
	mcptest.Main() // tests start this binary as a fake MCP server; Main does not return then
	os.Exit(programtest.Main(m))
}
