package embedding

import (
	"context"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// How long a provider that fails is left alone: longer each time.
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

// health is whether the provider works.
type health struct {
	mu    sync.Mutex
	err   error         // nil: it does
	moved chan struct{} // has a token when it began to fail
}

func newHealth() health { return health{moved: make(chan struct{}, 1)} }

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

// become takes over how the last request went, and reports whether that is
// another thing than before.
func (h *health) become(err error) (news bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	news = (h.err == nil) != (err == nil)
	h.err = err
	return news
}

// note tells how a request to the provider went. The log has a line when it
// begins to fail and one when it is back.
func (x *Index) note(err error) {
	if !x.health.become(err) {
		return
	}
	if err == nil {
		x.Log.Info("search by meaning works again", "provider", x.Settings.Provider, "model", x.name)
		return
	}
	x.Log.Warn("search by meaning does not work, tools are found by their words alone", "provider", x.Settings.Provider, "model", x.name, "error", err)
	select {
	case x.health.moved <- struct{}{}:
	default:
	}
}

// kept logs what failed in the store; false when something did.
func (x *Index) kept(ctx context.Context, err error) bool {
	if err != nil && ctx.Err() == nil {
		x.Log.Warn("vectors of tools cannot be kept", "error", err)
	}
	return err == nil
}
