package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// memory is a Store that keeps records in a list, the oldest first.
type memory struct {
	mu      sync.Mutex
	records []Record
	tallies []Tally
	last    int64
	batches int
	deletes int
	shrunk  int // number of calls of Shrink
	broken  bool
}

func (m *memory) AppendRecords(_ context.Context, records []Record, tallies []Tally, _ []audit.Sealed) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return errors.New("disk full")
	}
	m.records = append(m.records, records...)
	m.tallies = tallies
	m.batches++
	return nil
}

// stored returns the number of stored records, and how many batches were
// appended and deleted so far.
func (m *memory) stored() (records, batches, deletes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records), m.batches, m.deletes
}

func (m *memory) LastRecord(context.Context) (int64, error) { return m.last, nil }

func (m *memory) selects(q Query, r Record) bool {
	return (len(q.Kinds) == 0 || slices.Contains(q.Kinds, r.Kind)) && (q.Before == 0 || r.ID < q.Before) &&
		(q.Until.IsZero() || r.At.Before(q.Until))
}

func (m *memory) Records(_ context.Context, q Query) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for _, r := range slices.Backward(m.records) {
		if m.selects(q, r) {
			out = append(out, r)
		}
	}
	out = out[min(q.Offset, len(out)):]
	return out[:min(q.Limit, len(out))], nil
}

func (m *memory) CountRecords(context.Context, Query) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records), nil
}

func (m *memory) DeleteRecords(_ context.Context, q Query) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deletes++
	m.records = slices.DeleteFunc(m.records, func(r Record) bool {
		if (q.Limit > 0 && n == q.Limit) || !m.selects(q, r) {
			return false
		}
		n++
		return true
	})
	return n, nil
}

func (m *memory) Shrink(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shrunk++
	return nil
}

// shrinks returns the number of calls of Shrink.
func (m *memory) shrinks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shrunk
}

func (m *memory) CountSteps(context.Context, Query, Span) (map[int64]Count, error) { return nil, nil }

func (m *memory) CountClients(context.Context, Query) ([]ClientUse, error) { return nil, nil }

func (m *memory) Tallies(context.Context) ([]Tally, error)    { return m.tallies, nil }
func (m *memory) DeleteTallies(context.Context, string) error { return nil }

func open(t testing.TB, m Store) *Journal {
	t.Helper()
	j, err := Open(t.Context(), Options{Store: m, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), Retention: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// start opens a journal and runs it until stop is called.
func start(t *testing.T, m Store) (j *Journal, stop func()) {
	t.Helper()
	j = open(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = j.Run(ctx) }()
	return j, func() { cancel(); <-done }
}

// after advances the clock of the synctest bubble by d.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestRecordsAreStoredInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		j, stop := start(t, m)
		defer stop()
		for range 10 {
			j.Record(Record{Server: "s", Outcome: OK}, nil, nil, nil)
		}
		after(batchEvery - time.Millisecond)
		if n, _, _ := m.stored(); n != 0 {
			t.Error("records were stored before their batch was due")
		}
		after(2 * time.Millisecond)
		if n, batches, _ := m.stored(); n != 10 || batches != 1 {
			t.Errorf("got %d records in %d batches, want 10 in 1", n, batches)
		}
	})
}

func TestRecordsAreStoredSoonerWhileSomebodySubscribes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, stop := start(t, &memory{last: 41})
		defer stop()
		recorded, unsubscribe := events.Subscribe[Recorded](j.bus, 1)
		defer unsubscribe()
		j.Record(Record{Server: "s", Outcome: OK}, nil, nil, nil)
		after(watchedEvery + time.Millisecond)
		select {
		case e := <-recorded:
			if e.Record.ID != 42 {
				t.Errorf("got an event with id %d, want 42", e.Record.ID)
			}
		default:
			t.Error("no event yet")
		}
	})
}

func TestRefusedCallsAreStoredAtOnce(t *testing.T) {
	m := &memory{}
	j := open(t, m) // nothing runs j.Run, which would store queued records
	j.Record(Record{Server: "s", Outcome: Refused}, nil, nil, nil)
	if len(m.records) != 1 {
		t.Error("the refused call was not stored by Record")
	}
}

func TestRefusedCallsDoNotOvertakeOthers(t *testing.T) {
	m := &memory{}
	j := open(t, m) // nothing runs j.Run, which would store queued records
	for _, r := range []Record{{Tool: "first"}, {Tool: "second"}, {Tool: "third", Outcome: Refused}} {
		j.Record(r, nil, nil, nil)
	}
	var tools []string
	for _, r := range m.records {
		tools = append(tools, r.Tool)
	}
	if !slices.Equal(tools, []string{"first", "second", "third"}) {
		t.Errorf("the records are %q", tools)
	}
}

func TestRecordsAreStoredAndPublishedInTheOrderOfTheirIDs(t *testing.T) {
	m := &memory{last: 7}
	j, stop := start(t, m)
	recorded, unsubscribe := events.Subscribe[Recorded](j.bus, 1000)
	defer unsubscribe()
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			for i := range 100 {
				how := OK
				if (caller+i)%5 == 0 {
					how = Refused
				}
				j.Record(Record{Outcome: how}, nil, nil, nil)
			}
		})
	}
	callers.Wait()
	stop()
	for i := range 400 {
		want := int64(8 + i)
		if e := <-recorded; e.Record.ID != want || m.records[i].ID != want {
			t.Fatalf("record %d has id %d in its event and %d in the store, want %d", i, e.Record.ID, m.records[i].ID, want)
		}
	}
}

func TestRecordsThatAreNotStoredAreNeitherPublishedNorMeasured(t *testing.T) {
	j, stop := start(t, &memory{broken: true})
	recorded, unsubscribe := events.Subscribe[Recorded](j.bus, 1)
	defer unsubscribe()
	j.Record(Record{Server: "s", Outcome: OK}, nil, nil, nil)
	stop()
	if len(recorded) != 0 || len(j.Totals()) != 0 {
		t.Errorf("%d events, totals %v", len(recorded), j.Totals())
	}
}

func TestQueuedRecordsAreStoredBeforeTheyAreRead(t *testing.T) {
	j, stop := start(t, &memory{})
	defer stop()
	j.Record(Record{Server: "s", Latency: time.Second, Outcome: OK}, nil, nil, nil)
	got, total, err := j.Records(t.Context(), Query{Limit: 10})
	if err != nil || total != 1 || got[0].Kind != Call || time.Since(got[0].At) < time.Second {
		t.Errorf("got %v, %d, %v", got, total, err)
	}
}

func TestANegativeLimitLeavesOutTheOldestRecords(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	defer stop()
	for range 27 {
		j.Record(Record{Outcome: OK}, nil, nil, nil)
	}
	for _, c := range []struct{ limit, offset, first, n int }{{-5, 0, 27, 22}, {-5, 3, 24, 19}, {-30, 0, 0, 0}, {3, 25, 2, 2}} {
		got, total, err := j.Records(t.Context(), Query{Limit: c.limit, Offset: c.offset})
		if err != nil || total != 27 || len(got) != c.n || c.n > 0 && got[0].ID != int64(c.first) {
			t.Errorf("limit %d, offset %d: %d of %d records, %v", c.limit, c.offset, len(got), total, err)
		}
	}
}

func TestQueuedRecordsAreStoredWhenRunEnds(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	for range 3 {
		j.Record(Record{Outcome: OK}, nil, nil, nil)
	}
	stop()
	if len(m.records) != 3 {
		t.Errorf("got %d records, want 3", len(m.records))
	}
}

func TestEachVisitsEveryRecordOnceWhileRecordsAreAdded(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	defer stop()
	for range 450 {
		j.Record(Record{Outcome: OK}, nil, nil, nil)
	}
	for _, c := range []struct{ limit, offset, want int }{
		{0, 0, 450}, {1, 0, 1}, {200, 0, 200}, {201, 0, 201}, {999, 0, 450}, {0, 50, 400},
	} {
		var ids []int64
		total, _ := m.CountRecords(t.Context(), Query{})
		err := j.Each(t.Context(), Query{Limit: c.limit, Offset: c.offset, Before: 451}, func(r Record) error {
			ids = append(ids, r.ID)
			j.Record(Record{Outcome: Refused}, nil, nil, nil)
			return nil
		})
		if err != nil || len(ids) != c.want || ids[0] != int64(450-c.offset) ||
			!slices.IsSortedFunc(ids, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("limit %d of %d: %d records, %v", c.limit, total, len(ids), err)
		}
	}
	enough := errors.New("enough")
	if err := j.Each(t.Context(), Query{}, func(Record) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
}

func TestRecordsAreRedactedAndCut(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	secret := "ghp_" + strings.Repeat("a1B", 12)
	// The record is cut in the middle of the secret.
	response := `{"content":[{"type":"text","text":"` + strings.Repeat("é", maxText/2-10) + secret + `"}]}`
	j.Record(Record{Outcome: OK}, json.RawMessage(`{"password":"hunter2hunter2","q":1}`), json.RawMessage(response), nil)
	j.Record(Record{Kind: PromptGet, Response: "token=" + secret, Outcome: Failed},
		json.RawMessage(`"`+strings.Repeat("x", 2*maxText)+`"`), nil, nil)
	j.Record(Record{Kind: Progress, Outcome: OK}, json.RawMessage(`{"token":"long-operation","message":"token=`+secret+`"}`), nil, nil)
	j.Record(Record{Outcome: OK}, json.RawMessage(`{"password":"`+strings.Repeat("s", 1000)+`","q":"`+strings.Repeat("y", maxText)+`"}`),
		nil, nil)
	stop()
	r, second := m.records[0], m.records[1]
	if r.Args != `{"password":"[redacted]","q":1}` {
		t.Errorf("args %s", r.Args)
	}
	if strings.Contains(r.Response, "ghp_") || len(r.Response) > maxText+len("…") {
		t.Errorf("response of %d bytes ends in %q", len(r.Response), r.Response[len(r.Response)-40:])
	}
	if second.Kind != PromptGet || second.Response != "token=[redacted]" || len(second.Args) != maxText+len("…") ||
		!strings.HasSuffix(second.Args, "…") {
		t.Errorf("got %s %q, args of %d bytes", second.Kind, second.Response, len(second.Args))
	}
	if third := m.records[2]; third.Args != `{"token":"long-operation","message":"token=[redacted]"}` {
		t.Errorf("args of progress %s", third.Args)
	}
	if fourth := m.records[3]; len(fourth.Args) > maxText || !strings.HasSuffix(fourth.Args, "yyy…") {
		t.Errorf("arguments that are short once redacted: got %d bytes that end in %q", len(fourth.Args), fourth.Args[len(fourth.Args)-10:])
	}
}

func TestQueuedResultsAreLimitedInSize(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	defer stop()
	big := json.RawMessage(`{"content":[{"type":"image","data":"` + strings.Repeat("A",
		maxPending/3) + `"},{"type":"text","text":"seen"}]}`)
	for range 10 { // when the limit is reached, Record waits until a batch was stored
		j.Record(Record{Outcome: OK}, nil, big, nil)
	}
	whole := append(append(json.RawMessage(nil), big...), make(json.RawMessage, maxPending)...)
	j.Record(Record{Outcome: OK}, nil, whole, nil) // a result larger than the limit
	records, total, err := j.Records(t.Context(), Query{Limit: 20})
	if err != nil || total != 11 || records[5].Response != "\nseen" {
		t.Errorf("%d records, %q, %v", total, records[5].Response, err)
	}
	if !j.pending.TryAcquire(maxPending) {
		t.Error("pending bytes were not released")
	}
}

func TestNoPartOfASecretIsKeptWhereATextIsCut(t *testing.T) {
	j, stop := start(t, &memory{})
	defer stop()
	published, unsubscribe := events.Subscribe[Recorded](j.bus, 1)
	defer unsubscribe()
	long := strings.Repeat("correct-horse-", 100)
	redactor := redact.ForLaunch(launch.Launch{Env: map[string]string{"KEY_TOKEN": long}})
	for before := range 3 { // number of secrets before the last one; redacting them shortens the text
		for _, at := range []int{maxText - 50, maxText + 700} {
			response := strings.Repeat(long, before)
			response += strings.Repeat("x", at-len(response)) + long + "after"
			j.Record(Record{Outcome: OK}, nil, json.RawMessage(response), redactor)
			r := (<-published).Record
			if strings.Contains(r.Response, "horse") || len(r.Response) > maxText+len("…") {
				t.Errorf("secret at byte %[2]d after %[1]d others: the response of %[3]d bytes ends in %[4]q",
					before, at, len(r.Response), r.Response[max(0, len(r.Response)-60):])
			}
		}
	}
}
