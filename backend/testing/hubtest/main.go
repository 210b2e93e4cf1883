// Package hubtest runs whole hubs in tests, and acts as the agents, editors, people and pages that use them.
package hubtest

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// Main runs the tests of a package and returns the exit code. The test binary is also an MCP server that tests start.
func Main(m *testing.M) int {
	mcptest.Main()
	time.Local = time.FixedZone("far away", -9*60*60) // so that days begin at another hour than in UTC
	return programtest.Main(m)
}
