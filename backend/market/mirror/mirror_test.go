package mirror_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/official"
)

func TestTheWholeRegistryIsReadOnceAndThenItsChanges(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, some())
		progress, stop := events.Subscribe[mirror.Refreshing](h.bus, 100)
		defer stop()
		ended, stopEnded := events.Subscribe[mirror.Refreshed](h.bus, 100)
		defer stopEnded()
		h.refresh()
		if got := h.listed(); got != allOfSome {
			t.Errorf("got %s", got)
		}
		if got, want := h.registry.queries(),
			"latest | latest io.github.bob/postgres:2.0.0 | latest io.github.dan/calendar:4.0.0"; got != want {
			t.Errorf("asked %s\nwant  %s", got, want)
		}
		for _, want := range []int{2, 4, 5} {
			if p := <-progress; p.Entries != want {
				t.Errorf("progress of %d entries, want %d", p.Entries, want)
			}
		}
		if e := <-ended; e.Entries != 5 || e.Problem != "" {
			t.Errorf("got %+v", e)
		}
		if s := h.Status(); s.Entries != 5 || s.Running || !s.Refreshed.Equal(time.Now()) || s.URL != h.registry.url {
			t.Errorf("got %+v", s)
		}

		time.Sleep(3 * time.Hour)
		h.registry.publish("io.github.ann/weather", "1.2.0", "Storms")
		h.registry.publish("io.github.new/clock", "1.0.0", "The time")
		h.registry.mark("io.github.bob/postgres", "2.0.0", listing.Deleted)
		h.registry.mark("io.github.cid/mail", "3.0.0", listing.Deprecated)
		h.refresh()
		if got, want := h.listed(), "ann/weather@1.2.0 cid/mail@3.0.0 dan/calendar@4.0.0 eve/maps@5.0.0 new/clock@1.0.0"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if asked := h.registry.queries(); !strings.HasPrefix(asked, "all since 31 23:00 | ") { // an hour before the first round
			t.Errorf("asked %s", asked)
		}
		if p := <-progress; p.Entries != 2 {
			t.Errorf("progress of %d entries in the second round", p.Entries)
		}
		if l, ok, err := h.Lookup(t.Context(), "io.github.cid/mail"); err != nil || !ok || l.Status != listing.Deprecated {
			t.Errorf("got %+v, %v", l, err)
		}
	})
}

func TestAWithdrawnVersionIsReplacedByTheOneBefore(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, some())
		time.Sleep(3 * time.Hour)
		h.refresh()
		time.Sleep(3 * time.Hour)
		h.registry.mark("io.github.ann/weather", "1.1.0", listing.Deleted)
		h.registry.queries()
		h.refresh()
		if got, want := h.listed(), strings.Replace(allOfSome, "weather@1.1.0", "weather@1.0.0", 1); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if asked := h.registry.queries(); !strings.Contains(asked, "version io.github.ann/weather latest") {
			t.Errorf("asked %s", asked)
		}
	})
}

func TestAnInterruptedRefreshGoesOnAfterARestart(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		pages := 0
		r.fail = func(official.Query) error {
			if pages++; pages == 3 {
				return context.Canceled // as if the hub was shut down
			}
			return nil
		}
		r.after = func(official.Query) {}
		if err := h.Refresh(t.Context()); err == nil {
			t.Fatal("the refresh was not interrupted")
		}
		if got, want := h.listed(), "ann/weather@1.1.0 bob/postgres@2.0.0 cid/mail@3.0.0 dan/calendar@4.0.0"; got != want {
			t.Errorf("before the restart: %s", got)
		}
		r.queries()
		h.restart()
		if s := h.Status(); s.Entries != 4 || !s.Refreshed.IsZero() {
			t.Errorf("after the restart: %+v", s)
		}
		time.Sleep(10 * time.Minute) // the refresh is retried automatically
		synctest.Wait()
		if got := h.listed(); got != allOfSome {
			t.Errorf("after going on: %s", got)
		}
		if asked := r.queries(); asked != "latest io.github.dan/calendar:4.0.0" {
			t.Errorf("asked %s", asked)
		}
	})
}

func TestARejectedCursorStartsTheRefreshAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		r.fail = func(q official.Query) error {
			if q.Cursor != "" {
				return fault.New(fault.Unavailable, "down")
			}
			return nil
		}
		if err := h.Refresh(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Fatal(err)
		}
		bad := true
		r.fail = func(q official.Query) error {
			if q.Cursor != "" && bad {
				bad = false
				return fault.New(fault.Failed, "unknown cursor")
			}
			return nil
		}
		h.refresh()
		if got := h.listed(); got != allOfSome {
			t.Errorf("got %s", got)
		}
	})
}

func TestDeletedEntriesAreRememberedWhileTheyAreInstalled(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, some())
		h.installed = []string{"io.github.bob/postgres"}
		h.refresh()
		time.Sleep(3 * time.Hour)
		for _, name := range []string{"io.github.bob/postgres", "io.github.cid/mail"} {
			h.registry.mark(name, map[bool]string{true: "2.0.0", false: "3.0.0"}[strings.HasSuffix(name, "postgres")], listing.Deleted)
		}
		h.refresh()
		if got := h.found("query tables of a database"); strings.Contains(got, "postgres") {
			t.Errorf("found %s", got)
		}
		if l, ok, err := h.Lookup(t.Context(), "io.github.bob/postgres"); !ok || err != nil || l.Status != listing.Deleted ||
			l.Version != "2.0.0" {
			t.Errorf("the installed one: %+v, %t, %v", l, ok, err)
		}
		if _, ok, err := h.Lookup(t.Context(), "io.github.cid/mail"); ok || err != nil {
			t.Errorf("the other one: %t, %v", ok, err)
		}
	})
}

func TestEntriesRemovedWithoutATraceAreFoundOnceAWeek(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, some())
		h.refresh()
		h.registry.remove("io.github.eve/maps")
		time.Sleep(2 * 24 * time.Hour)
		synctest.Wait()
		if got := h.listed(); got != allOfSome {
			t.Errorf("after two days: %s", got)
		}
		time.Sleep(6 * 24 * time.Hour)
		synctest.Wait()
		if got, want := h.listed(), strings.TrimSuffix(allOfSome, " eve/maps@5.0.0"); got != want {
			t.Errorf("after eight days: %s", got)
		}
	})
}

func TestAListThatIsSuddenlyShortIsNotBelievedAtOnce(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, numbered(300))
		h.refresh()
		all := h.registry.entries
		h.registry.entries = all[:50]
		time.Sleep(7*24*time.Hour + time.Hour)
		synctest.Wait()
		if s := h.Status(); s.Entries != 300 || !strings.Contains(s.Problem, "fewer than before") {
			t.Errorf("got %+v", s)
		}
		time.Sleep(24 * time.Hour) // the refresh is retried, and the list is still as short
		synctest.Wait()
		if s := h.Status(); s.Entries != 50 || s.Problem != "" {
			t.Errorf("got %+v", s)
		}
	})
}

func TestTheCopyIsRefreshedDailyAndAfterFailures(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.size = 10
		h := start(t, r)
		began := time.Now()
		var at []time.Duration
		down := false
		r.set(func() {
			r.fail = func(official.Query) error {
				at = append(at, time.Since(began).Truncate(time.Minute))
				if down {
					return fault.New(fault.Failed, "nothing but an error")
				}
				return nil
			}
		})
		time.Sleep(50 * time.Hour)
		synctest.Wait()
		if len(at) != 0 {
			t.Fatalf("refreshed at %v before anybody has used the marketplace", at)
		}
		r.set(func() { began = time.Now() })
		if err := h.Request(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Hour)
		synctest.Wait()
		if len(at) != 3 || at[0] != 0 || at[1] != 24*time.Hour || at[2] != 48*time.Hour {
			t.Fatalf("refreshed at %v", at)
		}
		r.set(func() { down, at, began = true, nil, time.Now() })
		time.Sleep(36 * time.Hour)
		synctest.Wait()
		if s := h.Status(); s.Problem != "nothing but an error" || s.FailedAt.IsZero() || s.Entries != 5 {
			t.Errorf("got %+v", s)
		}
		if len(at) < 8 || len(at) > 24 {
			t.Errorf("tried at %v", at)
		}
		r.set(func() { down = false })
		h.refresh()
		if s := h.Status(); s.Problem != "" || !s.FailedAt.IsZero() {
			t.Errorf("got %+v", s)
		}
	})
}

func TestAPassingProblemIsTriedAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		tries := 0
		r.fail = func(official.Query) error {
			if tries++; tries%3 != 0 {
				return fault.New(fault.Timeout, "slow")
			}
			return nil
		}
		h.refresh()
		if got := h.listed(); got != allOfSome || tries != 9 {
			t.Errorf("got %s after %d tries", got, tries)
		}
	})
}

func TestARegistryThatRepeatsItsPagesIsLeft(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		r.turn = func(q official.Query) string {
			return map[string]string{"": "a", "a": "b", "b": "a"}[q.Cursor]
		}
		err := h.Refresh(t.Context())
		if fault.KindOf(err) != fault.Failed || !strings.Contains(fault.MessageOf(err), "again and again") {
			t.Errorf("got %v", err)
		}
		if asked := r.queries(); asked != "latest | latest a | latest b" {
			t.Errorf("asked %s", asked)
		}
		if s := h.Status(); s.Entries == 0 || s.Problem == "" {
			t.Errorf("got %+v", s)
		}
		r.turn = nil
		h.refresh()
		if got := h.listed(); got != allOfSome {
			t.Errorf("got %s", got)
		}
	})
}

func TestARegistryWhosePagesDoNotEndIsLeft(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		r.skipped, r.turn = 400_000, func(q official.Query) string { return q.Cursor + "a" }
		if err := h.Refresh(t.Context()); fault.KindOf(err) != fault.Failed || !strings.Contains(fault.MessageOf(err), "does not end") {
			t.Errorf("got %v", err)
		}
		if asked := r.queries(); asked != "latest | latest a | latest aa | latest aaa" {
			t.Errorf("asked %s", asked)
		}
		r.skipped, r.turn = 0, nil
		h.refresh()
		if got := h.listed(); got != allOfSome {
			t.Errorf("got %s", got)
		}
	})
}

func TestConcurrentRefreshesAreOne(t *testing.T) {
	in(t, func(t *testing.T) {
		r, waiting := some(), make(chan struct{})
		r.fail = func(official.Query) error {
			<-waiting
			return nil
		}
		h := start(t, r)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := h.Refresh(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		given, cancel := context.WithCancel(t.Context())
		cancel()
		_ = h.Refresh(given) // returns at once; the refresh goes on
		synctest.Wait()      // wait until all callers wait for the refresh
		close(waiting)
		all.Wait()
		if asked := h.registry.queries(); strings.Count(asked, "|") != 2 {
			t.Errorf("asked %s", asked)
		}
	})
}

func TestWithoutARegistryNothingIsAsked(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.url = ""
		h := start(t, r)
		time.Sleep(72 * time.Hour)
		if err := h.Refresh(t.Context()); fault.MessageOf(err) != "no registry is configured" {
			t.Errorf("got %v", err)
		}
		if s := h.Status(); s.URL != "" || s.Running || r.queries() != "" {
			t.Errorf("got %+v", s)
		}
		if found, err := h.Search(t.Context(), "weather", 10); fault.MessageOf(err) != "no registry is configured" {
			t.Errorf("found %v, %v", found, err)
		}
	})
}

func TestTheCopyOfAnotherRegistryIsHiddenAndThenReplaced(t *testing.T) {
	in(t, func(t *testing.T) {
		h := start(t, some())
		h.refresh()
		h.end()
		h.registry.url = "" // no registry is configured for a while
		h.open()
		if got := h.listed(); got != allOfSome {
			t.Errorf("without a registry: %s", got)
		}
		h.end()
		h.registry.url = "https://other.example.com"
		h.open()
		if got := h.listed(); got != "" || h.Status().Entries != 0 {
			t.Errorf("with another one: %s", got)
		}
		if _, ok, err := h.Lookup(t.Context(), "io.github.ann/weather"); ok || err != nil {
			t.Errorf("with another one: found, %v", err)
		}
		h.registry.set(func() { h.registry.fail = func(official.Query) error { return fault.New(fault.Failed, "no registry") } })
		if got := h.found("query a database"); got != "" {
			t.Errorf("with another one: found %s", got)
		}
		if err := h.Refresh(t.Context()); err == nil {
			t.Error("no error")
		}
		h.end()
		h.registry.url, h.registry.fail = "https://registry.example.com", nil // configure the first registry again
		h.open()
		if got := h.listed(); got != allOfSome {
			t.Errorf("with the first one again: %s", got)
		}
		h.end()
		h.registry.url = "https://other.example.com"
		h.open()
		h.registry.remove("io.github.ann/weather")
		h.refresh()
		if got := h.listed(); strings.HasPrefix(got, "ann") || h.Status().Entries != 4 {
			t.Errorf("after a refresh: %s", got)
		}
	})
}

func TestARefreshEndsWithTheHubAndGoesOnWithTheNext(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		h.refresh()
		time.Sleep(3 * time.Hour)
		for _, name := range []string{"io.github.ann/one", "io.github.ann/two", "io.github.zoe/three"} {
			r.publish(name, "1.0.0", "New")
		}
		r.fail = func(q official.Query) error {
			if q.Cursor != "" {
				return fault.New(fault.Unavailable, "down")
			}
			return nil
		}
		done := make(chan error, 1)
		go func() { done <- h.Refresh(context.Background()) }()
		synctest.Wait() // the mirror waits for the next attempt
		h.end()
		if err := <-done; err == nil {
			t.Error("no error")
		}
		if err := h.Refresh(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("after the end: %v", err)
		}
		r.fail = nil
		r.queries()
		h.open()
		if s := h.Status(); s.Problem != "" {
			t.Errorf("the end of the hub counts as a problem: %s", s.Problem)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if asked := r.queries(); !strings.HasPrefix(asked, "all since 31 23:00 io.github.") {
			t.Errorf("asked %s", asked)
		}
		if got := h.listed(); !strings.Contains(got, "zoe/three@1.0.0") {
			t.Errorf("got %s", got)
		}
	})
}
