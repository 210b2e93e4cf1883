package learning

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

const (
	// writeTimeout limits a write to the store, including the last one at
	// shutdown.
	writeTimeout = 5 * time.Second
	// tidyEvery is the interval between searches for pairs that are too old.
	tidyEvery = 24 * time.Hour
)

// Run stores what is learned and drops old pairs until ctx ends, and then
// stores the remaining changes. A hub that is killed loses the changes of its
// last moments.
func (l *Learning) Run(ctx context.Context) error {
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	l.tidy()
	for {
		select {
		case <-l.changes:
			l.write(ctx)
		case <-tidy.C:
			l.tidy()
		case <-ctx.Done():
			l.write(ctx)
			return nil
		}
	}
}

// wake makes Run store the changes.
func (l *Learning) wake() {
	select {
	case l.changes <- struct{}{}:
	default: // Run has a pending signal
	}
}

// tidy drops pairs that have not been used for maxAge.
func (l *Learning) tidy() {
	old := l.expired(maxAge)
	l.mu.Lock()
	for _, p := range l.memory.byID {
		if p.Last.Before(old) {
			l.markDeleted([]int64{l.memory.drop(p)})
		}
	}
	changed := len(l.deleted) > 0
	l.mu.Unlock()
	if changed {
		l.wake()
	}
}

// write stores the changes. It completes even if ctx ends meanwhile, because
// take has removed them from the queue. Changes that cannot be stored are
// queued again.
func (l *Learning) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	l.writing.Lock()
	defer l.writing.Unlock()
	pairs, deleted := l.take()
	if len(pairs) == 0 && len(deleted) == 0 {
		return
	}
	if err := l.store.KeepLearned(ctx, pairs, deleted); err != nil {
		l.log.Warn("could not store what was learned", "count", len(pairs), "error", err)
		l.requeue(pairs, deleted)
	}
	events.Publish(l.bus, Changed{})
}

// take removes and returns the queued changes.
func (l *Learning) take() (pairs []Pair, deleted []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.dirty {
		pairs = append(pairs, l.memory.byID[id].Pair)
	}
	deleted = l.deleted
	l.deleted = nil
	clear(l.dirty)
	return pairs, deleted
}

// requeue queues changes that could not be stored. Pairs that were dropped
// meanwhile are left out.
func (l *Learning) requeue(pairs []Pair, deleted []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range pairs {
		if l.memory.byID[p.ID] != nil {
			l.dirty[p.ID] = true
		}
	}
	l.deleted = append(l.deleted, deleted...)
}
