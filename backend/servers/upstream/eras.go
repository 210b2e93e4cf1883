package upstream

import (
	"maps"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// A server may speak both eras of MCP: the legacy one, whose sessions begin with initialize, and the modern one, which
// has server/discover instead. In the legacy era, the server's tools can send requests to the client at any time. In
// the modern era, a tool can only end a call with a request for input. With the SDKs of some languages, the same tool
// behaves differently in each era. So a client gets a session of its own era if it has declared a feature that needs
// one; see eraFor. Over stdio, a process keeps the era of its first request. If clients of both eras use a server, it
// has two processes.

// spoken says whether a server speaks an era.
type spoken int8

const (
	maybe spoken = iota
	never
	always
)

// eras records which eras a server speaks, as far as the hub knows.
type eras struct {
	legacy, modern spoken
	// deaf means that server/discover must not be the first request, because the server did not answer it, or ended
	// when it got this request.
	deaf bool
	// abouts are the last descriptions by era, without tools.
	abouts map[mcpversion.Era]Description
}

// of returns whether the server speaks an era.
func (e eras) of(which mcpversion.Era) spoken {
	switch which {
	case mcpversion.Legacy:
		return e.legacy
	case mcpversion.Modern:
		return e.modern
	}
	return maybe
}

// eraBook remembers the eras of a server.
type eraBook struct {
	mu     sync.Mutex
	server registry.Server // the configuration for which known holds
	known  *eras
}

// erasOf returns a copy of the known eras of a server.
func (s *slot) erasOf(server registry.Server) (known eras) {
	s.changeEras(server, func(e *eras) {
		known = *e
		known.abouts = maps.Clone(e.abouts)
	})
	return known
}

// changeEras changes the known eras of a server. If the server's launch has changed, changeEras first replaces the
// known eras with the result of storedEras.
func (s *slot) changeEras(server registry.Server, change func(*eras)) {
	b := &s.shared.eras
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || !sameLaunch(b.server, server) {
		known := s.manager.lists.storedEras(server)
		b.server, b.known = server, &known
	}
	change(b.known)
}

// storedEras returns the eras of a server according to its stored introductions: a server that has introduced itself in
// the modern era speaks that era. If the server no longer speaks it, the next session shows that.
func (p *listPolicy) storedEras(server registry.Server) (e eras) {
	if p.features == nil || server.ID == 0 {
		return e
	}
	for _, about := range p.features.Of(server.Name, features.Introduction) {
		if mcpversion.Of(jsonrpc.GetString(about, "protocolVersion")) == mcpversion.Modern {
			e.modern = always
		}
	}
	return e
}

// learn notes whether the server speaks an era, and how the server describes itself in that era.
func (s *slot) learn(server registry.Server, which mcpversion.Era, how spoken, about Description) {
	s.changeEras(server, func(e *eras) {
		if which == mcpversion.Legacy {
			e.legacy = how
		} else {
			e.modern = how
		}
		delete(e.abouts, which)
		if how == always {
			if e.abouts == nil {
				e.abouts = make(map[mcpversion.Era]Description)
			}
			e.abouts[which] = about
		}
	})
}

// learnDeaf notes that server/discover must not be the server's first request, and that the server does not speak the
// modern era.
func (s *slot) learnDeaf(server registry.Server) {
	s.changeEras(server, func(e *eras) { e.deaf, e.modern = true, never })
}

// Introductions returns how a server has described itself since the hub started: one description for each era that it
// has spoken, the legacy one first. without are the eras that the server was found not to speak.
func (m *Manager) Introductions(server registry.Server) (abouts []Description, without []mcpversion.Era) {
	s := m.slots.shared(server.Name)
	if s == nil {
		return nil, nil
	}
	known := s.erasOf(server)
	for _, which := range []mcpversion.Era{mcpversion.Legacy, mcpversion.Modern} {
		if about, ok := known.abouts[which]; ok {
			abouts = append(abouts, about)
		} else if known.of(which) == never {
			without = append(without, which)
		}
	}
	return abouts, without
}

// eraFor returns the era in which a caller wants a session. only is true if no session of another era will do.
//
//   - A modern client gets a modern session. If the hub rewrites the results of servers for
//     this client, it uses whichever session is running.
//   - A legacy client that can be asked (elicitation, sampling, roots) gets a legacy session,
//     because a server of both eras may send requests only in the legacy era. Other legacy
//     clients lose nothing in a modern session, so they use whichever session is running.
//   - A person can be asked like a legacy client, but gets a modern session for its tasks, which
//     servers of both eras do not offer in the legacy era.
//   - The hub itself, which has no caller, uses whichever session is running.
func eraFor(caller Caller) (wanted mcpversion.Era, only bool) {
	if caller == nil {
		return mcpversion.Unknown, false
	}
	d := declaredBy(caller)
	switch {
	case d.Modern || d.Tasks:
		return mcpversion.Modern, true
	case d.Rewritten:
		return mcpversion.Modern, false
	}
	return mcpversion.Legacy, d.Asked
}
