// Command agent-discover-desktop opens the window of Agent Discover.
package main

import (
	"fmt"
	"os"

	"github.com/agent-discover/agent-discover/app"
)

// version is set by the linker.
var version = "dev"

func main() {
	if err := app.Run(version, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "agent-discover-desktop:", err)
		os.Exit(1)
	}
}
