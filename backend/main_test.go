package backend_test

import (
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main() // this binary is a server when a test starts it as one
	os.Exit(m.Run())
}
