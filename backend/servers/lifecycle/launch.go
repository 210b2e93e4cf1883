package lifecycle

import (
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// LaunchHash returns the hash to which a person's approval is bound: that of
// everything that decides which program a start of the server runs, or what it
// connects to.
func LaunchHash(s registry.Server) string { return launch.Of(s).Hash() }
