package journal

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

const (
	// batchEvery is how long a record may wait to be stored. A hub that is
	// killed loses the records that still wait.
	batchEvery = 100 * time.Millisecond
	// watchedEvery is used instead of batchEvery while Recorded has
	// subscribers.
	watchedEvery = 10 * time.Millisecond
	// maxBatch is the maximum number of records in a batch. Once that many records are queued, they are stored without
	// further waiting.
	maxBatch = 1024
	// retryEvery is the interval between attempts to store records that could
	// not be stored.
	retryEvery = time.Second
	// expireEvery is the interval between deletions of old records.
	expireEvery = time.Hour
	// deleteAtOnce is how many records are deleted in one transaction.
	deleteAtOnce = 500
	// maxUnsolicited is how many notifications, and how many progress reports,
	// are kept. Servers send both unasked and at any rate.
	maxUnsolicited = 100_000
)

// progressToken is the beginning of the arguments in the record of a progress
// report.
const progressToken = `{"token":`

// Run records notifications, stores queued records in batches and deletes old
// records until ctx ends. Then it stores the remaining records. Redaction takes
// processor time; because it is done here, in batches, it does not delay the
// answers to calls.
func (j *Journal) Run(ctx context.Context) error {
	var background sync.WaitGroup
	if j.await != nil {
		j.complete.Store(j.await(ctx))
		close(j.awaited)
		background.Go(func() {
			for !j.complete.Load() && ctx.Err() == nil {
				j.complete.Store(j.await(ctx))
			}
		})
	}
	j.restore()
	background.Go(func() { j.expire(ctx) })
	background.Go(func() { j.listener.run(ctx) })
	ended := make(chan struct{})
	go func() { defer close(ended); background.Wait() }()
	due := time.NewTimer(batchEvery)
	defer due.Stop()
	for {
		var again <-chan time.Time
		if j.Problem().Err != nil {
			again = time.After(retryEvery)
		}
		select {
		case <-j.wake:
			delay := batchEvery
			if events.HasSubscribers[Recorded](j.bus) {
				delay = watchedEvery
			}
			due.Reset(delay)
		case <-again:
			j.drain()
			continue
		case stored := <-j.flush:
			j.drain()
			close(stored)
			continue
		case <-ctx.Done():
			j.drainUntil(ended)
			return nil
		}
		select {
		case <-due.C:
			j.drain()
		case <-j.full:
			j.drain()
		case stored := <-j.flush:
			j.drain()
			close(stored)
		case <-ctx.Done():
			j.drainUntil(ended)
			return nil
		}
	}
}

// drainUntil stores queued records until ended is closed and the queue is empty. Then it tries a last time to store
// the records that could not be stored before, and logs the head of the audit log.
func (j *Journal) drainUntil(ended <-chan struct{}) {
	for {
		j.drain()
		select {
		case <-j.wake:
		case <-ended:
			j.drain()
			j.giveUp()
			j.audit.Announce()
			return
		}
	}
}

// drain stores the queued records, those that could not be stored earlier, and after them the entries in last.
func (j *Journal) drain(last ...entry) {
	j.draining.Lock()
	defer j.draining.Unlock()
	var batch []Record
	for len(j.queue) > 0 {
		if batch = append(batch, j.finish(<-j.queue)); len(batch) == maxBatch {
			j.appendBatch(batch)
			batch = batch[:0]
		}
	}
	for _, e := range last {
		batch = append(batch, j.finish(e))
	}
	if len(batch) > 0 || j.Problem().Err != nil {
		j.appendBatch(batch)
	}
}

// Withheld replaces texts that might contain secrets which are not known yet.
const Withheld = "[not recorded: the stored secrets were not known yet]"

// finish returns the entry's record with redacted and shortened texts.
func (j *Journal) finish(e entry) Record {
	if e.result != nil {
		e.record.Response = textOf(e.result, limitFor(e.redactor))
	}
	if e.args != nil {
		e.record.hash = audit.HashOf(e.args)
	}
	if e.pending > 0 {
		j.pending.Release(e.pending)
	}
	e.record.Server, e.record.Tool = e.redactor.Name(e.record.Server), e.redactor.Name(e.record.Tool)
	if !j.complete.Load() {
		if e.record.Args != "" {
			e.record.Args = `"` + Withheld + `"`
		}
		if e.record.Response != "" {
			e.record.Response = Withheld
		}
		j.mu.Lock()
		known := j.tallies[e.record.Server][e.record.Tool] != nil
		j.mu.Unlock()
		if !known {
			e.record.Tool = Withheld
		}
		return e.record
	}
	// The redactor treats every member named "token" as a credential, but a progress token is only an identifier.
	head := ""
	if rest, ok := strings.CutPrefix(e.record.Args, progressToken); ok && e.record.Kind == Progress {
		head, e.record.Args = progressToken, rest
	}
	e.record.Args, e.record.Response = head+redacted(e.record.Args, e.redactor), redacted(e.record.Response, e.redactor)
	return e.record
}

// expire deletes old records now and every hour, until ctx ends.
func (j *Journal) expire(ctx context.Context) {
	again := time.NewTicker(expireEvery)
	defer again.Stop()
	for {
		if err := j.deleteOld(ctx); err != nil && ctx.Err() == nil {
			j.log.Warn("could not delete old records", "error", err)
		}
		select {
		case <-again.C:
			j.audit.Announce()
		case <-ctx.Done():
			return
		}
	}
}

// deleteOld deletes the records that are older than the retention or beyond
// maxUnsolicited, and old entries of the audit log, and gives their space on
// the disk back.
func (j *Journal) deleteOld(ctx context.Context) error {
	if err := j.audit.Trim(ctx); err != nil && ctx.Err() == nil {
		j.log.Warn("could not delete old entries of the audit log", "error", err)
	}
	if j.retention > 0 {
		if err := j.delete(ctx, Query{Until: j.audit.Expired(j.retention)}); err != nil {
			return err
		}
	}
	for _, kind := range []Kind{Notification, Progress} {
		q := Query{Kinds: []Kind{kind}}
		beyond, err := j.store.Records(ctx, Query{Kinds: q.Kinds, Offset: maxUnsolicited, Limit: 1})
		if err != nil {
			return err
		}
		if len(beyond) == 0 {
			continue
		}
		q.Before = beyond[0].ID + 1
		if err := j.delete(ctx, q); err != nil {
			return err
		}
	}
	return j.store.Shrink(ctx)
}

// delete deletes the records that q selects. It uses small transactions, so
// that new batches can be stored between them.
func (j *Journal) delete(ctx context.Context, q Query) error {
	q.Limit = deleteAtOnce
	for {
		if n, err := j.store.DeleteRecords(ctx, q); err != nil || n < q.Limit {
			return err
		}
	}
}
