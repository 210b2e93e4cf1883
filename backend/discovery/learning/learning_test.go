package learning

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestNothingIsLearnedOrLiftedWhileSwitchedOff(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail", "a", 1)
	d.Asked("one", Answer{"open door", keys("b")})
	if err := d.Switch(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	d.Asked("two", Answer{"paint wall", keys("c")})
	d.Called("two", key("c"), true)
	if d.Lifts("read mail") != nil || d.On() || d.learned() != "read mail=a 1" {
		t.Errorf("lifts %v, learned %s", d.Lifts("read mail"), d.learned())
	}
	if err := d.Switch(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if d.Called("one", key("b"), true); d.learned() != "read mail=a 1" { // the query was asked before learning was switched off
		t.Errorf("learned %s", d.learned())
	}
	if d.strength("read mail", "a") < 0.49 {
		t.Error("the pair is not lifted after learning is switched on again")
	}
}

func TestTheNewerOfSwitchAndConfigurationApplies(t *testing.T) {
	d := newFixture(t)
	for _, c := range []struct {
		configured bool
		choice     *bool // made by a person while the hub runs
		want       bool  // after the start
	}{
		{true, new(false), true},
		{true, nil, false},
		{false, nil, false},
		{true, nil, true},
		{false, new(true), false},
		{false, nil, true},
		{true, nil, true},
		{false, nil, false},
	} {
		if d.open(c.configured); d.On() != c.want {
			t.Fatalf("%+v: learning is on: %v", c, d.On())
		}
		if c.choice != nil {
			if err := d.Switch(t.Context(), *c.choice); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestForgottenPairsAreErased(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail", "a", 1)
	d.teach("open door", "b", 1)
	d.Asked("one", Answer{"third thing", keys("c")})
	d.stored()
	if err := d.Forget(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("forgetting a pair twice returns %v, want NotFound", err)
	}
	if got := d.learned(); got != "open door=b 1" || len(d.stored()) != 1 || d.Lifts("read mail") != nil {
		t.Errorf("remaining pairs: %s; stored: %v", got, d.store.pairs)
	}
	if err := d.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Called("one", key("c"), true) // ForgetAll drops recent queries, too
	if got := d.learned(); got != "" || len(d.stored()) != 0 || d.Count() != 0 {
		t.Errorf("remaining pairs: %s; stored: %v", got, d.store.pairs)
	}
	if d.teach("new thing", "a", 1); d.All()[0].ID != 3 {
		t.Errorf("an ID was reused: %+v", d.All())
	}
	d.stored()
	if err := d.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.open(true)
	if d.teach("new thing", "a", 1); d.All()[0].ID != 4 {
		t.Errorf("an ID was reused: %+v", d.All())
	}
}

func TestPairsOfADeletedServerAreErased(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail", "a", 1)
	d.Asked("one", Answer{"read mail", []catalog.Key{{Server: "t", Tool: "a"}}})
	d.Called("one", catalog.Key{Server: "t", Tool: "a"}, true)
	if err := d.ForgetServer(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if lifts := d.Lifts("read mail"); len(lifts) != 1 || lifts[0].Server != "t" {
		t.Errorf("got %+v", lifts)
	}
	if err := d.ForgetServer(t.Context(), "nobody"); err != nil {
		t.Error(err)
	}
}

func TestAFailedWriteIsRepeated(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail", "a", 1)
	d.store.failing = true
	d.write(t.Context())
	for name, err := range map[string]error{
		"forget": d.Forget(t.Context(), 1), "forget all": d.ForgetAll(t.Context()), "switch": d.Switch(t.Context(), false),
	} {
		if err == nil {
			t.Errorf("%s: no error although the store fails", name)
		}
	}
	if d.learned() != "read mail=a 1" || !d.On() {
		t.Errorf("memory changed although the store failed: %s", d.learned())
	}
	d.store.failing = false
	if d.stored(); len(d.store.pairs) != 1 {
		t.Error("the failed write was not repeated")
	}
}

func TestHostileQueriesAreCut(t *testing.T) {
	for name, query := range map[string]string{
		"long words": strings.Repeat("x", 10_000), "many words": strings.Repeat("ab cd ", 1_700) + "end",
		"invalid text": strings.Repeat("\x00\xff\u202e", 2_500), "one letter": strings.Repeat("a ", 5_000), "marks": "a" +
			strings.Repeat("\u0301", 5_000),
		"words": func() string {
			var b strings.Builder
			for i := range 2_000 {
				fmt.Fprintf(&b, "w%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
			}
			return b.String()
		}(),
		"quotes": `'; DROP TABLE learned; -- "` + strings.Repeat("\n\t", 5_000),
	} {
		d := newFixture(t)
		d.Asked("one", Answer{query, keys("a")})
		d.Called("one", key("a"), true)
		d.Lifts(query)
		for _, l := range d.All() {
			if n := len([]rune(l.Query)); n > maxText || strings.ContainsAny(l.Query, "\n\t") {
				t.Errorf("%s: %d characters are kept: %q", name, n, l.Query)
			}
			if lifts := d.Lifts(query); len(lifts) != 1 || lifts[0].Strength != 0.5 {
				t.Errorf("%s: the lifts of the same query are %+v", name, lifts)
			}
			again := &fixture{t: t, store: &memoryStore{pairs: d.stored()}, clock: d.clock}
			if again.open(true); len(again.Lifts(query)) != 1 || again.Lifts(query)[0].Strength != 0.5 {
				t.Errorf("%s: after a restart, the lifts are %+v", name, again.Lifts(query))
			}
		}
	}
}

func TestQueriesAreRedacted(t *testing.T) {
	d := newFixture(t)
	d.redact = func(text string, n int) (string, bool) {
		return strings.ReplaceAll(text, "swordfish", "[redacted]"), false
	}
	d.teach("log in with swordfish", "a", 1)
	if got := d.learned(); got != "log in with [redacted]=a 1" {
		t.Errorf("learned %s", got)
	}
	if got := d.Lifts("log in with swordfish"); len(got) != 1 || got[0].Strength != 0.5 || strings.Contains(fmt.Sprint(got), "swordfish") {
		t.Errorf("got %+v", got)
	}
}

func TestConcurrentUseIsSafe(t *testing.T) {
	d := newFixture(t)
	changes, stop := events.Subscribe[Changed](d.bus, 100_000)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			session := fmt.Sprint(i)
			for j := range 300 {
				query := fmt.Sprintf("need %c%c of many", 'a'+j%26, 'a'+i)
				d.Asked(session, Answer{query, keys("a b c")})
				d.Lifts(query)
				d.Called(session, key("b"), j%5 != 0)
				switch j % 50 {
				case 10:
					_ = d.Forget(ctx, int64(j)) // another goroutine may have erased it
				case 20:
					_ = d.ForgetServer(ctx, "other")
				case 30:
					_ = d.Switch(ctx, true)
				case 40:
					d.All()
				}
			}
			if i == 0 {
				_ = d.ForgetAll(ctx)
			}
		})
	}
	all.Wait()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		t.Error("no Changed event was published")
	}
	stored := d.store.pairs
	if d.Count() != len(stored) {
		t.Errorf("got %d pairs and %d stored ones", d.Count(), len(stored))
	}
	for _, l := range d.All() {
		if stored[l.ID] != l.Pair {
			t.Errorf("pair %+v is stored as %+v", l.Pair, stored[l.ID])
		}
	}
}
