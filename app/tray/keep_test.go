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

// played is a keeper over hubs that live as long as a test says; a hub of no
// lifetime cannot be reached, one of a negative cannot be started.
type played struct {
	lives   []time.Duration
	stopped bool

	began  time.Time
	starts []time.Duration // since the beginning
	told   []string
}

func (p *played) keeper() keeper {
	p.began = time.Now()
	next := func() time.Duration {
		if len(p.lives) == 0 {
			return time.Hour * 1000
		}
		return p.lives[0]
	}
	used := func() {
		if len(p.lives) > 0 {
			p.lives = p.lives[1:]
		}
	}
	return keeper{
		stopped: func() bool { return p.stopped },
		ensure: func(context.Context) (instance.Info, error) {
			p.starts = append(p.starts, time.Since(p.began))
			if next() < 0 {
				used()
				return instance.Info{}, fault.New(fault.Unavailable, "no room")
			}
			return instance.Info{}, nil
		},
		follow: func(ctx context.Context, _ instance.Info) error {
			life := next()
			used()
			if life == 0 {
				return fault.New(fault.Unavailable, "no answer")
			}
			select {
			case <-time.After(life):
			case <-ctx.Done():
			}
			return nil
		},
		report: func(now phase, problem string) {
			p.told = append(p.told, strings.TrimSpace(fmt.Sprint(now, " ", problem)))
		},
		wake: make(chan struct{}, 1),
	}
}

func TestAHubThatDiesAgainAndAgainIsStartedEverMoreSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dies := 100 * time.Millisecond
		p := &played{lives: []time.Duration{dies, dies, dies, dies, dies, dies, dies, dies, dies}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		p.keeper().run(ctx)
		var between []time.Duration
		for i := 1; i < len(p.starts); i++ {
			between = append(between, p.starts[i]-p.starts[i-1]-dies)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}
		for i := range want {
			want[i] *= time.Second
		}
		if p.starts[0] != 0 || !slices.Equal(between, want) {
			t.Errorf("started at %v: after %v, want %v", p.starts, between, want)
		}
	})
}

func TestAHubThatLivedForAMinuteIsReplacedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{lives: []time.Duration{time.Second, time.Second, time.Second, 61 * time.Second}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		p.keeper().run(ctx)
		if last := p.starts[4] - p.starts[3]; last != 62*time.Second {
			t.Errorf("the last started %v after the one before", last)
		}
	})
}

func TestWhyThereIsNoHubIsSaidUntilThereIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{lives: []time.Duration{-1, 0, time.Second}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		p.keeper().run(ctx)
		say := func(now phase, why string) string { return strings.TrimSpace(fmt.Sprint(now, " ", why)) }
		want := []string{
			say(starting, ""), say(failing, "no room"), say(failing, "no room"), say(failing, "no answer"), say(failing, "no answer"),
			say(restarting, ""), say(restarting, ""),
		}
		if !slices.Equal(p.told, want) {
			t.Errorf("it said %q, want %q", p.told, want)
		}
	})
}

func TestAHubThatTheUserStoppedStaysStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{lives: []time.Duration{time.Second}}
		k := p.keeper()
		follow := k.follow
		k.follow = func(ctx context.Context, info instance.Info) error {
			defer func() { p.stopped = len(p.starts) == 1 }()
			return follow(ctx, info)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { k.run(ctx); close(done) }()
		<-time.After(time.Hour)
		synctest.Wait()
		if len(p.starts) != 1 || p.told[len(p.told)-1] != fmt.Sprint(stopped) {
			t.Errorf("started %d times, said %v", len(p.starts), p.told)
		}
		p.stopped = false
		k.wake <- struct{}{}
		synctest.Wait()
		if len(p.starts) != 2 {
			t.Errorf("woken, it started %d times", len(p.starts))
		}
		cancel()
		<-done
	})
}

func TestAKeeperEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, p := range []*played{{}, {stopped: true}, {lives: []time.Duration{-1, -1, -1}}} {
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan struct{})
			go func() { p.keeper().run(ctx); close(done) }()
			synctest.Wait()
			cancel(errors.New("enough"))
			<-done
		}
	})
}
