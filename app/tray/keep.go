package main

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	firstDelay = time.Second
	maxDelay   = time.Minute
	settled    = time.Minute // a hub that lived so long is not dying again and again
	lookAgain  = time.Second // whether the user takes back the wish to stop
)

// keeper keeps a hub running and follows it, as long as the user wants one.
type keeper struct {
	stopped func() bool                                  // the user's wish
	ensure  func(context.Context) (instance.Info, error) // the hub that runs, started if need be
	follow  func(context.Context, instance.Info) error   // until the hub is gone; an error when it was not reached
	report  func(now phase, problem string)              // never blocks
	wake    chan struct{}                                // with room for one: look now
}

// run returns when ctx ends.
func (k keeper) run(ctx context.Context) {
	now, problem, delay := starting, "", firstDelay
	for ctx.Err() == nil {
		if k.stopped() {
			k.report(stopped, "")
			now, problem, delay = starting, "", firstDelay
			k.wait(ctx, lookAgain)
			continue
		}
		k.report(now, problem)
		info, err := k.ensure(ctx)
		if err == nil {
			began := time.Now()
			err = k.follow(ctx, info)
			if err == nil && time.Since(began) >= settled {
				delay = firstDelay
			}
		}
		if ctx.Err() != nil || k.stopped() {
			continue
		}
		if now, problem = restarting, ""; err != nil {
			now, problem = failing, fault.MessageOf(err)
		}
		k.report(now, problem)
		k.wait(ctx, delay)
		delay = min(2*delay, maxDelay)
	}
}

func (k keeper) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-k.wake:
	case <-ctx.Done():
	}
}
