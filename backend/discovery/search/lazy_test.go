package search

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

func TestIndexIsBuiltOnlyWhenASearchIsLikely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := New(Options{Catalog: newCatalog(t, office), Bus: &events.Bus{}})
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		synctest.Wait()
		if s.built() {
			t.Error("the index was built before a search was likely")
		}
		s.Prepare()
		synctest.Wait()
		if !s.built() {
			t.Error("the index was not built after Prepare")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func (s *Searcher) built() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index != nil
}
