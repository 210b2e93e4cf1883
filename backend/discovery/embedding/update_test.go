package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// model identifies the vectors of the words encoder.
var model = modelOf("words")

func modelOf(name string) string {
	return embedding.New(embedding.Options{
		Settings: settings.Search{Provider: settings.ProviderBuiltin}, Builtin: embedding.Builtin{Model: name},
	}).Vectors().Model()
}

func TestToolsAndQueriesGetVectors(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "readFile: Reads a file", "delete_file: Removes a file")
	d.list("mail", "send: Sends a letter")
	x, _ := d.builtin(&words{})
	d.awaitReady(x, 3)
	v := x.Vectors()
	if !strings.HasPrefix(v.Model(), "builtin/words/text") || v.Dimensions() != dimensions || v.Len() != 3 {
		t.Errorf("model %q, %d dimensions, %d vectors", v.Model(), v.Dimensions(), v.Len())
	}
	query, ok := x.Query(t.Context(), "  read\na file ")
	if !ok || !near(length(query), 1) {
		t.Fatalf("the query has the vector %v, %v", query, ok)
	}
	best, most := "", 0.0
	for _, tool := range d.catalog.Snapshot().Tools {
		vector, ok := v.Of(tool.Hash)
		if !ok {
			t.Fatalf("%s has no vector", tool.Name)
		}
		if is := dot(query, vector); is > most {
			best, most = tool.Name, is
		}
	}
	if best != "readFile" {
		t.Errorf("the nearest tool is %q with %f, want readFile", best, most)
	}
	if s := x.Status(); s != (embedding.Status{Provider: "builtin", Model: "words", Tools: 3, Ready: 3}) {
		t.Errorf("status %+v", s)
	}
	if _, ok := x.Query(t.Context(), " \n"); ok {
		t.Error("a blank query has a vector")
	}
}

func TestVectorsSurviveARestart(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "read: Reads a file", "write: Writes a file")
	d.list("disk-", "read: Reads a file") // the tool has the same text as a tool of the server disk
	first := &words{}
	x, stop := d.builtin(first)
	d.awaitReady(x, 3)
	d.list("disk_", "write: Writes a file", "list: Lists files")
	d.awaitReady(x, 5)
	stop()
	if got := first.encoded(); len(got) != 3 {
		t.Errorf("encoded %q, want three texts", got)
	}
	_ = d.store.Close()

	again := openFixture(t, d.file)
	second := &words{}
	x, _ = again.builtin(second)
	again.awaitReady(x, 5)
	again.list("disk", "write: Writes a file") // the tool read is removed
	again.list("new", "move: Moves a file")
	again.awaitReady(x, 5)
	if got := second.encoded(); len(got) != 1 || !strings.Contains(got[0], "move") {
		t.Errorf("after the restart, encoded %q, want only the new text", got)
	}
	if n := x.Vectors().Len(); n != 5 {
		t.Errorf("%d vectors", n)
	}
}

func TestAKilledHubKeepsTheVectorsItStored(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(9)...)
	blocked := make(chan struct{})
	var n atomic.Int32
	first := &words{before: func(string) {
		d.clock.add(300 * time.Millisecond) // each text takes 300 ms, so that four vectors are stored before the sixth text
		if n.Add(1) == 6 {
			close(blocked)
			<-t.Context().Done()
		}
	}}
	x, _ := d.builtin(first)
	<-blocked
	file := filepath.Join(t.TempDir(), "killed.db")
	for _, suffix := range []string{"", "-wal"} { // the files that would remain if the hub were killed now
		data, err := os.ReadFile(d.file + suffix)
		if err == nil {
			err = os.WriteFile(file+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := x.Status(); s.Ready != 4 || !s.Working {
		t.Errorf("during encoding, the status is %+v", s)
	}

	again := openFixture(t, file)
	second := &words{}
	x, _ = again.builtin(second)
	again.awaitReady(x, 9)
	if got := second.encoded(); len(got) != 5 {
		t.Errorf("after the restart, encoded %q, want five texts", got)
	}
}

func TestVectorsOfTheOldModelAreDeletedOnceTheNewOnesAreComplete(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(4)...)
	x, stop := d.builtin(&words{})
	d.awaitReady(x, 4)
	stop()

	d.clock = newClock() // drop the timers of the first run
	reached, proceed := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{before: func(string) {
		if d.clock.add(2 * time.Second); n.Add(1) == 3 {
			close(reached)
			<-proceed
		}
	}})
	o.Builtin.Model = "other"
	x, stop = d.run(o)
	<-reached
	if n := len(d.stored(model)); n != 4 {
		t.Errorf("%d of 4 vectors of the old model are stored before the new ones are complete", n)
	}
	close(proceed)
	d.awaitReady(x, 4)
	d.clock.pass(t, time.Minute)
	d.clock.pass(t, 24*time.Hour) // the index sets this timer after tidying
	stop()
	if old, other := len(d.stored(model)), len(d.stored(modelOf("other"))); old != 0 || other != 4 {
		t.Errorf("stored %d vectors of the old model and %d of the new, want 0 and 4", old, other)
	}
}

func TestVectorsOfRemovedToolsAreKeptForDays(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "read: Reads a file")
	d.list("mail", "send: Sends a letter")
	encoder := &words{}
	x, stop := d.builtin(encoder)
	d.awaitReady(x, 2)
	if err := d.catalog.Forget(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	d.await("the removal of a vector", func() bool { return x.Vectors().Len() == 1 })
	d.clock.pass(t, time.Minute)
	for range 2 { // days in which the vector is kept
		d.clock.pass(t, 24*time.Hour)
	}
	d.list("mail", "send: Sends a letter")
	d.awaitReady(x, 2)
	if got := encoder.encoded(); len(got) != 2 {
		t.Errorf("encoded %q, want two texts", got)
	}
	if err := d.catalog.Forget(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		d.clock.pass(t, 24*time.Hour)
	}
	if kept := d.stored(model); len(kept) != 1 {
		t.Errorf("%d vectors are stored after six days, want 1", len(kept))
	}
	stop()
}

func TestToolsMayChangeDuringEncoding(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(20)...)
	reached, proceed := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if d.clock.add(400 * time.Millisecond); n.Add(1) == 5 {
			close(reached)
			<-proceed
		}
	}}
	x, _ := d.builtin(encoder)
	<-reached
	d.list("many", append(numbered(8), "new: Came late")...)
	d.list("more", "again: Came late")
	close(proceed)
	d.awaitReady(x, 10)
	if v := x.Vectors(); v.Len() != 10 {
		t.Errorf("got %d vectors, want 10", v.Len())
	}
	seen := make(map[string]bool)
	for _, text := range encoder.encoded() {
		if seen[text] {
			t.Errorf("%q is encoded twice", text)
		}
		if seen[text] = true; strings.Contains(text, "tool 1") && !strings.Contains(text, "tool 1.") {
			t.Errorf("%q is encoded after its tool was removed", text)
		}
	}
}

func TestEncodingStopsWhenTheContextEnds(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(9)...)
	reached, proceed := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if n.Add(1) == 3 {
			close(reached)
			<-proceed
		}
	}}
	x := embedding.New(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, encoder))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	<-reached
	cancel()
	close(proceed)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := encoder.encoded(); len(got) != 3 {
		t.Errorf("encoded %q", got)
	}
	if kept := d.stored(model); len(kept) != 2 {
		t.Errorf("stored %d vectors, want the 2 that were complete", len(kept))
	}
	if n := encoder.releases(); n != 1 {
		t.Errorf("the encoder was released %d times, want once", n)
	}
}

func TestVectorsAreNotUsedUntilTheStoreKeepsThem(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "read: Reads a file")
	full := &fullDisk{Store: d.store.ToolVectors}
	full.failing.Store(true)
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{})
	o.Store = full
	x, _ := d.run(o)
	d.await("a warning", func() bool { return strings.Contains(d.log.text(), "the disk is full") })
	if x.Vectors().Len() != 0 {
		t.Error("a vector that is not stored is visible")
	}
	full.failing.Store(false)
	d.clock.pass(t, time.Second)
	d.awaitReady(x, 1)
}

func TestStatusIsNotWorkingWhenTheLastVectorsArePublished(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(3)...)
	observed := &statusStore{Store: d.store.ToolVectors}
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1},
		&words{before: func(string) { d.clock.add(time.Second) }})
	o.Store = observed
	observed.index = embedding.New(o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- observed.index.Run(ctx) }()
	d.awaitReady(observed.index, 3)
	cancel()
	if err := <-ended; err != nil || fmt.Sprint(observed.working) != "[true true false]" {
		t.Errorf("Status.Working at each write is %v, want [true true false]; Run returned %v", observed.working, err)
	}
}

// statusStore is a store that records, for each write, whether the index
// reports more work.
type statusStore struct {
	embedding.Store
	index   *embedding.Index
	working []bool
}

func (l *statusStore) KeepVectors(ctx context.Context, model string, made []embedding.Made) error {
	l.working = append(l.working, l.index.Status().Working)
	return l.Store.KeepVectors(ctx, model, made)
}

// fullDisk is a store that fails to keep vectors while failing is set.
type fullDisk struct {
	embedding.Store
	failing atomic.Bool
}

func (f *fullDisk) KeepVectors(ctx context.Context, model string, made []embedding.Made) error {
	if f.failing.Load() {
		return errors.New("the disk is full")
	}
	return f.Store.KeepVectors(ctx, model, made)
}

func TestProviderNoneComputesNoVectors(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "read: Reads a file")
	x, stop := d.run(d.options(settings.Search{Provider: settings.ProviderNone}, nil))
	if _, ok := x.Query(t.Context(), "read a file"); ok || x.Vectors().Model() != "" || x.Vectors().Len() != 0 {
		t.Errorf("got %d vectors of the model %q, want none", x.Vectors().Len(), x.Vectors().Model())
	}
	if s := x.Status(); s != (embedding.Status{Provider: "none", Tools: 1}) {
		t.Errorf("status %+v", s)
	}
	stop()
}

func numbered(n int) []string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprint("tool_", i)
	}
	return tools
}

// length returns the square of the length of a vector, which is 1 for a vector of length 1.
func length(v []float32) (total float64) {
	for _, n := range v {
		total += float64(n) * float64(n)
	}
	return total
}

func near(a, b float64) bool { return a > b-0.001 && a < b+0.001 }

func dot(query []float32, v embedding.Vector) (total float64) {
	for i, n := range v.Values {
		total += float64(n) * float64(v.Scale) * float64(query[i])
	}
	return total
}

// view is a Catalog whose snapshot the test sets, as a change of the user's rules would.
type view struct {
	shown atomic.Pointer[catalog.Snapshot]
}

func (v *view) Snapshot() *catalog.Snapshot { return v.shown.Load() }

func TestToolsThatRulesNoLongerHideGetVectors(t *testing.T) {
	d, allowed := newFixture(t), &view{}
	d.list("disk", "readFile: Reads a file")
	allowed.shown.Store(d.catalog.Snapshot())
	d.list("mail", "send: Sends a letter")
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{})
	o.Catalog = allowed
	x, _ := d.run(o)
	d.awaitReady(x, 1)
	allowed.shown.Store(d.catalog.Snapshot())
	events.Publish(d.bus, catalog.ShownChanged{})
	d.awaitReady(x, 2)
}
