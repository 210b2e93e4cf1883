package embedding_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

func TestEncodingUsesTheConfiguredNumberOfThreads(t *testing.T) {
	d := newFixture(t)
	d.list("many", numbered(9)...)
	both := make(chan struct{})
	var n atomic.Int32
	encoder := &words{before: func(string) {
		if n.Add(1) == 2 {
			close(both)
		}
		<-both // blocks until two texts are encoded concurrently
	}}
	x, _ := d.run(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 2}, encoder))
	d.awaitReady(x, 9)
	if encoder.most != 2 {
		t.Errorf("%d texts were encoded concurrently, want 2", encoder.most)
	}
}

func TestQueriesAreEncodedBeforeTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
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
		o.Clock, o.QueryTimeout = embedding.Clock{}, 0
		x, stop := d.run(o)
		defer stop()
		synctest.Wait()
		d.list("second", numbered(3)...)
		synctest.Wait() // the encoder now blocks while it encodes the first of the new tools
		answered := make(chan bool)
		go func() {
			_, ok := x.Query(t.Context(), "my question")
			answered <- ok
		}()
		synctest.Wait()
		close(gates["tool 0."])
		synctest.Wait()
		if got := encoder.encoded(); len(got) != 3 || !strings.Contains(got[1], "tool 0.") || got[2] != "my question" {
			t.Errorf("encoded %q, want the query before the second tool", got)
		}
		close(gates["my question"])
		if ok := <-answered; !ok {
			t.Error("the query has no vector")
		}
		synctest.Wait()
		if s := x.Status(); s.Ready != 4 || s.Working {
			t.Errorf("after the query, the status is %+v", s)
		}
		if _, ok := x.Query(t.Context(), "my  question "); !ok || len(encoder.encoded()) != 5 {
			t.Errorf("the repeated query: %v, encoded %q", ok, encoder.encoded())
		}
	})
}

func TestAnIdleEncoderIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
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
		}{
			{59 * time.Second, true, 0},
			{59 * time.Second, false, 0},
			{time.Second, false, 1},
			{time.Hour, true, 1},
			{time.Minute, false, 2},
		} {
			time.Sleep(wait.passes) // virtual
			synctest.Wait()
			if wait.ask {
				if _, ok := x.Query(t.Context(), fmt.Sprint("question ", time.Now())); !ok {
					t.Error("the query has no vector")
				}
			}
			synctest.Wait()
			if n := encoder.releases(); n != wait.released {
				t.Errorf("after %v: released %d times, want %d", wait.passes, n, wait.released)
			}
		}
	})
}
