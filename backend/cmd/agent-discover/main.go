// Command agent-discover is the companion that editors start (mcp), the hub
// (serve), and the command line that controls the hub.
package main

import (
	"os"

	"github.com/agent-discover/agent-discover/backend/cli"
)

// version is set by the linker when a release is built.
var version = "dev"

func main() {
	os.Exit(cli.Main(version))
}
