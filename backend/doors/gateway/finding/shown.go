package finding

import (
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
)

// maxShown is how many tools a session remembers as shown.
const maxShown = 500

// shownTools remembers how much of each tool find_tool has shown to a session, so that later replies can leave out the
// same text. It is not stored: after a reconnect, the text may no longer be in the model's context. before and note are
// safe for concurrent use.
type shownTools struct {
	mu    sync.Mutex
	tools map[catalog.Key]shownTool
	order []catalog.Key // oldest first
}

type shownTool struct {
	hash  string // of the definition at the time when it was shown
	shown findreply.Shown
}

// of returns how much of a tool was shown. A tool that has changed since counts
// as not shown. The caller holds mu.
func (m *shownTools) of(t *catalog.Tool) findreply.Shown {
	if was := m.tools[t.Key()]; was.hash == t.Hash {
		return was.shown
	}
	return findreply.NotShown
}

// mark remembers how much of a tool was shown. It never lowers the amount.
// The caller holds mu.
func (m *shownTools) mark(t *catalog.Tool, shown findreply.Shown) {
	key := t.Key()
	if m.tools == nil {
		m.tools = make(map[catalog.Key]shownTool)
	}
	shown = max(shown, m.of(t))
	if _, known := m.tools[key]; !known {
		if len(m.order) == maxShown {
			delete(m.tools, m.order[0])
			m.order = slices.Delete(m.order, 0, 1)
		}
		m.order = append(m.order, key)
	}
	m.tools[key] = shownTool{t.Hash, shown}
}

// notShown is a function for findreply.Options.Shown that makes replies
// complete.
func notShown(*catalog.Tool) findreply.Shown { return findreply.NotShown }

// before returns a function for findreply.Options.Shown. Only a brief reply leaves out text that the session was shown
// before.
func (m *shownTools) before(brief bool) func(*catalog.Tool) findreply.Shown {
	if !brief {
		return notShown
	}
	return func(t *catalog.Tool) findreply.Shown {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.of(t)
	}
}

// note remembers that a reply has described the first of tools and named
// the others.
func (m *shownTools) note(tools []*catalog.Tool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range tools {
		shown := findreply.NameShown
		if i == 0 {
			shown = findreply.DescriptionShown
		}
		m.mark(t, shown)
	}
}
