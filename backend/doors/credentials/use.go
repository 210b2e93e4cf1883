package credentials

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

const (
	// usedStep is how exact Credential.Used is. A busy client shows its token many times a
	// second, and each stored use is a write.
	usedStep = time.Minute
	// storeTimeout limits the time of one write, even when the hub stops.
	storeTimeout = 5 * time.Second
)

// note makes Run store that a token was used. It is called with mu held.
func (k *Keeper) note(g *Grant) {
	now := time.Now()
	if now.Sub(g.used) < usedStep {
		return
	}
	g.used, k.used[g.ID] = now, now
	select {
	case k.pending <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// Run stores when tokens are used until ctx ends, and then the remaining uses.
func (k *Keeper) Run(ctx context.Context) error {
	for {
		select {
		case <-k.pending:
			k.write(ctx)
		case <-ctx.Done():
			k.write(ctx)
			return nil
		}
	}
}

// write stores all noted uses. It continues after ctx has ended, because they would be
// lost otherwise.
func (k *Keeper) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	k.mu.Lock()
	used := k.used
	k.used = make(map[string]time.Time)
	k.mu.Unlock()
	if len(used) == 0 {
		return
	}
	if err := k.store.MarkUsed(ctx, used); err != nil {
		k.log.Warn("could not store when tokens were used", "error", err)
	}
	events.Publish(k.bus, Changed{})
}
