package main

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	firstDelay   = time.Second // before the first restart; each further one doubles it, up to maxDelay
	maxDelay     = time.Minute
	stableAfter  = time.Minute // a hub that ran this long resets the delay to firstDelay
	pollInterval = time.Second // how often the stop request is read while the hub is stopped
)

// supervisor keeps a hub running and follows its events, unless the user has stopped it.
type supervisor struct {
	stopped func() bool                                  // reports whether the user has stopped the hub
	ensure  func(context.Context) (instance.Info, error) // returns the running hub and starts one if necessary
	follow  func(context.Context, instance.Info) error   // returns nil when the connection ends, and an error if it fails to connect
	report  func(p phase, problem string)                // must not block
	wake    chan struct{}                                // has a capacity of one; ends the current wait
}

// run runs the supervisor until ctx ends.
func (s supervisor) run(ctx context.Context) {
	current, problem, delay := starting, "", firstDelay
	for ctx.Err() == nil {
		if s.stopped() {
			s.report(stopped, "")
			current, problem, delay = starting, "", firstDelay
			s.wait(ctx, pollInterval)
			continue
		}
		s.report(current, problem)
		info, err := s.ensure(ctx)
		if err == nil {
			began := time.Now()
			err = s.follow(ctx, info)
			if err == nil && time.Since(began) >= stableAfter {
				delay = firstDelay
			}
		}
		if ctx.Err() != nil || s.stopped() {
			continue
		}
		if current, problem = restarting, ""; err != nil {
			current, problem = failing, fault.MessageOf(err)
		}
		s.report(current, problem)
		s.wait(ctx, delay)
		delay = min(2*delay, maxDelay)
	}
}

func (s supervisor) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.wake:
	case <-ctx.Done():
	}
}
