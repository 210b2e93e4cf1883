// Package search answers which tool fits an intent. It ranks the tools of a
// catalog snapshot by their words and by their meaning, and says how sure it
// is; it starts nothing and calls nothing.
//
//	query ─┬─ words: BM25F over the index ──┐
//	       ├─ meaning: nearness of vectors ─┼─ blend ── named tools first ── verdict
//	       └─ what was called before ───────┘
package search

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// Hit is a tool and how well it fits, from 0 to 1.
type Hit struct {
	Tool  *catalog.Tool
	Score float64
	Why   []Reason // only where the query asked for it

	at    int32 // the tool's place in the snapshot
	named bool  // by the query
}

// Confidence says what to do with the best hit.
type Confidence string

// The levels: take it; look at the others; ask.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Result is a ranking. Found is false when nothing fits well enough; the hits
// are empty then, unless the query asked for them always, and TopScore tells
// how near the nearest came.
type Result struct {
	Found      bool
	Confidence Confidence
	TopScore   float64
	Hits       []Hit
	// Evidence is what the verdict was made from.
	Evidence Evidence
}

// Query is what to look for.
type Query struct {
	Text  string
	Limit int                      // hits wanted
	Allow func(*catalog.Tool) bool // which tools may be shown; nil for all
	// Explain fills in why each hit was found.
	Explain bool
	// Always gives hits also when nothing fits well enough.
	Always bool
}

// Meaning knows what texts mean, as vectors.
type Meaning interface {
	// Vectors returns the vectors of the known tools, some of which may be
	// missing.
	Vectors() *embedding.Vectors
	// Query returns the vector of a query, false when there is none now.
	Query(ctx context.Context, text string) ([]float32, bool)
}

// Learned knows what was called after like queries.
type Learned interface {
	Lifts(query string) []learning.Lift
}

// Options are what a searcher works with.
type Options struct {
	Catalog *catalog.Catalog
	Bus     *events.Bus
	Meaning Meaning // nil for words alone
	Learned Learned // nil for nothing
}

// Searcher ranks the tools of a catalog. It is safe for concurrent use.
type Searcher struct {
	options    Options
	vocabulary *vocabulary

	mu        sync.Mutex
	index     *index
	documents map[catalog.Key]*document // of the index's tools
	matrix    *matrix
}

// New returns a searcher; its index is built on first use or by Run.
func New(o Options) *Searcher {
	return &Searcher{options: o, vocabulary: newVocabulary(), documents: make(map[catalog.Key]*document)}
}

// Prepare returns when the index is of the catalog as it is now.
func (s *Searcher) Prepare() { s.current() }

// Run keeps the index fresh, so that no query has to wait for it.
func (s *Searcher) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changes, stop := events.Subscribe[catalog.Changed](s.options.Bus, 64)
		s.current()
		s.follow(ctx, changes)
		stop()
	}
	return nil
}

func (s *Searcher) follow(ctx context.Context, changes <-chan catalog.Changed) {
	for {
		select {
		case _, ok := <-changes:
			if !ok {
				return // fell behind: subscribe anew
			}
			s.current()
		case <-ctx.Done():
			return
		}
	}
}

// current returns the index of the catalog as it is now, and the vectors of
// its tools, nil where there are none.
func (s *Searcher) current() (*index, *matrix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot := s.options.Catalog.Snapshot()
	if s.index == nil || s.index.snapshot != snapshot {
		s.index = newIndex(snapshot, s.vocabulary, s.documents)
		s.forget(snapshot)
	}
	if s.options.Meaning == nil {
		return s.index, nil
	}
	if vectors := s.options.Meaning.Vectors(); s.matrix == nil || s.matrix.of != vectors || s.matrix.snapshot != snapshot {
		s.matrix = newMatrix(snapshot, vectors)
	}
	return s.index, s.matrix
}

// forget drops what is known of tools that are no more, once they are many.
func (s *Searcher) forget(snapshot *catalog.Snapshot) {
	if len(s.documents) <= 2*len(snapshot.Tools) {
		return
	}
	for key := range s.documents {
		if _, ok := snapshot.Lookup(key.Server, key.Tool); !ok {
			delete(s.documents, key)
		}
	}
}

// Find ranks the tools for a query.
func (s *Searcher) Find(ctx context.Context, q Query) Result {
	r := s.rank(ctx, q.Text, q.Allow)
	if len(r.best) == 0 {
		return Result{}
	}
	result := Result{Evidence: r.evidence()}
	result.Found, result.Confidence = result.Evidence.verdict()
	result.TopScore = r.best[0].Score
	if !result.Found && !q.Always {
		return result
	}
	result.Hits = r.best[:min(len(r.best), q.Limit)]
	if q.Explain {
		for i := range result.Hits {
			result.Hits[i].Why = r.explain(result.Hits[i])
		}
	}
	return result
}

// Nearest returns the other tools of a server that are nearest to a tool's
// name: by its words, and then by its letters, for a name that was misspelt.
// Without a server it looks at all tools, and one of exactly that name is the
// nearest there can be.
func (s *Searcher) Nearest(server, tool string, limit int) []*catalog.Tool {
	other := func(t *catalog.Tool) bool {
		return server == "" || t.Server == server && t.Name != tool
	}
	x, _ := s.current()
	hits := x.rankWords(tool, other)
	seen := make(map[*catalog.Tool]bool, len(hits))
	for _, hit := range hits {
		seen[hit.Tool] = true
	}
	if len(hits) < limit {
		hits = append(hits, x.alike(tool, func(t *catalog.Tool) bool { return other(t) && !seen[t] })...)
	}
	var out []*catalog.Tool
	for _, hit := range hits[:min(len(hits), limit)] {
		out = append(out, hit.Tool)
	}
	return out
}
