// Package journal answers what was called, by whom and with which outcome. It
// keeps one record for each call, refused and failed ones too, and never a
// secret: arguments and texts are covered before they are kept.
package journal

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/secrets"
)

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	OK        Outcome = "ok"
	ToolError Outcome = "tool_error" // the tool answered with isError
	Failed    Outcome = "failed"     // the server failed, or answered with an error
	Timeout   Outcome = "timeout"
	Refused   Outcome = "refused" // by us; nothing was sent to the server
	Cancelled Outcome = "cancelled"
)

// Record is one call.
type Record struct {
	ID       int64
	At       time.Time // when it began
	Kind     string    // call
	Client   string    // name the client gave in initialize, or the door
	Session  string
	Server   string
	Tool     string
	Args     string // JSON, covered and cut
	Response string // JSON or error text, covered and cut
	Outcome  Outcome
	Latency  time.Duration
}

// keep is how many bytes of arguments and of a response are kept.
const keep = 4 << 10

// maxLabel is how many bytes of a server's or a tool's name are kept.
const maxLabel = 256

// batchEvery is how long a record may wait to be stored, and so what a killed
// hub may lose.
const batchEvery = 100 * time.Millisecond

// maxBatch is how many records are stored without waiting for the time.
const maxBatch = 1024

// Query selects records, newest first.
type Query struct {
	Server, Tool  string
	Limit, Offset int
}

// Store keeps records.
type Store interface {
	AppendRecords(ctx context.Context, records []Record) error
	Records(ctx context.Context, q Query) (records []Record, total int, err error)
	// CountCalls counts the calls of each server.
	CountCalls(ctx context.Context) (map[string]int, error)
}

// Recorded is published for each record.
type Recorded struct{ Record Record }

// Journal takes records off the call path and stores them in batches.
type Journal struct {
	Store
	bus   *events.Bus
	log   *slog.Logger
	queue chan entry
	wake  chan struct{} // there may be something in the queue
	full  chan struct{} // and it is a whole batch
	flush chan chan struct{}

	mu    sync.Mutex
	usage map[string]int
}

// entry is a record whose texts are not covered yet.
type entry struct {
	record         Record
	args, response string
	redactor       *secrets.Redactor
}

// New returns a journal; records are stored while Run runs.
func New(store Store, bus *events.Bus, log *slog.Logger) *Journal {
	return &Journal{
		Store: store, bus: bus, log: log, usage: make(map[string]int),
		queue: make(chan entry, 4096), wake: make(chan struct{}, 1), full: make(chan struct{}, 1), flush: make(chan chan struct{}),
	}
}

// Usage returns how often each server was called in this installation.
func (j *Journal) Usage() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.usage)
}

func (j *Journal) countUsage(ctx context.Context) {
	counts, err := j.CountCalls(ctx)
	if err != nil {
		j.log.Warn("calls not counted", "error", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for server, n := range counts {
		j.usage[server] += n
	}
}

// Record keeps one call. A refusal is stored before Record returns, anything
// else within batchEvery. args and response are covered by redactor and cut.
func (j *Journal) Record(r Record, args, response json.RawMessage, redactor *secrets.Redactor) {
	if r.Kind == "" {
		r.Kind = "call"
	}
	r.Server, r.Tool = r.Server[:min(len(r.Server), maxLabel)], r.Tool[:min(len(r.Tool), maxLabel)]
	e := entry{record: r, args: head(args), response: head(response), redactor: redactor}
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

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// head copies a little more than is kept, so that a secret at the cut is
// still whole when it is looked for.
func head(raw json.RawMessage) string { return string(raw[:min(len(raw), keep+256)]) }

func (j *Journal) finish(e entry) Record {
	e.record.Args, e.record.Response = cover(e.args, e.redactor), cover(e.response, e.redactor)
	if e.record.Outcome != Refused { // a refused call may name anything
		j.mu.Lock()
		j.usage[e.record.Server]++
		j.mu.Unlock()
	}
	events.Publish(j.bus, Recorded{e.record})
	return e.record
}

func cover(text string, redactor *secrets.Redactor) string {
	text = redactor.Text(text)
	if len(text) > keep {
		text = strings.ToValidUTF8(text[:keep], "") + "…"
	}
	return text
}

// Records returns records, newest first, and how many there are in all. Those
// that still wait for their batch are stored first.
func (j *Journal) Records(ctx context.Context, q Query) ([]Record, int, error) {
	stored := make(chan struct{})
	select {
	case j.flush <- stored:
		<-stored
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	return j.Store.Records(ctx, q)
}

// Run stores what comes in until ctx ends, and then what is left. It leaves
// records in the queue until their batch is due: covering each as it comes
// would take a processor from the call that is just being answered.
func (j *Journal) Run(ctx context.Context) error {
	j.countUsage(ctx)
	due := time.NewTimer(batchEvery)
	defer due.Stop()
	for {
		select {
		case <-j.wake:
			due.Reset(batchEvery)
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

func (j *Journal) store(batch []Record) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := j.AppendRecords(ctx, batch); err != nil {
		j.log.Error("calls not recorded", "count", len(batch), "error", err)
	}
}
