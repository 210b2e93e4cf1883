package main_test

import (
	"os"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMain(m *testing.M) {
	mcptest.Main()                                    // tests start this binary as an MCP server
	time.Local = time.FixedZone("far away", -9*60*60) // days begin at another hour than in UTC
	os.Exit(programtest.Main(m))
}
