package gateway

import (
	"maps"
	"slices"
	"sync"
)

// sessions is the set of open sessions. It is safe for concurrent use.
type sessions struct {
	mu   sync.Mutex
	open map[*Session]struct{}
}

func (s *sessions) add(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[one] = struct{}{}
}

func (s *sessions) remove(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
}

func (s *sessions) all() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.AppendSeq(make([]*Session, 0, len(s.open)), maps.Keys(s.open))
}

// look makes all sessions check whether their tool lists have changed. It does not block, so that a client that does
// not read cannot delay the others.
func (s *sessions) look() {
	for _, one := range s.all() {
		one.changes.outbox.ring()
	}
}
