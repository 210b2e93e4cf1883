package embedding

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	// queryWorkers is the number of queries that are embedded concurrently, and
	// maxQueued the number of further queries that may wait.
	queryWorkers = 4
	maxQueued    = 32
	// queryTokens is the number of tokens of a query that the built-in model
	// reads.
	queryTokens = 64
	// maxRecent is the number of queries whose vectors are cached.
	maxRecent = 128
	// maxYield is the longest time that waiting queries delay the vectors of
	// tools.
	maxYield = time.Second
)

// queries is the queue of queries and the cache of their vectors.
type queries struct {
	queued chan queuedQuery
	slow   atomic.Bool // a query timed out, and none has been answered since

	mu      sync.Mutex
	recent  map[string][]float32
	order   []string      // keys of recent, the most recently used last
	waiting int           // callers that wait for a vector
	free    chan struct{} // closed when waiting falls to 0
}

// queuedQuery is a query that waits for a worker.
type queuedQuery struct {
	text      string
	cancelled <-chan struct{} // closed when the caller has returned
	result    chan []float32  // receives the vector, or nil after an error
}

// Query returns the vector of a query, of length 1, computed by the model of
// Vectors. The vector is shared and must not be modified. Query returns false
// while no tool has a vector, while the provider fails, when too many queries wait,
// and when the vector takes longer than the query timeout. A late vector is cached
// for the next call. After a timeout, Query returns false for all uncached queries
// until a worker has answered a query.
func (x *Index) Query(ctx context.Context, text string) ([]float32, bool) {
	return x.query(ctx, text, false)
}

// AwaitQuery is Query without the query timeout: it waits until ctx ends.
func (x *Index) AwaitQuery(ctx context.Context, text string) ([]float32, bool) {
	return x.query(ctx, text, true)
}

// query returns the vector of a query. It waits for the query timeout or, if it is
// patient, until ctx ends.
func (x *Index) query(ctx context.Context, text string, patient bool) ([]float32, bool) {
	text = safetext.Prefix(strings.Join(strings.Fields(safetext.Prefix(text, 2*maxText)), " "), maxText)
	if text == "" || x.Vectors().Len() == 0 {
		return nil, false
	}
	// A worker caches a vector before it clears slow. Read slow before the cache,
	// so that a vector that is cached between the two reads is found and not
	// computed again.
	slow := x.queries.slow.Load()
	if v, ok := x.queries.cached(text); ok {
		return v, true
	}
	if slow && !patient || x.health.failing() {
		return nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer x.queries.startWaiting()()
	q := queuedQuery{text, ctx.Done(), make(chan []float32, 1)}
	if patient {
		return x.queries.await(ctx, q)
	}
	late, stop := x.clock.After(x.queryTimeout)
	defer stop()
	select {
	case x.queries.queued <- q:
	default:
		return nil, false
	}
	select {
	case v := <-q.result:
		return v, v != nil
	case <-ctx.Done():
		return nil, false
	case <-late:
	}
	// A worker sends the result before it clears slow. Set slow before the last
	// check for a result, so that slow does not stay set if the result arrives now.
	x.queries.slow.Store(true)
	select {
	case v := <-q.result:
		x.queries.slow.Store(false)
		return v, v != nil
	default:
		return nil, false
	}
}

// await queues a query and waits for its vector until ctx ends.
func (q *queries) await(ctx context.Context, one queuedQuery) ([]float32, bool) {
	select {
	case q.queued <- one:
	case <-ctx.Done():
		return nil, false
	}
	select {
	case v := <-one.result:
		return v, v != nil
	case <-ctx.Done():
		return nil, false
	}
}

// answerQueries is a worker: it embeds queued queries until ctx ends. It
// finishes and caches a query it has begun even if the caller has given up.
func (x *Index) answerQueries(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-x.queries.queued:
			select {
			case <-q.cancelled:
			default:
				q.result <- x.vectorOf(ctx, q.text)
			}
			x.queries.slow.Store(false)
		}
	}
}

// vectorOf returns the vector of a query from the provider, or nil if it fails.
func (x *Index) vectorOf(ctx context.Context, text string) []float32 {
	vectors, err := x.embed(ctx, []string{text}, queryTokens)
	if errors.Is(err, errRefused) {
		x.probe(ctx)
	}
	if err != nil {
		return nil
	}
	x.queries.cache(text, vectors[0])
	return vectors[0]
}

func (q *queries) cached(text string) ([]float32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v, ok := q.recent[text]
	if ok {
		q.touch(text)
	}
	return v, ok
}

func (q *queries) cache(text string, v []float32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.recent[text] = v
	q.touch(text)
	if len(q.order) > maxRecent {
		delete(q.recent, q.order[0])
		q.order = slices.Delete(q.order, 0, 1)
	}
}

// touch marks a query as the most recently used one. The caller holds q.mu.
func (q *queries) touch(text string) {
	if i := slices.Index(q.order, text); i >= 0 {
		q.order = slices.Delete(q.order, i, i+1)
	}
	q.order = append(q.order, text)
}

// startWaiting counts a caller that waits for a vector, until end is called.
func (q *queries) startWaiting() (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting++; q.waiting == 1 {
		q.free = make(chan struct{})
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.waiting--; q.waiting == 0 {
			close(q.free)
		}
	}
}

// yield waits until no query waits, for at most maxYield, so that queries are
// embedded before tools.
func (q *queries) yield(ctx context.Context, clock Clock) {
	q.mu.Lock()
	waiting, free := q.waiting > 0, q.free
	q.mu.Unlock()
	if !waiting {
		return
	}
	late, stop := clock.After(maxYield)
	defer stop()
	select {
	case <-free:
	case <-ctx.Done():
	case <-late:
	}
}
