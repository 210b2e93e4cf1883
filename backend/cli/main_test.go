package cli

import (
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMain(m *testing.M) {
	mcptest.Main() // this binary is a fake server when a test starts it as one
	os.Exit(programtest.Main(m))
}
