package gateway

import (
	"maps"
	"sync"
)

// SurfaceUse is what the model of a client is shown on a surface, at the start of a
// session.
type SurfaceUse struct {
	Tools     int
	Tokens    int
	AddsFound bool // find_tool adds tools to the list of a session of an older version of MCP
}

// SurfaceUse returns what the model of an editor is shown on a surface.
func (g *Gateway) SurfaceUse(surface, editor string) SurfaceUse {
	s := newSession(g, Opening{Surface: surface, Client: editor, Credential: editor})
	tools, own := s.surface.Listed()
	use := SurfaceUse{Tools: len(own.Tools) + len(tools), Tokens: own.Tokens, AddsFound: s.addsFoundIfOld(&g.addFoundFor)}
	for _, t := range tools {
		use.Tokens += t.Tokens
	}
	return use
}

// choices are settings by the ids of editors. They are safe for concurrent use.
type choices struct {
	mu sync.Mutex
	of map[string]bool
}

// AddFound returns the editors that have a setting of their own for whether find_tool adds
// tools to the lists of their sessions.
func (g *Gateway) AddFound() map[string]bool {
	g.addFoundFor.mu.Lock()
	defer g.addFoundFor.mu.Unlock()
	return maps.Clone(g.addFoundFor.of)
}

// SetAddFound replaces the setting of AddFound, for tools that are found from now on.
func (g *Gateway) SetAddFound(of map[string]bool) {
	g.addFoundFor.mu.Lock()
	g.addFoundFor.of = maps.Clone(of)
	g.addFoundFor.mu.Unlock()
	g.clientsChanged()
}
