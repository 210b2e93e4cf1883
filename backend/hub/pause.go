package hub

import (
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// pauseSetting is the user's wish that no server runs, kept in the data folder.
func (h *Hub) pauseSetting() upstream.PauseSetting {
	return upstream.PauseSetting{
		Paused: instance.Paused(h.options.Folder),
		Save:   func(paused bool) error { return instance.SetPaused(h.options.Folder, paused) },
	}
}

// heedPause follows a wish that came after this hub had read it and before it
// could be told.
func (h *Hub) heedPause() {
	follow := h.upstream.Resume
	switch wished := instance.Paused(h.options.Folder); {
	case wished == h.upstream.Paused():
		return
	case wished:
		follow = h.upstream.Pause
	}
	if err := follow(); err != nil {
		h.log.Warn("the wish to pause cannot be followed", "error", err)
	}
}
