package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// fakeHubs simulates the hubs of a supervisor. Each hub runs for the next duration in lifetimes; when none is left, a
// hub runs for ever. A hub with lifetime 0 cannot be reached, and a hub with a negative lifetime cannot be started.
type fakeHubs struct {
	lifetimes []time.Duration
	stopped   bool

	began   time.Time
	starts  []time.Duration // times of the starts, counted from began
	reports []string
}

func (h *fakeHubs) supervisor() supervisor {
	h.began = time.Now()
	next := func() time.Duration {
		if len(h.lifetimes) == 0 {
			return time.Hour * 1000
		}
		return h.lifetimes[0]
	}
	used := func() {
		if len(h.lifetimes) > 0 {
			h.lifetimes = h.lifetimes[1:]
		}
	}
	return supervisor{
		stopped: func() bool { return h.stopped },
		ensure: func(context.Context) (instance.Info, error) {
			h.starts = append(h.starts, time.Since(h.began))
			if next() < 0 {
				used()
				return instance.Info{}, fault.New(fault.Unavailable, "disk full")
			}
			return instance.Info{}, nil
		},
		follow: func(ctx context.Context, _ instance.Info) error {
			lifetime := next()
			used()
			if lifetime == 0 {
				return fault.New(fault.Unavailable, "no answer")
			}
			select {
			case <-time.After(lifetime):
			case <-ctx.Done():
			}
			return nil
		},
		report: func(current phase, problem string) {
			h.reports = append(h.reports, strings.TrimSpace(fmt.Sprint(current, " ", problem)))
		},
		wake: make(chan struct{}, 1),
	}
}

func TestTheDelayDoublesWhileTheHubKeepsDying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lifetime := 100 * time.Millisecond
		h := &fakeHubs{lifetimes: slices.Repeat([]time.Duration{lifetime}, 9)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		h.supervisor().run(ctx)
		var delays []time.Duration
		for i := 1; i < len(h.starts); i++ {
			delays = append(delays, h.starts[i]-h.starts[i-1]-lifetime)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}
		for i := range want {
			want[i] *= time.Second
		}
		if h.starts[0] != 0 || !slices.Equal(delays, want) {
			t.Errorf("hubs started at %v: delays %v, want %v", h.starts, delays, want)
		}
	})
}

func TestAStableHubResetsTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fakeHubs{lifetimes: []time.Duration{time.Second, time.Second, time.Second, 61 * time.Second}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		h.supervisor().run(ctx)
		if last := h.starts[4] - h.starts[3]; last != 62*time.Second {
			t.Errorf("the last hub started %v after the previous one, want 62 s", last)
		}
	})
}

func TestTheProblemIsReportedUntilAHubRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fakeHubs{lifetimes: []time.Duration{-1, 0, time.Second}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		h.supervisor().run(ctx)
		report := func(p phase, problem string) string { return strings.TrimSpace(fmt.Sprint(p, " ", problem)) }
		want := []string{
			report(starting, ""), report(failing, "disk full"), report(failing, "disk full"), report(failing, "no answer"),
			report(failing, "no answer"), report(restarting, ""), report(restarting, ""),
		}
		if !slices.Equal(h.reports, want) {
			t.Errorf("reports: got %q, want %q", h.reports, want)
		}
	})
}

func TestAHubThatTheUserStoppedStaysStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fakeHubs{lifetimes: []time.Duration{time.Second}}
		sv := h.supervisor()
		follow := sv.follow
		sv.follow = func(ctx context.Context, info instance.Info) error {
			defer func() { h.stopped = len(h.starts) == 1 }()
			return follow(ctx, info)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { sv.run(ctx); close(done) }()
		<-time.After(time.Hour)
		synctest.Wait()
		if len(h.starts) != 1 || h.reports[len(h.reports)-1] != fmt.Sprint(stopped) {
			t.Errorf("got %d starts and reports %v, want one start and stopped as the last report", len(h.starts), h.reports)
		}
		h.stopped = false
		sv.wake <- struct{}{}
		synctest.Wait()
		if len(h.starts) != 2 {
			t.Errorf("after a wake-up: got %d starts, want 2", len(h.starts))
		}
		cancel()
		<-done
	})
}

func TestTheSupervisorEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, h := range []*fakeHubs{{}, {stopped: true}, {lifetimes: []time.Duration{-1, -1, -1}}} {
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan struct{})
			go func() { h.supervisor().run(ctx); close(done) }()
			synctest.Wait()
			cancel(errors.New("enough"))
			<-done
		}
	})
}
