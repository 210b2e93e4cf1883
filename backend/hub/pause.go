package hub

import (
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// pauseSetting returns the persisted pause setting, under which no server runs.
func (h *Hub) pauseSetting() upstream.PauseSetting {
	return upstream.PauseSetting{
		Paused: instance.Paused(h.options.Folder),
		Save:   func(paused bool) error { return instance.SetPaused(h.options.Folder, paused) },
	}
}

// applyPause applies a pause setting that was changed after this hub had read it
// and before the hub could be asked.
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
