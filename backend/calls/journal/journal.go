// Package journal answers which tools were called, by which clients, with which
// outcome and how fast. It keeps one record for each call, refused and failed
// ones included, and for other requests to a server and notifications from it.
// Arguments and texts are redacted before they are stored. Metrics of each tool
// are kept when records are deleted. Calls, resource reads, prompt requests and
// decisions about definitions also get an entry in the audit log, without their
// texts.
package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

const (
	// maxLabel is how many bytes of the name of a server or a tool are kept.
	maxLabel = 256
	// maxPage is the maximum number of records that Records returns.
	maxPage = 500
	// maxPending is how many bytes of long results and arguments may wait in the queue until they are shortened and
	// hashed.
	maxPending = 32 << 20
)

// Store persists records and tallies.
type Store interface {
	// AppendRecords stores records under their ids, tallies and entries of the
	// audit log, in one transaction. A tally replaces the stored tally of the same
	// tool.
	AppendRecords(ctx context.Context, records []Record, tallies []Tally, entries []audit.Sealed) error
	// LastRecord returns the greatest id that was ever given to a record,
	// deleted records included.
	LastRecord(ctx context.Context) (int64, error)
	Records(ctx context.Context, q Query) ([]Record, error)
	// CountRecords counts the records that q selects. It ignores q.Before,
	// q.Limit and q.Offset.
	CountRecords(ctx context.Context, q Query) (int, error)
	// DeleteRecords deletes at most q.Limit of the records that q selects, or
	// all of them if q.Limit is 0. It returns how many records it deleted.
	DeleteRecords(ctx context.Context, q Query) (int, error)
	// Shrink makes the files of the store smaller if most of their content has been deleted.
	Shrink(ctx context.Context) error
	// CountSteps counts the calls of q.Server and q.Tool in each step of an
	// aligned span. The keys of the map are numbers of steps, from 0. Steps
	// without calls may be missing.
	CountSteps(ctx context.Context, q Query, span Span) (map[int64]Count, error)
	// CountClients counts the calls of q.Server and q.Tool by client. It returns
	// at most q.Limit clients, those with the most calls first.
	CountClients(ctx context.Context, q Query) ([]ClientUse, error)
	Tallies(ctx context.Context) ([]Tally, error)
	DeleteTallies(ctx context.Context, server string) error
}

// Options configure a journal.
type Options struct {
	Store     Store
	Bus       *events.Bus
	Log       *slog.Logger
	Retention time.Duration // how long records are kept; 0 keeps them forever
	Audit     *audit.Log    // gets an entry for each record of a call, a read or a trust decision; may be nil
	// Await waits for a limited time until texts can be redacted completely, that is, until the stored secrets are
	// known. It reports whether they are. Nil means that they always are.
	Await func(context.Context) bool
}

// Journal queues records and stores them in batches, so that calls do not wait
// for the database. It is safe for concurrent use.
type Journal struct {
	store     Store
	bus       *events.Bus
	log       *slog.Logger
	retention time.Duration
	audit     *audit.Log
	await     func(context.Context) bool
	awaited   chan struct{} // closed when Run has called await once
	complete  atomic.Bool   // whether texts can be redacted completely
	unbegun   atomic.Bool   // whether the last call of Begin has failed

	listener *listener

	queue   chan entry
	wake    chan struct{}       // signals that the queue may have entries
	full    chan struct{}       // asks Run to store the queue at once
	flush   chan chan struct{}  // asks Run to store the queue and then close the received channel
	pending *semaphore.Weighted // bytes of long arguments and results in the queue

	draining  sync.Mutex // held from when records leave the queue until they have ids, so that none overtakes another
	writing   sync.Mutex // held while records get ids, are stored and are published, so that all have the same order
	lastID    int64
	unstored  []Record  // records that could not be stored, the oldest first
	unaudited int       // dropped records that the audit log does not mention yet
	retryAt   time.Time // when storing may be tried again

	mu        sync.Mutex
	problem   Problem
	tallies   map[string]map[string]*Tally // by server and tool; a *Tally is never modified
	forgotten map[string]time.Time         // when Forget was called, by server
	recent    map[string][]ended           // the last calls, oldest first, by server
}

// entry is a record whose texts are not redacted yet.
type entry struct {
	record   Record
	result   json.RawMessage // result of a call; nil if record.Response is already set
	args     json.RawMessage // long arguments, whose hash is not in record.hash yet; otherwise nil
	pending  int64           // bytes acquired from Journal.pending
	redactor *redact.Redactor
}

// Open returns a journal with the stored tallies. Queued records are stored
// only while Run is running.
func Open(ctx context.Context, o Options) (*Journal, error) {
	j := &Journal{
		store: o.Store, bus: o.Bus, log: o.Log, retention: o.Retention, audit: o.Audit, await: o.Await,
		tallies: make(map[string]map[string]*Tally), forgotten: make(map[string]time.Time), recent: make(map[string][]ended),
		queue: make(chan entry, 4096), wake: make(chan struct{}, 1), full: make(chan struct{}, 1), flush: make(chan chan struct{}),
		pending: semaphore.NewWeighted(maxPending),
	}
	j.listener = newListener(j)
	if j.awaited = make(chan struct{}); o.Await == nil {
		close(j.awaited)
		j.complete.Store(true)
	}
	tallies, err := o.Store.Tallies(ctx)
	if err != nil {
		return nil, err
	}
	j.adopt(tallies)
	if err = j.recall(ctx); err != nil {
		return nil, err
	}
	if j.lastID, err = o.Store.LastRecord(ctx); err != nil {
		return nil, err
	}
	return j, nil
}

// Record adds one record. If result is not nil, it is the server's answer to a call, and its text becomes the
// record's Response. args is JSON. The journal stores redacted and shortened copies of all texts. It reads args and
// result later: the caller must not modify them. A zero r.At becomes the current time minus r.Latency. A refused record is
// stored before Record returns, after all queued records; other records are stored within batchEvery.
func (j *Journal) Record(r Record, args, result json.RawMessage, redactor *redact.Redactor) {
	r.Kind = cmp.Or(r.Kind, Call)
	if r.At.IsZero() {
		r.At = time.Now().Add(-r.Latency)
	}
	r.Server, r.Tool = safetext.Prefix(r.Server, maxLabel), safetext.Prefix(r.Tool, maxLabel)
	limit := limitFor(redactor)
	r.Args = prefix(args, limit)
	e := entry{record: r, redactor: redactor}
	long := 0
	if e.result = result; len(result) > limit {
		long += len(result)
	} else { // a copy lets the garbage collector free the message that contains the result
		e.result = append(json.RawMessage(nil), result...)
	}
	if j.audit != nil && audited(r.Kind) {
		if len(args) > limit {
			e.args, long = args, long+len(args)
		} else {
			e.record.hash = audit.HashOf(args)
		}
	}
	j.audit.End(r.Begun, r.entry())
	e.pending = j.acquire(long)
	if r.Outcome == Refused {
		<-j.awaited
		j.drain(e)
		return
	}
	j.queue <- e // blocks when the queue is full, so that no record is lost
	signal(j.wake)
	if len(j.queue) >= maxBatch {
		signal(j.full)
	}
}

// acquire waits until there is room for n bytes in the queue. It returns how many bytes it acquired from pending.
func (j *Journal) acquire(n int) int64 {
	size := min(int64(n), maxPending)
	if size > 0 && !j.pending.TryAcquire(size) {
		signal(j.full)
		_ = j.pending.Acquire(context.Background(), size) // fails only if the context ends, and this one does not
	}
	return size
}

// signal sends to c, unless a signal is already waiting in it.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Records returns at most 500 records, newest first, and the number of records
// that q selects on all pages together. It stores the queued records first.
func (j *Journal) Records(ctx context.Context, q Query) ([]Record, int, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, 0, err
	}
	if q.Limit >= 0 {
		return j.page(ctx, q)
	}
	total, err := j.store.CountRecords(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	q.Limit = max(total+q.Limit-q.Offset, 0)
	return j.page(ctx, q)
}

func (j *Journal) page(ctx context.Context, q Query) ([]Record, int, error) {
	q.Limit = min(q.Limit, maxPage)
	records, err := j.store.Records(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if q.Before == 0 && q.Offset == 0 && len(records) < q.Limit {
		return records, len(records), nil // no further page, so the count is known
	}
	total, err := j.store.CountRecords(ctx, q)
	return records, total, err
}

// Each calls visit for every record that q selects, newest first. It reads the
// records page by page and returns the first error of visit.
func (j *Journal) Each(ctx context.Context, q Query, visit func(Record) error) error {
	if err := j.Settle(ctx); err != nil {
		return err
	}
	for left := q.Limit; ; q.Offset = 0 {
		q.Limit = 200
		if left > 0 {
			q.Limit = min(q.Limit, left)
		}
		page, err := j.store.Records(ctx, q)
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

// Clear deletes all records and gives their space on the disk back. Metrics are kept.
func (j *Journal) Clear(ctx context.Context) error {
	if err := j.Settle(ctx); err != nil {
		return err
	}
	if _, err := j.store.DeleteRecords(ctx, Query{}); err != nil {
		return err
	}
	return j.store.Shrink(ctx)
}

// Forget deletes the metrics of a removed server and ignores its calls that are
// still in flight. Its records are kept.
func (j *Journal) Forget(ctx context.Context, server string) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if err := j.store.DeleteTallies(ctx, server); err != nil {
		return fmt.Errorf("forget metrics: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.tallies, server)
	delete(j.recent, server)
	j.forgotten[server] = time.Now()
	return nil
}

// Rename gives the metrics of a server the new name of the server, and ignores its calls that are still in flight. The
// caller has stopped the server and changed the store.
func (j *Journal) Rename(ctx context.Context, server, to string) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	moved := make(map[string]*Tally)
	for tool, t := range j.tallies[server] {
		now := *t
		now.Server = to
		moved[tool] = &now
	}
	j.tallies[to], j.recent[to] = moved, j.recent[server]
	delete(j.tallies, server)
	delete(j.recent, server)
	j.forgotten[server] = time.Now()
	j.mu.Unlock()
	return j.store.DeleteTallies(ctx, server) // those of calls that have ended since
}

// Settle stores all queued records, so that later reads include them. Run must
// be running.
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
