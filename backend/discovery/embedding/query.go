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
	// answering is how many queries are answered at a time, and maxAsked how
	// many may wait for that.
	answering = 4
	maxAsked  = 32
	// queryTokens is how much of a query the builtin model reads.
	queryTokens = 64
	// maxRecent is how many queries' vectors are remembered.
	maxRecent = 128
	// maxGiveWay is how long queries may keep tools waiting.
	maxGiveWay = time.Second
)

// queries is who asks, and what was asked lately.
type queries struct {
	asked chan question
	slow  atomic.Bool // somebody waited in vain, and nothing was answered since

	mu      sync.Mutex
	recent  map[string][]float32
	order   []string // of recent, the last used at the end
	waiting int
	free    chan struct{} // closed when nobody waits any more
}

type question struct {
	text   string
	gone   <-chan struct{}
	answer chan []float32 // nil when there is none
}

func newQueries() *queries {
	return &queries{asked: make(chan question, maxAsked), recent: make(map[string][]float32)}
}

// Query returns the vector of a query, of length 1, for the model of Vectors.
// It is shared: it is not to be changed. There is none when tools are found by
// their words alone, when the provider fails, and when it takes too long; what
// it says then is remembered for the next time.
func (x *Index) Query(ctx context.Context, text string) ([]float32, bool) {
	text = safetext.Prefix(strings.Join(strings.Fields(safetext.Prefix(text, 2*maxText)), " "), maxText)
	if text == "" || x.Vectors().Len() == 0 {
		return nil, false
	}
	if v, ok := x.queries.remembered(text); ok {
		return v, true
	}
	if x.health.failing() || x.queries.slow.Load() {
		return nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer x.queries.begin()()
	q := question{text, ctx.Done(), make(chan []float32, 1)}
	late := x.Clock.After(x.Patience)
	select {
	case x.queries.asked <- q:
	default:
		return nil, false
	}
	select {
	case v := <-q.answer:
		return v, v != nil
	case <-ctx.Done():
		return nil, false
	case <-late:
	}
	// Who answers does so first and takes this back after.
	x.queries.slow.Store(true)
	select {
	case v := <-q.answer:
		x.queries.slow.Store(false)
		return v, v != nil
	default:
		return nil, false
	}
}

// answer answers queries until ctx ends; also those for which nobody waits any
// more once it has begun.
func (x *Index) answer(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-x.queries.asked:
			select {
			case <-q.gone:
			default:
				q.answer <- x.vectorOf(ctx, q.text)
			}
			x.queries.slow.Store(false)
		}
	}
}

func (x *Index) vectorOf(ctx context.Context, text string) []float32 {
	vectors, err := x.ask(ctx, []string{text}, queryTokens)
	if errors.Is(err, errRefused) {
		x.try(ctx)
	}
	if err != nil {
		return nil
	}
	x.queries.remember(text, vectors[0])
	return vectors[0]
}

func (q *queries) remembered(text string) ([]float32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v, ok := q.recent[text]
	if ok {
		q.touch(text)
	}
	return v, ok
}

func (q *queries) remember(text string, v []float32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.recent[text] = v
	q.touch(text)
	if len(q.order) > maxRecent {
		delete(q.recent, q.order[0])
		q.order = slices.Delete(q.order, 0, 1)
	}
}

// touch makes a query the one that was used last.
func (q *queries) touch(text string) {
	if i := slices.Index(q.order, text); i >= 0 {
		q.order = slices.Delete(q.order, i, i+1)
	}
	q.order = append(q.order, text)
}

// begin says that somebody waits, until the function that it returns is called.
func (q *queries) begin() (end func()) {
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

// giveWay lets those go first who wait.
func (q *queries) giveWay(ctx context.Context, clock Clock) {
	q.mu.Lock()
	waiting, free := q.waiting > 0, q.free
	q.mu.Unlock()
	if !waiting {
		return
	}
	select {
	case <-free:
	case <-ctx.Done():
	case <-clock.After(maxGiveWay):
	}
}
