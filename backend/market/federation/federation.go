// Package federation searches several registries at the same time and merges the results into one list. A registry
// that is slow or fails does not delay the others: partial answers come as soon as the first registry has found
// something, and the last answer reports which registries are missing and why. Each Source knows how to search its
// registry.
package federation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const (
	// Patience is how long a search waits for its sources.
	Patience = 15 * time.Second
	// maxEach is the largest number of listings that each source is asked for.
	maxEach = 60
	// The answer of a source to a text is reused for currentFor, because people type and change filters, and a
	// failure for failedFor, because people search again for missing results.
	currentFor = time.Minute
	failedFor  = 3 * time.Second
	maxKept    = 100
)

// Source is a registry that can be searched. Search returns at most limit listings that match a text, the best first.
// It may return listings together with an error if they are not complete. Get, which may be nil, returns one server of
// the source by its name.
type Source struct {
	Name   string
	Search func(ctx context.Context, text string, limit int) ([]listing.Listing, error)
	Get    func(ctx context.Context, name string) (listing.Details, error)
}

// Options are the dependencies of a Federation.
type Options struct {
	Sources []Source // in the order of Answer.Sources
	// Installed returns the IDs of the listings that are installed; nil means none.
	Installed func(ctx context.Context) map[string]bool
	// Updatable returns the IDs of installed listings that have a newer version; nil means none.
	Updatable func(ctx context.Context) map[string]bool
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Federation searches sources. Its methods may be called concurrently.
type Federation struct {
	options Options

	mu   sync.Mutex
	kept map[request]*kept
}

type request struct{ source, text string }

// kept is the answer of a source to one request. The answer may still be pending.
type kept struct {
	done  chan struct{} // closed when the other fields are set
	at    time.Time
	found []listing.Listing
	err   error
	// cancelled means that the search was cancelled before the source had answered.
	cancelled bool
}

// New returns a federation of sources.
func New(o Options) *Federation {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Federation{options: o, kept: make(map[request]*kept)}
}

// Query describes a search. Empty fields restrict nothing.
type Query struct {
	Text     string
	Source   string // only listings of this source
	Runtime  string // only listings that can be run this way: a listing.Kind, or Remote
	Category string // only listings of this category; see Categories
	Limit    int    // the largest number of results; 0 means 30
	// Wait ends the search this long after the first source has found something, with the results so far. 0 waits for all
	// sources, at most for Patience.
	Wait time.Duration
	// Within limits the time until Search returns the results so far. Answer.Done is then false, and the sources
	// continue, so that the same query finds more a moment later. 0 waits until the search is done.
	Within time.Duration
}

// Remote is the value of Query.Runtime that selects servers with a remote address.
const Remote = "remote"

const defaultLimit = 30

// Progress is the state of the search in one source.
type Progress string

const (
	Searching  Progress = "searching"
	Answered   Progress = "answered"
	Incomplete Progress = "incomplete" // it found something, but not all or not with all details
	Missing    Progress = "missing"
)

// Report describes the search in one source.
type Report struct {
	Source   string   `json:"source"`
	Progress Progress `json:"progress"`
	Found    int      `json:"found"`             // listings, before filters
	Problem  string   `json:"problem,omitempty"` // why the source is incomplete or missing: a sentence for people
	Elapsed  int64    `json:"elapsed_ms"`
}

// Answer holds the results of a search so far.
type Answer struct {
	Results []Result `json:"results" nullable:"false"`
	Total   int      `json:"total"` // number of results without the limit of the query
	Sources []Report `json:"sources" nullable:"false"`
	Done    bool     `json:"done"` // this is the last answer
}

// outcome is the result of the search in one source.
type outcome struct {
	at    int // index of the source
	found []listing.Listing
	err   error
}

// Search searches all sources that the query selects and returns the whole answer. After each source but the last, it
// calls partial with the results so far; partial may be nil and must return soon. Search takes at most Patience. The
// order of the results does not depend on which source answers first.
func (f *Federation) Search(ctx context.Context, q Query, partial func(Answer)) Answer {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), Patience)
	follow := context.AfterFunc(ctx, cancel)
	s := f.start(work, cancel, q)
	var soon, within <-chan time.Time
	if q.Within > 0 {
		timer := time.NewTimer(q.Within)
		defer timer.Stop()
		within = timer.C
	}
	for s.waiting > 0 {
		select {
		case o := <-s.outcomes:
			s.add(o)
			if s.waiting == 0 {
				continue
			}
			if q.Wait > 0 && soon == nil && len(o.found) > 0 {
				timer := time.NewTimer(q.Wait)
				defer timer.Stop()
				soon = timer.C
			}
			if partial != nil {
				partial(s.answer(false))
			}
		case <-soon:
			follow() // detach the sources from ctx: their answers are kept for the next search
			s.giveUp("It is slower than the others; search again in a moment to see what it finds.")
		case <-within:
			if s.drain(); s.waiting > 0 {
				follow()
				return s.answer(false)
			}
		case <-work.Done(): // work also ends when all sources have returned
			s.drain()
			why := tooSlow
			if ctx.Err() != nil {
				why = "The search was cancelled."
			}
			s.giveUp(why)
		}
	}
	return s.answer(true)
}

const tooSlow = "It did not answer within 15 seconds."

// inquiry is the state of one search.
type inquiry struct {
	federation *Federation
	query      Query
	sources    []Source
	began      time.Time
	installed  map[string]bool
	updatable  map[string]bool
	outcomes   chan outcome
	waiting    int
	found      [][]listing.Listing // by source
	reports    []Report            // by source
}

// start starts the search in each source. The goroutines end when their sources return, which they do once ctx ends.
// The last goroutine calls cancel.
func (f *Federation) start(ctx context.Context, cancel func(), q Query) *inquiry {
	s := &inquiry{federation: f, query: q, began: f.options.Now()}
	for _, source := range f.options.Sources {
		if q.Source == "" || q.Source == source.Name {
			s.sources = append(s.sources, source)
			s.reports = append(s.reports, Report{Source: source.Name, Progress: Searching})
		}
	}
	s.waiting = len(s.sources)
	s.found = make([][]listing.Listing, s.waiting)
	s.outcomes = make(chan outcome, s.waiting) // buffered, so that no source blocks when Search has returned
	if f.options.Installed != nil {
		s.installed = f.options.Installed(ctx)
	}
	if f.options.Updatable != nil {
		s.updatable = f.options.Updatable(ctx)
	}
	text := strings.Join(strings.Fields(q.Text), " ")
	var group sync.WaitGroup
	for i, source := range s.sources {
		group.Go(func() {
			found, err := f.ask(ctx, source, text)
			s.outcomes <- outcome{i, found, err}
		})
	}
	go func() {
		group.Wait()
		cancel()
	}()
	return s
}

// ask searches one source, or returns its recent answer to the same text. If a search for the same text is running,
// ask waits for its answer.
func (f *Federation) ask(ctx context.Context, source Source, text string) ([]listing.Listing, error) {
	key := request{source.Name, strings.ToLower(text)}
	for {
		k, first := f.keep(key)
		if first {
			found, err := source.Search(ctx, text, maxEach)
			f.finish(key, k, found, err, errors.Is(ctx.Err(), context.Canceled))
			return found, err
		}
		select {
		case <-k.done:
			if !k.cancelled {
				return k.found, k.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// keep returns the kept answer to a request. If there is none, keep returns a new one and first is true: the caller
// must search and call finish.
func (f *Federation) keep(key request) (k *kept, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k = f.kept[key]; k != nil && f.fresh(k) {
		return k, false
	}
	if len(f.kept) >= maxKept {
		clear(f.kept)
	}
	k = &kept{done: make(chan struct{})}
	f.kept[key] = k
	return k, true
}

// finish sets an answer. A cancelled search says nothing about the source, so its answer is not kept.
func (f *Federation) finish(key request, k *kept, found []listing.Listing, err error, cancelled bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k.at, k.found, k.err, k.cancelled = f.options.Now(), found, err, cancelled
	if cancelled && f.kept[key] == k {
		delete(f.kept, key)
	}
	close(k.done)
}

// fresh reports whether an answer can be used again, or is still pending. The caller holds mu.
func (f *Federation) fresh(k *kept) bool {
	select {
	case <-k.done:
	default:
		return true
	}
	age := f.options.Now().Sub(k.at)
	return k.err == nil && age < currentFor || age < failedFor
}

// Forget drops all kept answers. Call it when the sources may find other listings than before.
func (f *Federation) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.kept)
}

// add adds the outcome of a source.
func (s *inquiry) add(o outcome) {
	s.waiting--
	s.found[o.at] = o.found
	r := &s.reports[o.at]
	r.Progress, r.Found, r.Elapsed = Answered, len(o.found), s.elapsed()
	if o.err == nil {
		return
	}
	r.Progress, r.Problem = Missing, fault.MessageOf(o.err)
	if _, ok := errors.AsType[*fault.Error](o.err); !ok && errors.Is(o.err, context.DeadlineExceeded) {
		r.Problem = tooSlow
	}
	if len(o.found) > 0 {
		r.Progress = Incomplete
	}
}

func (s *inquiry) elapsed() int64 { return s.federation.options.Now().Sub(s.began).Milliseconds() }

// drain adds the outcomes that have already arrived.
func (s *inquiry) drain() {
	for {
		select {
		case o := <-s.outcomes:
			s.add(o)
		default:
			return
		}
	}
}

// giveUp reports the sources that have not answered as missing.
func (s *inquiry) giveUp(why string) {
	s.waiting = 0
	for i := range s.reports {
		if r := &s.reports[i]; r.Progress == Searching {
			r.Progress, r.Problem, r.Elapsed = Missing, why, s.elapsed()
		}
	}
}

// answer returns the merged, ranked and filtered results so far.
func (s *inquiry) answer(done bool) Answer {
	results := rank(s.query.Text, merge(slices.Concat(s.found...)), s.installed, s.federation.options.Now())
	for i := range results {
		results[i].Updatable = slices.ContainsFunc(results[i].IDs, func(id string) bool { return s.updatable[id] })
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return !s.query.selects(&r) })
	limit := s.query.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	return Answer{
		Results: append([]Result{}, results[:min(len(results), limit)]...), Total: len(results), Sources: slices.Clone(s.reports),
		Done: done,
	}
}

// selects reports whether a result passes the filters for category and runtime. start applies the filter for the
// source.
func (q *Query) selects(r *Result) bool {
	if q.Category != "" && !slices.Contains(r.Categories, q.Category) {
		return false
	}
	switch q.Runtime {
	case "":
		return true
	case Remote:
		return len(r.Remotes) > 0
	}
	return slices.ContainsFunc(r.Packages, func(p listing.Package) bool { return string(p.Kind) == q.Runtime })
}
