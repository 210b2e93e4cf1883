package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// kept is a store of records that were appended, and of nothing else.
type kept struct {
	journal.Store
	records []journal.Record
}

func (k *kept) AppendRecords(_ context.Context, records []journal.Record, _ []journal.Tally) error {
	k.records = append(k.records, records...)
	return nil
}

func (k *kept) Tallies(context.Context) ([]journal.Tally, error) { return nil, nil }

func (k *kept) LastRecord(context.Context) (int64, error) { return 0, nil }

func (k *kept) Records(context.Context, journal.Query) ([]journal.Record, error) { return nil, nil }

func (k *kept) DeleteRecords(context.Context, journal.Query) (int, error) { return 0, nil }

// listen runs a proxy that hears what is published on the bus, until the test
// calls stop; the store has all records then.
func listen(t *testing.T) (bus *events.Bus, store *kept, stop func()) {
	t.Helper()
	bus, store = &events.Bus{}, &kept{}
	j, err := journal.Open(t.Context(), journal.Options{Store: store, Bus: bus, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	p := New(nil, nil, j, bus)
	var ends []func()
	for _, run := range []func(context.Context) error{j.Run, p.Run} {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); _ = run(ctx) }()
		ends = append(ends, func() { cancel(); <-done })
	}
	synctest.Wait()
	return bus, store, func() { ends[1](); ends[0]() }
}

func TestWhatServersSayIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus, store, stop := listen(t)
		at := time.Now().Add(-time.Minute)
		events.Publish(bus, upstream.Notified{Server: "s", Method: "notifications/message", Params: json.RawMessage(`{"level":"info"}`), At: at})
		events.Publish(bus, upstream.Notified{Server: "s", Method: "notifications/tools/list_changed", At: at})
		synctest.Wait()
		events.Publish(bus, upstream.Progressed{Server: "s", At: at, Params: json.RawMessage(`{"progressToken":"long","progress":1,"total":4,"_meta":{}}`)})
		events.Publish(bus, upstream.Progressed{Server: "s", At: at, Params: json.RawMessage(`{"progressToken":7,"message":"half","progress":0.5}`)})
		synctest.Wait()
		stop()
		want := []journal.Record{
			{Kind: journal.Notification, Tool: "notifications/message", Args: `{"level":"info"}`, Response: `{"level":"info"}`},
			{Kind: journal.Notification, Tool: "notifications/tools/list_changed", Args: `{}`, Response: `{}`},
			{Kind: journal.Progress, Tool: "progress", Args: `{"token":"long","progress":1,"total":4}`},
			{Kind: journal.Progress, Tool: "progress", Args: `{"token":7,"progress":0.5,"message":"half"}`},
		}
		for i := range want {
			want[i].ID, want[i].At, want[i].Server, want[i].Outcome = int64(i+1), at, "s", journal.OK
		}
		if !slices.Equal(store.records, want) {
			t.Errorf("got %+v", store.records)
		}
	})
}

func TestAFloodIsCountedAndNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus, store, stop := listen(t)
		defer stop()
		// texts are what is told of the flood, count all records since the last look.
		look := func() (texts []string, count int) {
			<-time.After(2 * time.Second)
			synctest.Wait()
			for _, r := range store.records {
				if r.Tool == "left out" {
					texts = append(texts, r.Server+": "+r.Response+" "+r.Args)
				}
			}
			count, store.records = len(store.records), nil
			return texts, count
		}
		for i := range 80 {
			events.Publish(bus, upstream.Notified{Server: "loud", Method: fmt.Sprint(i)})
			events.Publish(bus, upstream.Progressed{Server: "loud", Params: json.RawMessage(`{}`)})
		}
		events.Publish(bus, upstream.Notified{Server: "quiet", Method: "m"})
		texts, count := look()
		if want := []string{`loud: 110 more in the same second are left out {"count":110}`}; !slices.Equal(texts, want) || count != maxHeard+2 {
			t.Errorf("%d records, and %q", count, texts)
		}
		for range maxHeard {
			events.Publish(bus, upstream.Notified{Server: "loud", Method: "again"})
		}
		if texts, count := look(); len(texts) != 0 || count != maxHeard {
			t.Errorf("a second later: %d records, and %q", count, texts)
		}
		for range 3 * heardAtOnce { // faster than they are taken
			events.Publish(bus, upstream.Notified{Server: "loud", Method: "m"})
		}
		texts, count = look()
		if len(texts) != 1 || count != maxHeard+1 {
			t.Errorf("more than fits: %d records, and %q", count, texts)
		}
		events.Publish(bus, upstream.Notified{Server: "loud", Method: "m"})
		if _, count := look(); count != 1 {
			t.Error("nothing is heard after that")
		}
	})
}

func TestWhatWasNotEvenCountedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &kept{}
		j, err := journal.Open(t.Context(), journal.Options{Store: store, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		h := &hearing{journal: j, counts: map[string]int{"loud": maxHeard + 7, "quiet": maxHeard}, missed: true}
		h.sum()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := j.Run(ended); err != nil {
			t.Fatal(err)
		}
		if len(store.records) != 1 || store.records[0].Response != "at least 7 more in the same second are left out" {
			t.Errorf("got %+v", store.records)
		}
	})
}
