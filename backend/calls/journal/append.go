package journal

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

// maxUnstored is how many bytes of records are kept in memory while the store
// does not accept them.
const maxUnstored = 16 << 20

// Problem says why records could not be stored.
type Problem struct {
	Err     error // error of the last attempt to store records; nil if all records are stored
	Waiting int   // records that will be stored when the store works again
	Lost    int   // records that were dropped, because too many waited
	Entries int   // how many entries the audit log lacks of the records that wait and of those that were dropped
}

// Problem returns why records wait to be stored. The zero value means that none
// do.
func (j *Journal) Problem() Problem {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.problem
}

// appendBatch gives the records of a batch their ids, stores them with the
// tallies that they change, and then publishes them. Records that cannot be
// stored are kept and stored with a later batch.
func (j *Journal) appendBatch(batch []Record) {
	j.writing.Lock()
	defer j.writing.Unlock()
	for i := range batch {
		if !batch[i].Unlisted {
			j.lastID++
			batch[i].ID = j.lastID
		}
	}
	batch = append(j.unstored, batch...)
	if len(batch) == 0 {
		return
	}
	if time.Now().Before(j.retryAt) {
		j.keep(batch, j.Problem().Err)
		return
	}
	entries := j.entries(batch)
	all, batch := batch, listed(batch)
	tallies := j.measure(batch)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := j.audit.Append(entries, func(sealed []audit.Sealed) error {
		return j.store.AppendRecords(ctx, batch, tallies, sealed)
	})
	if err != nil {
		j.retryAt = time.Now().Add(retryEvery / 2) // a store that is locked or full takes long to fail
		if j.Problem().Err == nil {
			j.log.Error("could not store records; they are kept and stored later", "count", len(all), "error", err)
		}
		j.keep(all, err)
		return
	}
	if before := j.Problem(); before.Err != nil {
		j.log.Info("stored the records that were kept", "count", before.Waiting, "lost", before.Lost)
	}
	j.audit.Stored(begun(all)...)
	j.audit.Noted()
	j.unstored, j.unaudited = nil, 0
	j.setProblem(Problem{})
	j.adopt(tallies)
	j.remember(batch)
	for _, r := range batch {
		events.Publish(j.bus, Recorded{r})
	}
}

// keep keeps records that could not be stored, to store them later. If they need more than maxUnstored bytes, it
// drops the oldest; of a refused record it drops only the texts. The caller holds writing.
func (j *Journal) keep(records []Record, err error) {
	size, first := 0, len(records)
	for first > 0 && size < maxUnstored {
		first--
		r := records[first]
		size += 256 + len(r.Client) + len(r.Session) + len(r.Server) + len(r.Tool) + len(r.Args) + len(r.Response)
	}
	kept, dropped := refusals(records[:first])
	j.audit.Drop(begun(dropped)...)
	j.unaudited += countAudited(dropped)
	j.unstored = append(kept, records[first:]...)
	j.beginUnstored()
	j.setProblem(Problem{
		Err: err, Waiting: len(j.unstored), Lost: j.Problem().Lost + len(dropped), Entries: j.unaudited + countAudited(j.unstored),
	})
	signal(j.wake) // Run tries again
}

// beginUnstored keeps the records that wait and were not begun, such as refused calls, for the case that the hub ends
// before they are stored.
func (j *Journal) beginUnstored() {
	for i := range j.unstored {
		if r := &j.unstored[i]; r.Begun == 0 && audited(r.Kind) {
			r.Begun, _ = j.audit.Begin(r.entry()) // if it fails, the audit log counts the record as missing
			j.audit.End(r.Begun, r.entry())
		}
	}
}

// begun returns the numbers that Begin has returned for records.
func begun(records []Record) (requests []int64) {
	for _, r := range records {
		if r.Begun != 0 {
			requests = append(requests, r.Begun)
		}
	}
	return requests
}

func (j *Journal) setProblem(p Problem) {
	j.mu.Lock()
	changed := (j.problem.Err != nil) != (p.Err != nil) || p.Err != nil && p != j.problem
	j.problem = p
	j.mu.Unlock()
	if changed {
		events.Publish(j.bus, ProblemChanged{})
	}
}

// ProblemChanged is published when the value of Journal.Problem has changed.
type ProblemChanged struct{}

// giveUp tries a last time to store the kept records, and logs how many are
// lost.
func (j *Journal) giveUp() {
	j.writing.Lock()
	j.retryAt = time.Time{}
	j.writing.Unlock()
	j.appendBatch(nil)
	if p := j.Problem(); p.Err != nil {
		j.log.Error("records are lost, because they could not be stored", "count", p.Waiting+p.Lost, "error", p.Err)
	}
}
