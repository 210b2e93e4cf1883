// Command agent-discover is the companion that editors start, the hub behind
// it, and the command line that steers both.
package main

import (
	"os"

	"github.com/agent-discover/agent-discover/backend/cli"
)

// version is set by the linker in a release build.
var version = "dev"

func main() {
	os.Exit(cli.Main(version))
}
