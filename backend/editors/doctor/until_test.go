package doctor_test

import (
	"context"
	"testing"
	"time"
)

// contextUntil returns a context that ends when done returns true, or after a
// minute.
func contextUntil(t *testing.T, done func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil && !done() {
			<-tick.C
		}
		cancel()
	}()
	return ctx, cancel
}
