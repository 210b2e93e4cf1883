package updates

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// world has the dependencies of a check in memory, with one server of the version 1.0.0.
type world struct {
	mu     sync.Mutex
	asked  []time.Duration // times of the look-ups of the listing, since began
	began  time.Time
	latest map[int64]Latest
	digest string
}

func (w *world) Get(string) (registry.Server, error) { return w.ByID(1) }
func (w *world) ByID(int64) (registry.Server, error) {
	return registry.Server{ID: 1, Name: "weather"}, nil
}

func (w *world) Update(context.Context, string, func(*registry.Server)) (registry.Server, error) {
	return registry.Server{}, nil
}
func (w *world) Names(context.Context, string) ([]string, error) { return nil, nil }

func (w *world) Latest(context.Context, string) (listing.Listing, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, time.Since(w.began))
	return listing.Listing{Source: listing.NPM, Name: "weather", Version: "1.1.0"}, nil
}

func (w *world) Plan(_ context.Context, r plan.Request) (*plan.Plan, error) {
	if w.digest != "" {
		return &plan.Plan{Unresolved: plan.Digest, Download: &plan.Download{Kind: listing.KindOCI, Name: "weather", Version: "latest"}}, nil
	}
	return &plan.Plan{Version: r.Listing.Version}, nil
}

func (w *world) Start(installer.Progress, func(context.Context, *installer.Work) error) (installer.Progress, error) {
	return installer.Progress{}, nil
}

func (w *world) Digest(_ context.Context, reference string) (string, error) {
	return w.digest + reference, nil
}

func (w *world) Installs(context.Context, int64) ([]installer.Install, error) {
	return []installer.Install{
		{ID: 1, Server: 1, Current: true, Listing: listing.Listing{Source: listing.NPM, Name: "weather"}, Version: "1.0.0"},
	}, nil
}

func (w *world) SaveLatest(_ context.Context, server int64, l Latest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest[server] = l
	return nil
}

func (w *world) Latests(context.Context) (map[int64]Latest, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return map[int64]Latest{1: w.latest[1]}, nil
}

func (w *world) updates() *Updates {
	return New(Options{
		Registry: w, Listings: w, Images: w, Installer: w, Vault: w, Store: w, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler),
	})
}

func TestServersAreCheckedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{latest: make(map[int64]Latest), began: time.Now()}
		run := func(life time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), life)
			defer cancel()
			if err := w.updates().Run(ctx); err != nil {
				t.Error(err)
			}
		}
		run(50 * time.Hour)
		run(time.Hour) // after a restart
		want := []time.Duration{firstAfter, firstAfter + 24*time.Hour, firstAfter + 48*time.Hour}
		if len(w.asked) != len(want) {
			t.Fatalf("checked after %v", w.asked)
		}
		for i := range want {
			if late := w.asked[i] - want[i]; late < 0 || late > lookEvery {
				t.Errorf("check %d was made after %s, want %s", i, w.asked[i], want[i])
			}
		}
		if w.latest[1].Version != "1.1.0" {
			t.Errorf("got %+v", w.latest)
		}
	})
}

func TestTheDigestOfAnImageIsItsVersion(t *testing.T) {
	w := &world{latest: make(map[int64]Latest), digest: "sha256:of "}
	if all, err := w.updates().Check(t.Context()); err != nil || all[0].Latest != "sha256:of weather:latest" || !all[0].Updatable {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestTheAnswersOfAComparisonAreForgotten(t *testing.T) {
	now := time.Now()
	w := &world{}
	u := w.updates()
	u.options.Now = func() time.Time { return now }
	u.comparisons["weather"] = &compared{Comparison: Comparison{At: now}, server: 1, answers: map[string][]string{"TOKEN": {"s3cret"}}}
	s, _ := w.ByID(1)
	for _, test := range []struct {
		after time.Duration
		kept  bool
	}{{30 * time.Minute, true}, {31 * time.Minute, false}} {
		now = now.Add(test.after)
		u.forgetAnswers()
		if c, ok := u.last(s); !ok || (c.answers != nil) != test.kept {
			t.Errorf("after %s: %v", test.after, c.answers)
		}
	}
}
