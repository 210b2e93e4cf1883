package journal

import (
	"context"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

const (
	// batchEvery is how long a record may wait to be stored, and so what a
	// killed hub may lose.
	batchEvery = 100 * time.Millisecond
	// watchedEvery is the same while somebody waits to see records.
	watchedEvery = 10 * time.Millisecond
	// maxBatch is how many records are stored without waiting for the time.
	maxBatch = 1024
	// expireEvery is how often old records are looked for.
	expireEvery = time.Hour
	// deleteAtOnce is how many records are deleted before others may write.
	deleteAtOnce = 500
	// maxChatter is how many records of a kind are kept that servers make by
	// themselves, as often as they like.
	maxChatter = 100_000
)

// progressToken begins the arguments of a progress report.
const progressToken = `{"token":`

// Run stores what comes in until ctx ends, and then what is left; and deletes
// what is too old. It leaves records in the queue until their batch is due:
// covering each as it comes would take a processor from the call that is just
// being answered.
func (j *Journal) Run(ctx context.Context) error {
	expired := make(chan struct{})
	go func() { defer close(expired); j.expire(ctx) }()
	defer func() { <-expired }()
	due := time.NewTimer(batchEvery)
	defer due.Stop()
	for {
		select {
		case <-j.wake:
			due.Reset(j.patience())
		case stored := <-j.flush:
			j.drain()
			close(stored)
			continue
		case <-ctx.Done():
			j.drain()
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
			j.drain()
			return nil
		}
	}
}

func (j *Journal) patience() time.Duration {
	if events.HasSubscribers[Recorded](j.Bus) {
		return watchedEvery
	}
	return batchEvery
}

// drain stores what is in the queue.
func (j *Journal) drain() {
	var batch []Record
	for len(j.queue) > 0 {
		if batch = append(batch, j.finish(<-j.queue)); len(batch) == maxBatch {
			j.store(batch)
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		j.store(batch)
	}
}

// finish gives a record its texts.
func (j *Journal) finish(e entry) Record {
	if e.result != nil {
		e.record.Response = textOf(e.result, headOf(e.redactor))
	}
	if e.lent > 0 {
		j.lent.Release(e.lent)
	}
	// The token of a progress report is a name, and no credential as others
	// that are called so.
	named := ""
	if rest, ok := strings.CutPrefix(e.record.Args, progressToken); ok && e.record.Kind == Progress {
		named, e.record.Args = progressToken, rest
	}
	e.record.Args, e.record.Response = named+cover(e.record.Args, e.redactor), cover(e.record.Response, e.redactor)
	return e.record
}

// store numbers and stores a batch, and then shows it.
func (j *Journal) store(batch []Record) {
	j.writing.Lock()
	defer j.writing.Unlock()
	for i := range batch {
		j.lastID++
		batch[i].ID = j.lastID
	}
	tallies := j.measure(batch)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := j.Store.AppendRecords(ctx, batch, tallies); err != nil {
		j.Log.Error("calls not recorded", "count", len(batch), "error", err)
		return
	}
	j.adopt(tallies)
	for _, r := range batch {
		events.Publish(j.Bus, Recorded{r})
	}
}

// expire deletes old records now and every hour, until ctx ends.
func (j *Journal) expire(ctx context.Context) {
	again := time.NewTicker(expireEvery)
	defer again.Stop()
	for {
		if err := j.deleteOld(ctx); err != nil && ctx.Err() == nil {
			j.Log.Warn("old records not deleted", "error", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

func (j *Journal) deleteOld(ctx context.Context) error {
	if j.Retention > 0 {
		if err := j.delete(ctx, Query{Until: time.Now().Add(-j.Retention)}); err != nil {
			return err
		}
	}
	for _, kind := range []Kind{Notification, Progress} {
		q := Query{Kinds: []Kind{kind}}
		beyond, err := j.Store.Records(ctx, Query{Kinds: q.Kinds, Offset: maxChatter, Limit: 1})
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
	return nil
}

// delete deletes in small steps: a batch that waits behind one of them is
// stored before the next.
func (j *Journal) delete(ctx context.Context, q Query) error {
	q.Limit = deleteAtOnce
	for {
		if n, err := j.Store.DeleteRecords(ctx, q); err != nil || n < q.Limit {
			return err
		}
	}
}
