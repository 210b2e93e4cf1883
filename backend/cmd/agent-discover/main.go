// Command agent-discover is the companion that editors start (mcp), the hub
// (serve), and the command line that controls the hub.
package main

import (
	"os"

	"github.com/agent-discover/agent-discover/backend/base/version"
	"github.com/agent-discover/agent-discover/backend/cli"
)

func main() {
	os.Exit(cli.Main(version.Current()))
}
