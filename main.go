// Command agent-discover-desktop opens the window of Agent Discover.
package main

import (
	"fmt"
	"os"

	"github.com/agent-discover/agent-discover/app"
	"github.com/agent-discover/agent-discover/backend/base/version"
)

func main() {
	if err := app.Run(version.Current(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "agent-discover-desktop:", err)
		os.Exit(1)
	}
}
