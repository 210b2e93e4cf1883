package hub

import (
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// pauseSetting returns the pause setting that is stored in the data folder. While it is set, no server runs.
func pauseSetting(folder paths.Folder) upstream.PauseSetting {
	return upstream.PauseSetting{
		Paused: instance.Paused(folder),
		Save:   func(paused bool) error { return instance.SetPaused(folder, paused) },
	}
}

// applyPause applies a pause setting that was changed after this hub had read it and before other programs could
// reach the hub.
func (h *Hub) applyPause() {
	apply := h.servers.upstream.Resume
	switch paused := instance.Paused(h.options.Folder); {
	case paused == h.servers.upstream.Paused():
		return
	case paused:
		apply = h.servers.upstream.Pause
	}
	if err := apply(); err != nil {
		h.log.Warn("could not apply the pause setting", "error", err)
	}
}
