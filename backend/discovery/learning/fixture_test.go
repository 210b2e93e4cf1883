package learning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// memoryStore is a store in memory that fails while failing is set.
type memoryStore struct {
	mu      sync.Mutex
	pairs   map[int64]Pair
	set     *Switch
	last    int64 // greatest ID of any pair
	failing bool
}

func (k *memoryStore) Learned(context.Context) (Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := Kept{LastID: k.last, Switch: k.set}
	for _, p := range k.pairs {
		out.Pairs = append(out.Pairs, p)
	}
	return out, k.failure()
}

func (k *memoryStore) KeepLearned(_ context.Context, pairs []Pair, deleted []int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing {
		return k.failure()
	}
	for _, p := range pairs {
		k.pairs[p.ID], k.last = p, max(k.last, p.ID)
	}
	for _, id := range deleted {
		delete(k.pairs, id)
	}
	return nil
}

func (k *memoryStore) EraseLearned(_ context.Context, ids []int64) error {
	if ids == nil {
		for id := range k.pairs {
			ids = append(ids, id)
		}
	}
	return k.KeepLearned(context.Background(), nil, ids)
}

func (k *memoryStore) KeepLearningSwitch(_ context.Context, s Switch) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.failing {
		k.set = &s
	}
	return k.failure()
}

func (k *memoryStore) failure() error {
	if k.failing {
		return errors.New("disk gone")
	}
	return nil
}

// fixture is a Learning with a clock and a store that the test controls.
type fixture struct {
	*Learning
	t     testing.TB
	store *memoryStore
	clock time.Time
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	d := &fixture{t: t, store: &memoryStore{pairs: make(map[int64]Pair)}, clock: time.Unix(1790000000, 0)}
	d.open(true)
	return d
}

// open creates the Learning, as after a restart; on is the value in config.yaml.
func (d *fixture) open(on bool) {
	d.t.Helper()
	var err error
	d.Learning, err = Open(context.Background(), Options{
		Store: d.store, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), On: on, Now: func() time.Time { return d.clock },
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// stored writes the changes as Run does and returns the stored pairs.
func (d *fixture) stored() map[int64]Pair {
	d.write(context.Background())
	return d.store.pairs
}

func key(name string) catalog.Key { return catalog.Key{Server: "s", Tool: name} }

func keys(names string) []catalog.Key {
	var out []catalog.Key
	for _, name := range strings.Fields(names) {
		out = append(out, key(name))
	}
	return out
}

// play runs a script of steps in one session, separated by semicolons:
//
//	ask QUERY > TOOLS | QUERY > TOOLS    one request and the tools it showed
//	ok TOOL                              a successful call
//	fail TOOL                            a failed call
//	wait DURATION                        time passes
func (d *fixture) play(script string) {
	d.t.Helper()
	for line := range strings.SplitSeq(script, ";") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "ask":
			var answers []Answer
			for need := range strings.SplitSeq(rest, "|") {
				query, shown, _ := strings.Cut(need, ">")
				answers = append(answers, Answer{query, keys(shown)})
			}
			d.Asked("one", answers...)
		case "ok", "fail":
			d.Called("one", key(rest), verb == "ok")
		case "wait":
			wait, err := time.ParseDuration(rest)
			if err != nil {
				d.t.Fatal(err)
			}
			d.clock = d.clock.Add(wait)
		default:
			d.t.Fatalf("unknown step %q", line)
		}
	}
}

// learned returns all pairs in the order they were added, as "QUERY=TOOL TIMES"
// or "QUERY=TOOL TIMES-FAILURES".
func (d *fixture) learned() string {
	all := d.All()
	slices.SortFunc(all, func(a, b Learned) int { return int(a.ID - b.ID) })
	var out []string
	for _, l := range all {
		text := fmt.Sprintf("%s=%s %d", l.Query, l.Tool.Tool, l.Times)
		if l.Failed > 0 {
			text += fmt.Sprintf("-%d", l.Failed)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// teach records a query and a successful call of a tool for it, the given number of times, an hour apart.
func (d *fixture) teach(query, tool string, times int) {
	for range times {
		d.clock = d.clock.Add(time.Hour)
		d.Asked("teacher", Answer{query, keys(tool)})
		d.Called("teacher", key(tool), true)
	}
}

// strength returns the strength of a tool's lift for a query, or 0.
func (d *fixture) strength(query, tool string) float64 {
	for _, lift := range d.Lifts(query) {
		if lift.Tool == tool {
			return lift.Strength
		}
	}
	return 0
}
