package embedding_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestAVectorThatComesLateIsCached(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	reached, proceed, done := make(chan struct{}), make(chan struct{}), make(chan bool)
	m.fail(func(http.ResponseWriter, *http.Request, []string) bool {
		close(reached)
		<-proceed
		return false
	})
	ask := func(text string) bool { _, ok := x.Query(t.Context(), text); return ok }
	go func() { done <- ask("slow question") }()
	<-reached
	d.clock.pass(t, 700*time.Millisecond)
	if <-done {
		t.Error("the slow query has a vector before the server answers")
	}
	if ask("another question") {
		t.Error("a second query has a vector while the server hangs")
	}
	m.fail(nil)
	close(proceed)
	d.awaitQuery("the vector that came late", func() bool { return ask("slow question") })
	d.awaitQuery("vectors of other queries", func() bool { return ask("another question") })
	texts, _, _, _ := m.asked()
	if n := slices.Index(texts, "slow question"); slices.Contains(texts[n+1:], "slow question") || d.log.count("WARN") != 0 {
		t.Errorf("requested %q; log %s", texts, d.log.text())
	}
}

func TestAFailedQueryMarksTheProviderAsFailing(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(openAI(m.URL), nil))
	d.awaitReady(x, 1)
	m.fail(with(503, ""))
	if _, ok := x.Query(t.Context(), "read"); ok {
		t.Error("a query has a vector while the provider fails")
	}
	if x.Status().Problem == "" || d.log.count("WARN") != 1 {
		t.Errorf("problem %q, log %s", x.Status().Problem, d.log.text())
	}
	m.fail(nil)
	d.clock.pass(t, time.Second)
	d.await("the recovery", func() bool { return d.log.count("INFO") == 1 })
	if _, ok := x.Query(t.Context(), "read"); !ok {
		t.Error("a query has no vector after the recovery")
	}
}

func TestRecentQueriesAreCached(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	count := func(text string) (n int) {
		texts, _, _, _ := m.asked()
		for _, asked := range texts {
			if asked == text {
				n++
			}
		}
		return n
	}
	for i := range 200 {
		for _, text := range []string{"again", fmt.Sprint("question ", i)} {
			if _, ok := x.Query(t.Context(), text); !ok {
				t.Fatalf("%q has no vector", text)
			}
		}
	}
	_, _ = x.Query(t.Context(), "question 0")
	_, _ = x.Query(t.Context(), "question 199")
	if again, old, last := count("again"), count("question 0"), count("question 199"); again != 1 || old != 2 || last != 1 {
		t.Errorf("requested %d, %d and %d times, want 1, 2 and 1", again, old, last)
	}
}

// awaitQuery calls ask until it returns true; no event announces the vector of
// a query.
func (d *fixture) awaitQuery(what string, ask func() bool) {
	d.t.Helper()
	late := time.After(tooLong)
	for !ask() {
		select {
		case <-late:
			d.t.Fatalf("timed out waiting for %s", what)
		default:
		}
	}
}

func TestAPatientQueryWaitsForASlowModel(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	reached, proceed, done := make(chan struct{}, 2), make(chan struct{}), make(chan bool)
	m.fail(func(http.ResponseWriter, *http.Request, []string) bool {
		reached <- struct{}{}
		<-proceed
		return false
	})
	go func() { _, ok := x.Query(t.Context(), "a question"); done <- ok }()
	<-reached
	d.clock.pass(t, 700*time.Millisecond)
	if <-done {
		t.Error("the query has a vector before the model answers")
	}
	go func() { _, ok := x.AwaitQuery(t.Context(), "a question"); done <- ok }()
	<-reached // the model gets the query although the last one timed out
	close(proceed)
	if !<-done {
		t.Error("the patient query has no vector")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := x.AwaitQuery(ctx, "nobody waits"); ok {
		t.Error("a query whose context has ended has a vector")
	}
}
