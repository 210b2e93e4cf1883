package gateway

import (
	"maps"
	"sync"
)

// SurfaceUse says how many tools a surface shows the model of a client at the start of a session, and how many
// tokens they take.
type SurfaceUse struct {
	Tools     int
	Tokens    int
	AddsFound bool // find_tool adds tools to the list of a legacy session
}

// SurfaceUse returns how many tools a surface shows the model of an editor, and how many tokens these tools take.
func (g *Gateway) SurfaceUse(surface, editor string) SurfaceUse {
	s := newSession(g, Opening{Surface: surface, Client: editor, Credential: editor})
	tools, own := s.surface.Listed()
	use := SurfaceUse{Tools: len(own.Tools) + len(tools), Tokens: own.Tokens, AddsFound: s.addsFoundIfOld(&g.addFoundFor)}
	for _, t := range tools {
		use.Tokens += t.Tokens
	}
	return use
}

// choices is a setting that is on or off for each editor, by editor id. It is safe for concurrent use.
type choices struct {
	mu sync.Mutex
	of map[string]bool
}

// AddFound returns, by editor id, the settings that say whether find_tool adds tools to the lists of an
// editor's sessions. Editors without a setting are not in the map.
func (g *Gateway) AddFound() map[string]bool {
	g.addFoundFor.mu.Lock()
	defer g.addFoundFor.mu.Unlock()
	return maps.Clone(g.addFoundFor.of)
}

// SetAddFound replaces the settings that AddFound returns. They apply to tools that are found from now on.
func (g *Gateway) SetAddFound(of map[string]bool) {
	g.addFoundFor.mu.Lock()
	g.addFoundFor.of = maps.Clone(of)
	g.addFoundFor.mu.Unlock()
	g.clientsChanged()
}
