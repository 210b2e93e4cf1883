// Package search finds the tools that fit a query. It ranks the tools of the
// catalog by the words of their definitions, by the similarity of embedding
// vectors, and by earlier calls after similar queries, and it estimates the
// probability that the best tool is the right one. Package embedding computes the
// vectors and package learning records the calls.
//
//	query ─┬─ words: BM25F over the index ───┐
//	       ├─ meaning: cosines of vectors ───┼─ blend ── named tools first ── verdict
//	       └─ earlier calls ─────────────────┘
package search

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// Hit is a tool and its score for a query, from 0 to 1.
type Hit struct {
	Tool  *catalog.Tool
	Score float64
	Why   []Reason // nil unless Query.Explain was set
	// ByWords is the place of the tool in a ranking by words alone, from 1. It is 0
	// if the tool contains no word of the query, or if Query.Explain was not set.
	ByWords int

	at    int32 // index of the tool in the snapshot
	named bool  // the query names the tool
}

// Confidence is the estimated reliability of the best hit. It is empty if
// nothing was found.
type Confidence string

// The levels of confidence. At High, the caller should use the best hit; at
// Medium, compare it with the other hits; at Low, ask the user.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Result is the outcome of a search. Found reports whether any tool fits well
// enough. If none does, Hits is empty unless Query.Always was set, and Closest
// contains the nearest tools, which probably do not fit. TopScore is the score of
// the best tool in any case.
type Result struct {
	Found      bool
	Confidence Confidence
	TopScore   float64
	// Unread reports whether the tools have vectors, but the vector of the query did
	// not arrive in time, so that the search compared words alone.
	Unread  bool
	Hits    []Hit
	Closest []Hit
	// ReadAs are the English words that were added to a query in another language.
	ReadAs []string
	// Evidence is the basis of Found and Confidence.
	Evidence Evidence
}

// maxClosest is the largest number of tools in Result.Closest.
const maxClosest = 3

// Query describes a search.
type Query struct {
	Text  string
	Limit int                      // the largest number of hits; rankings have at most 50
	Allow func(*catalog.Tool) bool // reports whether a tool may be a hit; nil allows all
	// Explain requests Hit.Why.
	Explain bool
	// Always requests hits even if nothing fits well enough.
	Always bool
	// Patient requests that the search waits for the vector of the query until the
	// context ends, instead of searching by words alone when it comes late.
	Patient bool
}

// Meaning provides embedding vectors. Package embedding implements it.
type Meaning interface {
	// Vectors returns the vectors of the tools. Some tools may have no vector.
	Vectors() *embedding.Vectors
	// Query returns the vector of a query, and false if none is available now.
	Query(ctx context.Context, text string) ([]float32, bool)
	// AwaitQuery is like Query, but waits for the vector until ctx ends.
	AwaitQuery(ctx context.Context, text string) ([]float32, bool)
}

// Learned provides the tools that were called after similar queries. Package
// learning implements it.
type Learned interface {
	Lifts(query string) []learning.Lift
}

// Catalog provides the tools. *catalog.Catalog implements it.
type Catalog interface{ Snapshot() *catalog.Snapshot }

// Options are the dependencies of a Searcher.
type Options struct {
	Catalog Catalog
	Bus     *events.Bus
	Meaning Meaning // if nil, searches compare words alone
	Learned Learned // if nil, searches ignore earlier calls
	// Spelled reports whether a lower-case word is spelled right, so that it is not taken for a misspelling of a word that
	// tools contain. If it is nil, all unknown words may be misspelled.
	Spelled func(word string) bool
}

// Searcher ranks the tools of a catalog. Its methods may be called
// concurrently.
type Searcher struct {
	catalog    Catalog
	bus        *events.Bus
	meaning    Meaning // may be nil
	learned    Learned // may be nil
	vocabulary *vocabulary
	wanted     chan struct{} // closed once a search is likely
	want       sync.Once     // closes wanted

	mu        sync.Mutex
	index     *index
	documents map[catalog.Key]*document // of the tools in index, and of some removed ones
	matrix    *matrix
}

// New returns a searcher. Its index, which takes as much memory as the tools,
// is built by the first search, or by Run after Prepare.
func New(o Options) *Searcher {
	v := newVocabulary()
	v.spelled = o.Spelled
	return &Searcher{
		catalog: o.Catalog, bus: o.Bus, meaning: o.Meaning, learned: o.Learned,
		vocabulary: v, wanted: make(chan struct{}), documents: make(map[catalog.Key]*document),
	}
}

// Prepare makes Run build the index, because a search is likely. It does not
// wait for the index.
func (s *Searcher) Prepare() { s.want.Do(func() { close(s.wanted) }) }

// Run keeps the index up to date from the first call of Prepare, or the first
// search, until ctx ends, so that searches need not wait for it. It returns
// nil.
func (s *Searcher) Run(ctx context.Context) error {
	select {
	case <-s.wanted:
	case <-ctx.Done():
	}
	changed := make(chan struct{}, 1)
	defer events.Signal[catalog.Changed](s.bus, changed)()
	defer events.Signal[catalog.ShownChanged](s.bus, changed)()
	for ctx.Err() == nil {
		s.current()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil
}

// current returns the index of the catalog's present tools and the matrix of
// their vectors, which is nil without Meaning.
func (s *Searcher) current() (*index, *matrix) {
	s.Prepare()
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot := s.catalog.Snapshot()
	if s.index == nil || s.index.snapshot != snapshot {
		s.index = newIndex(snapshot, s.vocabulary, s.documents)
		s.pruneDocuments(snapshot)
	}
	if s.meaning == nil {
		return s.index, nil
	}
	if vectors := s.meaning.Vectors(); s.matrix == nil || s.matrix.of != vectors || s.matrix.snapshot != snapshot {
		s.matrix = newMatrix(snapshot, vectors)
	}
	return s.index, s.matrix
}

// pruneDocuments drops the documents of removed tools once they are the
// majority. The caller holds s.mu.
func (s *Searcher) pruneDocuments(snapshot *catalog.Snapshot) {
	if len(s.documents) <= 2*len(snapshot.Tools) {
		return
	}
	for key := range s.documents {
		if _, ok := snapshot.Lookup(key.Server, key.Tool); !ok {
			delete(s.documents, key)
		}
	}
}

// Find searches for the tools that fit a query.
func (s *Searcher) Find(ctx context.Context, q Query) Result {
	a := askedFor(q.Text)
	a.patient = q.Patient
	r := s.rank(ctx, a, q.Allow)
	if len(r.best) == 0 {
		return Result{ReadAs: r.asked.read, Unread: r.unread}
	}
	result := Result{Evidence: r.evidence(), ReadAs: r.asked.read, Unread: r.unread}
	result.Found, result.Confidence = result.Evidence.verdict()
	result.TopScore = r.best[0].Score
	shown := r.best[:min(len(r.best), q.Limit)]
	if !result.Found {
		shown = r.best[:min(len(r.best), max(q.Limit, maxClosest))]
		result.Closest = shown[:min(len(shown), maxClosest)]
	}
	if result.Found || q.Always {
		result.Hits = shown[:min(len(shown), q.Limit)]
	}
	if q.Explain {
		for i := range shown {
			shown[i].Why, shown[i].ByWords = r.explain(shown[i]), r.byWords(shown[i].at, q.Allow)
		}
	}
	return result
}

// Nearest returns the tools whose names resemble tool, at most limit, the most
// similar first: by words and then, for misspelled names, by edit distance.
// With a server, only other tools of that server are returned. Without one, all
// tools are considered, and a tool with exactly that name comes first.
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
		hits = append(hits, x.similarNames(tool, func(t *catalog.Tool) bool { return other(t) && !seen[t] })...)
	}
	var out []*catalog.Tool
	for _, hit := range hits[:min(len(hits), limit)] {
		out = append(out, hit.Tool)
	}
	return out
}
