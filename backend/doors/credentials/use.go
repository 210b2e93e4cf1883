package credentials

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

const (
	// usedStep is the resolution of Credential.Used. A busy client sends its token too often to store each use.
	usedStep = time.Minute
	// storeTimeout limits the time of one write, also while the hub stops.
	storeTimeout = 5 * time.Second
)

// note makes Run store the use of a token, at most once per usedStep. The caller holds mu.
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

// Run stores the uses of tokens until ctx ends. Before it returns, it stores the remaining ones.
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

// write stores the uses since its last call. It does so even if ctx has ended, because they would be lost otherwise.
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
