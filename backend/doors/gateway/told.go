package gateway

import (
	"slices"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
)

// maxTold bounds what a session remembers.
const maxTold = 500

// memory is what a session was told of tools, as they were then. It ends with
// the connection: whoever comes back may have lost what it read.
type memory struct {
	tools map[catalog.Key]told
	order []catalog.Key // the oldest first
}

type told struct {
	hash  string
	heard findreply.Shown
}

// heard is how much was told of a tool that is still the same.
func (m *memory) heard(t *catalog.Tool) findreply.Shown {
	if was := m.tools[t.Key()]; was.hash == t.Hash {
		return was.heard
	}
	return findreply.NotShown
}

func (m *memory) hear(t *catalog.Tool, h findreply.Shown) {
	key := t.Key()
	if m.tools == nil {
		m.tools = make(map[catalog.Key]told)
	}
	h = max(h, m.heard(t))
	if _, known := m.tools[key]; !known {
		if len(m.order) == maxTold {
			delete(m.tools, m.order[0])
			m.order = slices.Delete(m.order, 0, 1)
		}
		m.order = append(m.order, key)
	}
	m.tools[key] = told{t.Hash, h}
}

func nothing(*catalog.Tool) findreply.Shown { return findreply.NotShown }

// heard is what need not be told again: nothing, unless the agent wants it brief.
func (s *Session) heard(brief bool) func(*catalog.Tool) findreply.Shown {
	if !brief {
		return nothing
	}
	return func(t *catalog.Tool) findreply.Shown {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.told.heard(t)
	}
}

// hears remembers that the first of tools was described to the session, and
// the others named.
func (s *Session) hears(tools []*catalog.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range tools {
		h := findreply.NameShown
		if i == 0 {
			h = findreply.DescriptionShown
		}
		s.told.hear(t, h)
	}
}
