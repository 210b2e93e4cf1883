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
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// model is what the vectors of the words' encoder are of.
var model = modelOf("words")

func modelOf(name string) string {
	return embedding.New(embedding.Options{
		Settings: settings.Search{Provider: settings.ProviderBuiltin}, Builtin: embedding.Builtin{Model: name},
	}).Vectors().Model()
}

func TestToolsGetVectorsAndQueriesToo(t *testing.T) {
	d := newDesk(t)
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
		t.Fatalf("the query: %v, %v", query, ok)
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
		t.Errorf("nearest is %q with %f", best, most)
	}
	if s := x.Status(); s != (embedding.Status{Provider: "builtin", Model: "words", Tools: 3, Ready: 3}) {
		t.Errorf("status %+v", s)
	}
	if _, ok := x.Query(t.Context(), " \n"); ok {
		t.Error("nothing has a vector")
	}
}

func TestNothingIsEncodedTwiceOverRestarts(t *testing.T) {
	d := newDesk(t)
	d.list("disk", "read: Reads a file", "write: Writes a file")
	d.list("disk-", "read: Reads a file") // the same words
	first := &words{}
	x, stop := d.builtin(first)
	d.awaitReady(x, 3)
	d.list("disk_", "write: Writes a file", "list: Lists files")
	d.awaitReady(x, 5)
	stop()
	if got := first.encoded(); len(got) != 3 {
		t.Errorf("encoded %q", got)
	}
	_ = d.store.Close()

	again := openDesk(t, d.file)
	second := &words{}
	x, _ = again.builtin(second)
	again.awaitReady(x, 5)
	again.list("disk", "write: Writes a file") // one less
	again.list("new", "move: Moves a file")
	again.awaitReady(x, 5)
	if got := second.encoded(); len(got) != 1 || !strings.Contains(got[0], "move") {
		t.Errorf("encoded again: %q", got)
	}
	if n := x.Vectors().Len(); n != 5 {
		t.Errorf("%d vectors", n)
	}
}

func TestAKilledHubGoesOnWhereItWas(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(9)...)
	blocked := make(chan struct{})
	var n atomic.Int32
	first := &words{before: func(string) {
		d.clock.add(300 * time.Millisecond) // so that four are stored
		if n.Add(1) == 6 {
			close(blocked)
			<-t.Context().Done()
		}
	}}
	x, _ := d.builtin(first)
	<-blocked
	file := filepath.Join(t.TempDir(), "killed.db")
	for _, suffix := range []string{"", "-wal"} { // what a hub leaves that is killed now
		data, err := os.ReadFile(d.file + suffix)
		if err == nil {
			err = os.WriteFile(file+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := x.Status(); s.Ready != 4 || !s.Working {
		t.Errorf("while it works: %+v", s)
	}

	again := openDesk(t, file)
	second := &words{}
	x, _ = again.builtin(second)
	again.awaitReady(x, 9)
	if got := second.encoded(); len(got) != 5 {
		t.Errorf("encoded %q", got)
	}
}

func TestAnotherModelReplacesTheOldOnceItIsComplete(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(4)...)
	x, stop := d.builtin(&words{})
	d.awaitReady(x, 4)
	stop()

	d.clock = newClock() // without those who waited
	reached, goOn := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{before: func(string) {
		if d.clock.add(2 * time.Second); n.Add(1) == 3 {
			close(reached)
			<-goOn
		}
	}})
	o.Builtin.Model = "other"
	x, stop = d.run(o)
	<-reached
	if n := len(d.stored(model)); n != 4 {
		t.Errorf("of the old model are left %d before the new one is complete", n)
	}
	close(goOn)
	d.awaitReady(x, 4)
	d.clock.pass(t, 24*time.Hour) // it waits for that when it has tidied up
	stop()
	if old, other := len(d.stored(model)), len(d.stored(modelOf("other"))); old != 0 || other != 4 {
		t.Errorf("%d of the old model, %d of the new", old, other)
	}
}

func TestAServerThatComesBackIsNotEncodedAgain(t *testing.T) {
	d := newDesk(t)
	d.list("disk", "read: Reads a file")
	d.list("mail", "send: Sends a letter")
	encoder := &words{}
	x, stop := d.builtin(encoder)
	d.awaitReady(x, 2)
	if err := d.catalog.Forget(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	d.await("only the vectors of tools that are known", func() bool { return x.Vectors().Len() == 1 })
	for range 2 { // nobody tidies it away so soon
		d.clock.pass(t, 24*time.Hour)
	}
	d.list("mail", "send: Sends a letter")
	d.awaitReady(x, 2)
	if got := encoder.encoded(); len(got) != 2 {
		t.Errorf("encoded %q", got)
	}
	if err := d.catalog.Forget(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		d.clock.pass(t, 24*time.Hour)
	}
	if kept := d.stored(model); len(kept) != 1 {
		t.Errorf("%d vectors are kept for ever", len(kept))
	}
	stop()
}

func TestToolsMayChangeWhileOthersAreEncoded(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(20)...)
	reached, goOn := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if d.clock.add(400 * time.Millisecond); n.Add(1) == 5 {
			close(reached)
			<-goOn
		}
	}}
	x, _ := d.builtin(encoder)
	<-reached
	d.list("many", append(numbered(8), "new: Came late")...)
	d.list("more", "again: Came late")
	close(goOn)
	d.awaitReady(x, 10)
	if v := x.Vectors(); v.Len() != 10 {
		t.Errorf("%d vectors", v.Len())
	}
	seen := make(map[string]bool)
	for _, text := range encoder.encoded() {
		if seen[text] {
			t.Errorf("%q is encoded twice", text)
		}
		if seen[text] = true; strings.Contains(text, "tool 1") && !strings.Contains(text, "tool 1.") {
			t.Errorf("%q is encoded, which is gone", text)
		}
	}
}

func TestAHubThatStopsEncodesNoMore(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(9)...)
	reached, goOn := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if n.Add(1) == 3 {
			close(reached)
			<-goOn
		}
	}}
	x := embedding.New(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, encoder))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	<-reached
	cancel()
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := encoder.encoded(); len(got) != 3 {
		t.Errorf("encoded %q", got)
	}
	if kept := d.stored(model); len(kept) != 2 {
		t.Errorf("kept %d of those that were made", len(kept))
	}
	if n := encoder.releases(); n != 1 {
		t.Errorf("released %d times", n)
	}
}

func TestEncodingUsesAsManyCoresAsItMay(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(9)...)
	both := make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if n.Add(1) == 2 {
			close(both)
		}
		<-both // the first waits for the second
	}}
	x, _ := d.run(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 2}, encoder))
	d.awaitReady(x, 9)
	if encoder.most != 2 {
		t.Errorf("%d at a time", encoder.most)
	}
}

func TestAQueryGoesBeforeTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		defer func() { _ = d.store.Close() }()
		d.list("first", "read: Reads a file")
		gates := map[string]chan struct{}{"tool 0.": make(chan struct{}), "my question": make(chan struct{})}
		encoder := &words{before: func(text string) {
			for part, gate := range gates {
				if strings.Contains(text, part) {
					<-gate
				}
			}
		}}
		o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1, IdleUnload: time.Minute}, encoder)
		o.Clock, o.Patience = embedding.Clock{}, 0
		x, stop := d.run(o)
		defer stop()
		synctest.Wait()
		d.list("second", numbered(3)...)
		synctest.Wait() // it encodes the first of them
		answered := make(chan bool)
		go func() {
			_, ok := x.Query(t.Context(), "my question")
			answered <- ok
		}()
		synctest.Wait()
		close(gates["tool 0."])
		synctest.Wait()
		if got := encoder.encoded(); len(got) != 3 || !strings.Contains(got[1], "tool 0.") || got[2] != "my question" {
			t.Errorf("while somebody asks: %q", got)
		}
		close(gates["my question"])
		if ok := <-answered; !ok {
			t.Error("no answer")
		}
		synctest.Wait()
		if s := x.Status(); s.Ready != 4 || s.Working {
			t.Errorf("afterwards: %+v", s)
		}
		if _, ok := x.Query(t.Context(), "my  question "); !ok || len(encoder.encoded()) != 5 {
			t.Errorf("asked again: %v, encoded %q", ok, encoder.encoded())
		}
	})
}

func TestTheEncodersMemoryIsGivenBackWhenNobodyUsesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		defer func() { _ = d.store.Close() }()
		d.list("disk", "read: Reads a file")
		encoder := &words{}
		o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1, IdleUnload: time.Minute}, encoder)
		o.Clock = embedding.Clock{}
		x, stop := d.run(o)
		defer stop()
		synctest.Wait()
		for _, wait := range []struct {
			passes   time.Duration
			ask      bool
			released int
		}{{59 * time.Second, true, 0}, {59 * time.Second, false, 0}, {time.Second, false, 1}, {time.Hour, true, 1}, {time.Minute, false, 2}} {
			time.Sleep(wait.passes) // virtual
			synctest.Wait()
			if wait.ask {
				if _, ok := x.Query(t.Context(), fmt.Sprint("question ", time.Now())); !ok {
					t.Error("no answer")
				}
			}
			synctest.Wait()
			if n := encoder.releases(); n != wait.released {
				t.Errorf("after %v: released %d times, want %d", wait.passes, n, wait.released)
			}
		}
	})
}

func TestAStoreThatFailsIsTriedAgainAndNothingIsShownBefore(t *testing.T) {
	d := newDesk(t)
	d.list("disk", "read: Reads a file")
	full := &fullDisk{Store: d.store}
	full.is.Store(true)
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{})
	o.Store = full
	x, _ := d.run(o)
	d.await("a warning", func() bool { return strings.Contains(d.log.text(), "disk is full") })
	if x.Vectors().Len() != 0 {
		t.Error("a vector is shown that is not kept")
	}
	full.is.Store(false)
	d.clock.pass(t, time.Second)
	d.awaitReady(x, 1)
}

func TestWhoHearsOfTheLastVectorsSeesThatNoMoreAreMade(t *testing.T) {
	d := newDesk(t)
	d.list("many", numbered(3)...)
	looking := &lookingStore{Store: d.store}
	o := d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, &words{before: func(string) { d.clock.add(time.Second) }})
	o.Store = looking
	looking.index = embedding.New(o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- looking.index.Run(ctx) }()
	d.awaitReady(looking.index, 3)
	cancel()
	if err := <-ended; err != nil || fmt.Sprint(looking.working) != "[true true false]" {
		t.Errorf("working with each that was kept: %v, %v", looking.working, err)
	}
}

// lookingStore is a store that looks whether more is to come.
type lookingStore struct {
	embedding.Store
	index   *embedding.Index
	working []bool
}

func (l *lookingStore) KeepVectors(ctx context.Context, model string, made []embedding.Made) error {
	l.working = append(l.working, l.index.Status().Working)
	return l.Store.KeepVectors(ctx, model, made)
}

type fullDisk struct {
	embedding.Store
	is atomic.Bool
}

func (f *fullDisk) KeepVectors(ctx context.Context, model string, made []embedding.Made) error {
	if f.is.Load() {
		return errors.New("the disk is full")
	}
	return f.Store.KeepVectors(ctx, model, made)
}

func TestWithoutAProviderThereIsNothing(t *testing.T) {
	d := newDesk(t)
	d.list("disk", "read: Reads a file")
	x, stop := d.run(d.options(settings.Search{Provider: settings.ProviderNone}, nil))
	if _, ok := x.Query(t.Context(), "read a file"); ok || x.Vectors().Model() != "" || x.Vectors().Len() != 0 {
		t.Errorf("vectors of %q", x.Vectors().Model())
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
