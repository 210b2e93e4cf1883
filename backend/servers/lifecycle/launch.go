package lifecycle

import (
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// LaunchHash returns the hash of the server's launch. A person's approval holds only while this hash stays the same.
func LaunchHash(s registry.Server) string { return launch.Of(s).Hash() }
