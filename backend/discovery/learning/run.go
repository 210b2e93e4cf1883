package learning

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

const (
	// patience is how long the store may take for what is new, also when the
	// hub ends.
	patience = 5 * time.Second
	// tidyEvery is how often what is too old is looked for.
	tidyEvery = 24 * time.Hour
)

// Run writes what is learned, as it comes, until ctx ends, and then what is
// left. A hub that is killed loses what came in its last moments.
func (l *Learning) Run(ctx context.Context) error {
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	l.tidy()
	for {
		select {
		case <-l.some:
			l.write(ctx)
		case <-tidy.C:
			l.tidy()
		case <-ctx.Done():
			l.write(ctx)
			return nil
		}
	}
}

func (l *Learning) wake() {
	select {
	case l.some <- struct{}{}:
	default: // it is about to look anyway
	}
}

// tidy drops what was of no use for too long.
func (l *Learning) tidy() {
	old := l.Now().Add(-life)
	l.mu.Lock()
	for _, p := range l.memory.byID {
		if p.Last.Before(old) {
			l.lost([]int64{l.memory.drop(p)})
		}
	}
	some := len(l.gone) > 0
	l.mu.Unlock()
	if some {
		l.wake()
	}
}

// write goes on when ctx ends: what it has taken is nowhere else. What the
// store does not take is tried again with what comes next.
func (l *Learning) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	l.writing.Lock()
	defer l.writing.Unlock()
	pairs, gone := l.take()
	if len(pairs) == 0 && len(gone) == 0 {
		return
	}
	if err := l.Store.KeepLearned(ctx, pairs, gone); err != nil {
		l.Log.Warn("what was learned is not kept", "count", len(pairs), "error", err)
		l.giveBack(pairs, gone)
	}
	events.Publish(l.Bus, Changed{})
}

func (l *Learning) take() (pairs []Pair, gone []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.dirty {
		pairs = append(pairs, l.memory.byID[id].Pair)
	}
	gone = l.gone
	l.gone = nil
	clear(l.dirty)
	return pairs, gone
}

func (l *Learning) giveBack(pairs []Pair, gone []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range pairs {
		if l.memory.byID[p.ID] != nil {
			l.dirty[p.ID] = true
		}
	}
	l.gone = append(l.gone, gone...)
}
