// Package search answers which tool fits an intent. It ranks the tools of a
// catalog snapshot and says how sure it is; it starts nothing and calls
// nothing.
package search

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/events"
)

// Hit is a tool and how well it fits, from 0 to 1.
type Hit struct {
	Tool  *catalog.Tool
	Score float64
	Why   []Reason // only where the query asked for it

	at int32 // the tool's place in the snapshot
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
// are empty then, unless the query wants them always, and TopScore tells how
// near the nearest came.
type Result struct {
	Found      bool
	Confidence Confidence
	TopScore   float64
	Hits       []Hit
}

// What a score must reach to be a match at all, and what the best must have
// and be ahead by to be trusted.
const (
	noMatch     = 0.12
	highScore   = 0.4
	highLead    = 0.2
	mediumLead  = 0.08
	mediumScore = 0.2
)

// Query is what to look for.
type Query struct {
	Text  string
	Limit int                      // hits wanted
	Allow func(*catalog.Tool) bool // which tools may be shown; nil for all
	// Explain fills in why each hit was found.
	Explain bool
	// Always gives hits also when nothing fits well enough; Found stays false.
	Always bool
}

// Searcher ranks the tools of a catalog. It is safe for concurrent use.
type Searcher struct {
	catalog *catalog.Catalog
	bus     *events.Bus

	mu    sync.Mutex
	index *index
}

// New returns a searcher; its index is built on first use or by Run.
func New(c *catalog.Catalog, bus *events.Bus) *Searcher {
	return &Searcher{catalog: c, bus: bus}
}

// Run keeps the index fresh, so that no query has to wait for it.
func (s *Searcher) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changes, stop := events.Subscribe[catalog.Changed](s.bus, 64)
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

func (s *Searcher) current() *index {
	s.mu.Lock()
	defer s.mu.Unlock()
	if snapshot := s.catalog.Snapshot(); s.index == nil || s.index.snapshot != snapshot {
		s.index = newIndex(snapshot)
	}
	return s.index
}

// Find ranks the tools for a query.
func (s *Searcher) Find(q Query) Result {
	allow := q.Allow
	if allow == nil {
		allow = func(*catalog.Tool) bool { return true }
	}
	x := s.current()
	hits := x.rank(q.Text, allow)
	if len(hits) == 0 {
		return Result{}
	}
	result := Result{TopScore: hits[0].Score, Found: hits[0].Score >= noMatch}
	if !result.Found && !q.Always {
		return result
	}
	if result.Found {
		result.Confidence = confidence(hits)
	}
	result.Hits = hits[:min(len(hits), q.Limit)]
	if q.Explain {
		e := x.explainer(q.Text)
		for i, hit := range result.Hits {
			result.Hits[i].Why = e.explain(hit.at)
		}
	}
	return result
}

// Nearest returns the other tools of a server that are nearest to a tool's
// name: by its words, and then by its letters, for a name that was misspelt.
// Without a server it looks at all tools, and one of exactly that name is the
// nearest there can be.
func (s *Searcher) Nearest(server, tool string, limit int) []*catalog.Tool {
	x := s.current()
	other := func(t *catalog.Tool) bool {
		return server == "" || t.Server == server && t.Name != tool
	}
	hits := x.rank(tool, other)
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

func confidence(hits []Hit) Confidence {
	lead := 1.0
	if len(hits) > 1 {
		lead = (hits[0].Score - hits[1].Score) / hits[0].Score
	}
	switch {
	case hits[0].Score >= highScore && lead >= highLead:
		return High
	case hits[0].Score >= mediumScore && lead >= mediumLead:
		return Medium
	}
	return Low
}
