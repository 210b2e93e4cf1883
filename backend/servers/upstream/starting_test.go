package upstream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAStartGoesOnWhileSomethingMoves(t *testing.T) {
	for _, row := range []struct {
		moves int // one each 40 seconds
		after time.Duration
		spent string
	}{
		{0, time.Minute, "within 1m0s"},
		{3, 3 * time.Minute, "within 3m0s, and wrote nothing for the last 1m0s"},
		{100, 10 * time.Minute, "within 10m0s, although it kept writing"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, attempt := time.Now(), newStarting(t.Context(), time.Minute)
			defer attempt.stop()
			child, cancel := context.WithCancel(attempt)
			defer cancel()
			go func() {
				for range row.moves {
					select {
					case <-time.After(40 * time.Second):
						attempt.moved()
					case <-child.Done():
						return
					}
				}
			}()
			<-child.Done()
			if took := time.Since(began); took != row.after || !errors.Is(attempt.Err(), context.DeadlineExceeded) ||
				!errors.Is(child.Err(), context.DeadlineExceeded) {
				t.Errorf("%d moves: ended after %s with %v, %v", row.moves, took, attempt.Err(), child.Err())
			}
			if got := attempt.spent(); got != row.spent {
				t.Errorf("%d moves: %q, want %q", row.moves, got, row.spent)
			}
		})
	}
}

func TestAStartEndsWithItsParent(t *testing.T) {
	parent, cancel := context.WithCancelCause(t.Context())
	attempt := newStarting(parent, time.Hour)
	defer attempt.stop()
	why := errors.New("stopped")
	cancel(why)
	<-attempt.Done()
	if !errors.Is(attempt.Err(), context.Canceled) || !errors.Is(context.Cause(attempt), why) {
		t.Errorf("got %v because of %v", attempt.Err(), context.Cause(attempt))
	}
}
