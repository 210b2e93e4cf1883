package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestNotificationsAndProgressAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		j := open(t, store)
		events.Publish(j.bus, upstream.Notified{Server: "s", Method: "before Run", At: time.Now()})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = j.Run(ctx) }()
		synctest.Wait()
		at := time.Now().Add(-time.Minute)
		events.Publish(j.bus, upstream.Notified{
			Server: "s", Method: "notifications/message", Params: json.RawMessage(`{"level":"info"}`), At: at,
		})
		events.Publish(j.bus, upstream.Notified{Server: "s", Method: "notifications/tools/list_changed", At: at})
		synctest.Wait()
		events.Publish(j.bus, upstream.Progressed{
			Server: "s", At: at, Params: json.RawMessage(`{"progressToken":"long","progress":1,"total":4,"_meta":{}}`),
		})
		events.Publish(j.bus, upstream.Progressed{
			Server: "s", At: at, Params: json.RawMessage(`{"progressToken":7,"message":"half","progress":0.5}`),
		})
		synctest.Wait()
		cancel()
		<-ended
		early := store.records[0]
		if early.Tool != "before Run" {
			t.Errorf("the first record is %+v", early)
		}
		store.records = store.records[1:]
		want := []Record{
			{Kind: Notification, Tool: "notifications/message", Args: `{"level":"info"}`, Response: `{"level":"info"}`},
			{Kind: Notification, Tool: "notifications/tools/list_changed", Args: `{}`, Response: `{}`},
			{Kind: Progress, Tool: "progress", Args: `{"token":"long","progress":1,"total":4}`},
			{Kind: Progress, Tool: "progress", Args: `{"token":7,"progress":0.5,"message":"half"}`},
		}
		for i := range want {
			want[i].ID, want[i].At, want[i].Server, want[i].Outcome = int64(i+2), at, "s", OK
		}
		if !slices.Equal(store.records, want) {
			t.Errorf("got %+v", store.records)
		}
	})
}

func TestNotificationsAreLimitedPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		j, stop := start(t, store)
		defer stop()
		synctest.Wait()
		// take waits for the end of the second and removes all records. It
		// returns their number, and the texts of those that report omitted
		// notifications.
		take := func() (omitted []string, count int) {
			after(2 * time.Second)
			store.mu.Lock()
			defer store.mu.Unlock()
			for _, r := range store.records {
				if r.Tool == "left out" {
					omitted = append(omitted, r.Server+": "+r.Response+" "+r.Args)
				}
			}
			count, store.records = len(store.records), nil
			return omitted, count
		}
		for i := range 80 {
			events.Publish(j.bus, upstream.Notified{Server: "loud", Method: fmt.Sprint(i)})
			events.Publish(j.bus, upstream.Progressed{Server: "loud", Params: json.RawMessage(`{}`)})
		}
		events.Publish(j.bus, upstream.Notified{Server: "quiet", Method: "m"})
		omitted, count := take()
		if want := []string{`loud: 110 more in the same second are left out {"count":110}`}; !slices.Equal(omitted, want) ||
			count != maxNotifications+2 {
			t.Errorf("first second: got %d records and %q", count, omitted)
		}
		for range maxNotifications {
			events.Publish(j.bus, upstream.Notified{Server: "loud", Method: "again"})
		}
		if omitted, count := take(); len(omitted) != 0 || count != maxNotifications {
			t.Errorf("second second: got %d records and %q", count, omitted)
		}
		for range 3 * notificationBuffer { // published faster than recorded
			events.Publish(j.bus, upstream.Notified{Server: "loud", Method: "m"})
		}
		omitted, count = take()
		if len(omitted) != 1 || count != maxNotifications+1 {
			t.Errorf("more notifications than the buffer holds: got %d records and %q", count, omitted)
		}
		events.Publish(j.bus, upstream.Notified{Server: "loud", Method: "m"})
		if _, count := take(); count != 1 {
			t.Errorf("after the buffer overflowed: got %d records, want 1", count)
		}
	})
}

func TestDroppedNotificationsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		j := open(t, store)
		l := &listener{journal: j, counts: map[string]int{"loud": maxNotifications + 7, "quiet": maxNotifications}, missed: true}
		l.endSecond()
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
