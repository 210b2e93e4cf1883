package journal

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

func (m *memory) setBroken(broken bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = broken
}

func TestRecordsWaitUntilTheStoreWorksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{broken: true}
		j, stop := start(t, m)
		defer stop()
		recorded, unsubscribe := events.Subscribe[Recorded](j.bus, 100)
		defer unsubscribe()
		for i := range 30 {
			how := OK
			if i%10 == 0 {
				how = Refused // Record stores refused records itself; Run stores the others
			}
			j.Record(Record{Server: "s", Tool: fmt.Sprint(i), Outcome: how}, nil, nil, nil)
		}
		after(time.Minute)
		if p := j.Problem(); p.Err == nil || p.Waiting != 30 || p.Lost != 0 {
			t.Errorf("while the store fails: %+v", p)
		}
		if got, _, err := j.Records(t.Context(), Query{Limit: 100}); err != nil || len(got) != 0 || len(recorded) != 0 {
			t.Errorf("while the store fails: %d records, %d events, %v", len(got), len(recorded), err)
		}
		m.setBroken(false)
		after(retryEvery + batchEvery)
		got, _, err := j.Records(t.Context(), Query{Limit: 100})
		if err != nil || len(got) != 30 || len(recorded) != 30 || j.Metrics("s") == nil {
			t.Errorf("%d records, %d events, %v", len(got), len(recorded), err)
		}
		seen := make(map[string]bool)
		for _, r := range got {
			seen[r.Tool] = true
		}
		if len(seen) != 30 {
			t.Errorf("records were stored twice: %v", seen)
		}
		if p := j.Problem(); p != (Problem{}) {
			t.Errorf("once the store works: %+v", p)
		}
	})
}

func TestRecordsThatWaitUseLimitedMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{broken: true}
		j, stop := start(t, m)
		defer stop()
		const n = 100
		text := strings.Repeat("x", 10*maxUnstored/n)
		for i := range n {
			j.appendBatch([]Record{{Tool: fmt.Sprint(i), Response: text}})
		}
		p := j.Problem()
		if p.Waiting == 0 || p.Waiting > 11 || p.Waiting+p.Lost != n {
			t.Errorf("got %+v", p)
		}
		m.setBroken(false)
		after(2 * retryEvery)
		if got, _, err := j.Records(t.Context(), Query{Limit: 1}); err != nil || len(got) != 1 || got[0].Tool != fmt.Sprint(n-1) {
			t.Errorf("the newest record is %v, %v", got, err)
		}
	})
}
