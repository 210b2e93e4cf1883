// Package journal answers what was called, by whom, with which outcome and how
// fast. It keeps one record for each call, refused and failed ones too, for
// what else was asked of a server or came from it, and never a secret:
// arguments and texts are covered before they are kept. What it measures
// outlives the records.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

const (
	// maxLabel is how many bytes of a server's or a tool's name are kept.
	maxLabel = 256
	// maxPage is how many records are returned at once.
	maxPage = 500
	// lendable is how many bytes of results may wait to be looked through.
	lendable = 32 << 20
)

// Store keeps records and tallies.
type Store interface {
	// AppendRecords stores records with the ids they have, and tallies in
	// place of those of the same tools: all of it or nothing.
	AppendRecords(ctx context.Context, records []Record, tallies []Tally) error
	// LastRecord returns the greatest id that a record ever had.
	LastRecord(ctx context.Context) (int64, error)
	Records(ctx context.Context, q Query) ([]Record, error)
	// CountRecords counts what q selects without its Before, Limit and Offset.
	CountRecords(ctx context.Context, q Query) (int, error)
	// DeleteRecords deletes at most q.Limit of the records that q selects, all
	// when it is 0, and returns how many.
	DeleteRecords(ctx context.Context, q Query) (int, error)
	// CountSteps counts the calls of q's server and tool in an aligned span, by
	// the number of the step; steps without a call may be missing.
	CountSteps(ctx context.Context, q Query, span Span) (map[int64]Count, error)
	// CountClients counts the calls of q's server and tool by client: at most
	// q.Limit clients, the most calls first.
	CountClients(ctx context.Context, q Query) ([]ClientUse, error)
	Tallies(ctx context.Context) ([]Tally, error)
	DeleteTallies(ctx context.Context, server string) error
}

// Options are what a journal works with.
type Options struct {
	Store     Store
	Bus       *events.Bus
	Log       *slog.Logger
	Retention time.Duration // how long records are kept; 0 for ever
}

// Journal takes records off the call path and stores them in batches. It is
// safe for concurrent use.
type Journal struct {
	Options
	queue chan entry
	wake  chan struct{} // there may be something in the queue
	full  chan struct{} // and it should not wait
	flush chan chan struct{}
	lent  *semaphore.Weighted // bytes of results in the queue

	writing sync.Mutex // what is stored and published is in the order of ids
	lastID  int64

	mu        sync.Mutex
	tallies   map[string]map[string]*Tally // by server and tool; a tally in it never changes
	forgotten map[string]time.Time         // when, by server
}

// entry is a record whose texts are not covered yet.
type entry struct {
	record   Record
	result   json.RawMessage // of a call; when nil the record has its text
	lent     int64           // bytes of it that are counted
	redactor *secrets.Redactor
}

// Open loads what was measured; records are stored while Run runs.
func Open(ctx context.Context, o Options) (*Journal, error) {
	j := &Journal{
		Options: o, tallies: make(map[string]map[string]*Tally), forgotten: make(map[string]time.Time),
		queue: make(chan entry, 4096), wake: make(chan struct{}, 1), full: make(chan struct{}, 1), flush: make(chan chan struct{}),
		lent: semaphore.NewWeighted(lendable),
	}
	tallies, err := o.Store.Tallies(ctx)
	if err != nil {
		return nil, err
	}
	j.adopt(tallies)
	if j.lastID, err = o.Store.LastRecord(ctx); err != nil {
		return nil, err
	}
	return j, nil
}

// Record keeps one record. For a call, result is what the server answered, and
// the text is taken out of it; without one, r.Response is the text. args is
// JSON. All of it is covered by redactor and cut, and must not be changed
// afterwards. A record without a time began its latency ago. A refusal is
// stored before Record returns, anything else within batchEvery.
func (j *Journal) Record(r Record, args, result json.RawMessage, redactor *secrets.Redactor) {
	if r.Kind == "" {
		r.Kind = Call
	}
	if r.At.IsZero() {
		r.At = time.Now().Add(-r.Latency)
	}
	r.Server, r.Tool = r.Server[:min(len(r.Server), maxLabel)], r.Tool[:min(len(r.Tool), maxLabel)]
	r.Args = beginning(args, headOf(redactor))
	e := entry{record: r, redactor: redactor}
	e.result, e.lent = j.borrow(result, headOf(redactor))
	if r.Outcome == Refused {
		j.store([]Record{j.finish(e)})
		return
	}
	j.queue <- e // waits when the store is far behind: a record is not lost
	signal(j.wake)
	if len(j.queue) >= maxBatch {
		signal(j.full)
	}
}

// borrow returns a result to look through later, and how much of it counts. A
// short one is copied, because it may be a part of something long.
func (j *Journal) borrow(result json.RawMessage, head int) (json.RawMessage, int64) {
	if len(result) <= head {
		return append(json.RawMessage(nil), result...), 0
	}
	n := min(int64(len(result)), lendable)
	if !j.lent.TryAcquire(n) {
		signal(j.full)
		_ = j.lent.Acquire(context.Background(), n) // fails only when its context ends
	}
	return result, n
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Records returns records, newest first and at most 500, and how many there
// are on all pages. Those that still wait for their batch are stored first.
func (j *Journal) Records(ctx context.Context, q Query) ([]Record, int, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, 0, err
	}
	if q.Limit >= 0 {
		return j.page(ctx, q)
	}
	total, err := j.Store.CountRecords(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	q.Limit = max(total+q.Limit-q.Offset, 0)
	return j.page(ctx, q)
}

func (j *Journal) page(ctx context.Context, q Query) ([]Record, int, error) {
	q.Limit = min(q.Limit, maxPage)
	records, err := j.Store.Records(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if q.Before == 0 && q.Offset == 0 && len(records) < q.Limit {
		return records, len(records), nil // counting takes as long as finding
	}
	total, err := j.Store.CountRecords(ctx, q)
	return records, total, err
}

// Each shows records to visit, newest first, in a memory that does not grow
// with their number. It ends with the first error of visit.
func (j *Journal) Each(ctx context.Context, q Query, visit func(Record) error) error {
	if err := j.Settle(ctx); err != nil {
		return err
	}
	for left := q.Limit; ; q.Offset = 0 {
		q.Limit = 200
		if left > 0 {
			q.Limit = min(q.Limit, left)
		}
		page, err := j.Store.Records(ctx, q)
		if err != nil {
			return err
		}
		for _, r := range page {
			if err := visit(r); err != nil {
				return err
			}
			q.Before = r.ID
		}
		if left -= len(page); len(page) < q.Limit || left == 0 {
			return nil
		}
	}
}

// Clear deletes all records. What was measured stays.
func (j *Journal) Clear(ctx context.Context) error {
	if err := j.Settle(ctx); err != nil {
		return err
	}
	_, err := j.Store.DeleteRecords(ctx, Query{})
	return err
}

// Forget drops what was measured of a server that is no more, and of calls
// that it still has in flight. Its records stay.
func (j *Journal) Forget(ctx context.Context, server string) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if err := j.Store.DeleteTallies(ctx, server); err != nil {
		return fmt.Errorf("forget metrics: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.tallies, server)
	j.forgotten[server] = time.Now()
	return nil
}

// Settle stores what waits for its batch: it then counts in what is asked for.
func (j *Journal) Settle(ctx context.Context) error {
	stored := make(chan struct{})
	select {
	case j.flush <- stored:
		<-stored
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
