package journal

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestOldRecordsAreDeletedAtTheStartAndEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		now := time.Now()
		for i := range 1200 {
			m.records = append(m.records, Record{ID: int64(i + 1), At: now.Add(-25 * time.Hour)})
		}
		m.records = append(m.records, Record{ID: 1201, At: now.Add(-23*time.Hour - time.Minute)},
			Record{ID: 1202, At: now.Add(-22*time.Hour - time.Minute)})
		_, stop := start(t, m)
		defer stop()
		synctest.Wait()
		if n, _, deletes := m.stored(); n != 2 || deletes < 3 {
			t.Errorf("at the start: %d records are left after %d transactions", n, deletes)
		}
		if n := m.shrinks(); n != 1 {
			t.Errorf("at the start, the store was shrunk %d times", n)
		}
		after(time.Hour + time.Second)
		if n, _, _ := m.stored(); n != 1 {
			t.Errorf("after an hour: %d records are left", n)
		}
		after(time.Hour)
		if n, _, _ := m.stored(); n != 0 {
			t.Errorf("after two hours: %d records are left", n)
		}
	})
}

func TestRecordsAreKeptForeverWithoutARetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{records: []Record{{ID: 1, At: time.Now().Add(-10000 * time.Hour)}}}
		j := open(t, m)
		j.retention = 0
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- j.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil || len(m.records) != 1 {
			t.Errorf("%d records are left, %v", len(m.records), err)
		}
	})
}

func TestUnsolicitedRecordsAreLimitedInNumber(t *testing.T) {
	m := &memory{}
	for i := range maxUnsolicited + 700 {
		m.records = append(m.records, Record{ID: int64(i + 1), At: time.Now(), Kind: Progress})
	}
	m.records = append(m.records, Record{ID: maxUnsolicited + 701, At: time.Now(), Kind: Call})
	if err := open(t, m).deleteOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(m.records) != maxUnsolicited+1 || m.records[0].ID != 701 {
		t.Errorf("%d records are left, the first with id %d", len(m.records), m.records[0].ID)
	}
}
