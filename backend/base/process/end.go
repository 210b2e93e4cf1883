package process

import (
	"context"
	"time"
)

// End asks the process to end, and ends it immediately if it still runs after the grace. It returns nil as soon as the
// process has ended. Unlike Kill, it leaves the other processes of the group alone.
func (id ID) End(ctx context.Context, grace time.Duration) error {
	var failed error
	for _, end := range []func(pid int) error{terminateOne, killOne} {
		if !id.Alive() {
			return nil
		}
		failed = end(id.PID)
		if failed == nil && id.AwaitEnd(ctx, grace, nil) {
			return nil
		}
	}
	switch {
	case !id.Alive():
		return nil
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return context.DeadlineExceeded
}

// AwaitEnd waits until the process has ended, and then returns true. It returns false after limit, if ctx ends, or as
// soon as enough, which may be nil, returns true.
func (id ID) AwaitEnd(ctx context.Context, limit time.Duration, enough func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(limit)
	for id.Alive() {
		if enough != nil && enough() {
			return false
		}
		select {
		case <-tick.C:
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}
