package journal

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/events"
)

type memory struct {
	mu      sync.Mutex
	records []Record
	batches int
}

func (m *memory) AppendRecords(_ context.Context, records []Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, records...)
	m.batches++
	return nil
}

func (m *memory) Records(context.Context, Query) ([]Record, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records, len(m.records), nil
}

func (m *memory) CountCalls(context.Context) (map[string]int, error) {
	return map[string]int{"old": 5}, nil
}

func start(t *testing.T) (*Journal, *memory, *events.Bus, func()) {
	t.Helper()
	m, bus := &memory{}, &events.Bus{}
	j := New(m, bus, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = j.Run(ctx) }()
	return j, m, bus, func() { cancel(); <-done }
}

func TestRecordsAreStoredTogetherWithinTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, m, _, stop := start(t)
		defer stop()
		for range 10 {
			j.Record(Record{Server: "s", Outcome: OK}, nil, nil, nil)
		}
		<-time.After(batchEvery + time.Millisecond) // of the bubble's clock
		synctest.Wait()
		if len(m.records) != 10 || m.batches != 1 {
			t.Errorf("%d records in %d batches", len(m.records), m.batches)
		}
	})
}

func TestARefusalIsStoredAtOnce(t *testing.T) {
	m := &memory{}
	j := New(m, &events.Bus{}, slog.New(slog.DiscardHandler)) // does not run
	j.Record(Record{Server: "s", Outcome: Refused}, nil, nil, nil)
	if len(m.records) != 1 {
		t.Error("a refusal waits for a batch")
	}
}

func TestWhatIsAskedForIsStoredFirst(t *testing.T) {
	j, _, _, stop := start(t)
	defer stop()
	j.Record(Record{Server: "s", Outcome: OK}, nil, nil, nil)
	if got, total, err := j.Records(t.Context(), Query{}); err != nil || total != 1 || got[0].Kind != "call" {
		t.Errorf("got %v, %d, %v", got, total, err)
	}
	if usage := j.Usage(); usage["s"] != 1 || usage["old"] != 5 {
		t.Errorf("usage %v", usage)
	}
}

func TestWhatIsLeftIsStoredAtTheEnd(t *testing.T) {
	j, m, _, stop := start(t)
	for range 3 {
		j.Record(Record{Outcome: OK}, nil, nil, nil)
	}
	stop()
	if len(m.records) != 3 {
		t.Errorf("%d records", len(m.records))
	}
}

func TestRecordsAreCoveredAndCut(t *testing.T) {
	j, _, bus, stop := start(t)
	defer stop()
	published, unsubscribe := events.Subscribe[Recorded](bus, 1)
	defer unsubscribe()
	secret := "ghp_" + strings.Repeat("a1B", 12)
	// The secret stands across the place where the text is cut.
	response := `"` + strings.Repeat("é", keep/2-10) + secret + `"`
	j.Record(Record{Outcome: OK}, json.RawMessage(`{"password":"hunter2hunter2","q":1}`), json.RawMessage(response), nil)
	r := (<-published).Record
	if r.Args != `{"password":"[redacted]","q":1}` {
		t.Errorf("args %s", r.Args)
	}
	if strings.Contains(r.Response, "ghp_") || len(r.Response) > keep+len("…") {
		t.Errorf("response of %d bytes ends in %q", len(r.Response), r.Response[len(r.Response)-40:])
	}
}
