package embedding

import (
	"context"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// The shortest and longest pauses between requests to a failing provider; each
// failure doubles the pause.
const (
	firstPause = time.Second
	lastPause  = 5 * time.Minute
)

func backoff(failures int) time.Duration {
	pause := firstPause
	for ; failures > 1 && pause < lastPause; failures-- {
		pause *= 2
	}
	return min(pause, lastPause)
}

// health records whether the provider works.
type health struct {
	mu     sync.Mutex
	err    error         // of the last request; nil: the provider works
	failed chan struct{} // contains a value when the provider has begun to fail
}

func (h *health) failing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil
}

func (h *health) problem() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		return ""
	}
	return fault.MessageOf(h.err)
}

// recordOutcome records the outcome of a request to the provider. It logs once
// when the provider begins to fail and once when it works again.
func (x *Index) recordOutcome(err error) {
	x.health.mu.Lock()
	changed := (x.health.err == nil) != (err == nil)
	x.health.err = err
	x.health.mu.Unlock()
	if !changed {
		return
	}
	if err == nil {
		x.log.Info("search by meaning works again", "provider", x.settings.Provider, "model", x.model)
		return
	}
	x.log.Warn("search by meaning does not work; searching by words alone", "provider", x.settings.Provider, "model", x.model, "error", err)
	select {
	case x.health.failed <- struct{}{}:
	default:
	}
}

// logStoreError logs an error of the store, unless ctx has ended, and reports
// whether err is nil.
func (x *Index) logStoreError(ctx context.Context, err error) bool {
	if err != nil && ctx.Err() == nil {
		x.log.Warn("could not access the stored vectors", "error", err)
	}
	return err == nil
}
