package doctor_test

import (
	"context"
	"testing"
	"time"
)

// contextUntil is a context that ends when something has become so.
func contextUntil(t *testing.T, so func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil && !so() {
			<-tick.C
		}
		cancel()
	}()
	return ctx, cancel
}
