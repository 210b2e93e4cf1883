// Package events passes events between the parts of the hub: publishers send
// values of any type, and subscribers receive those of one type. Events are not
// stored, and publishing never waits. A subscriber that falls behind is dropped:
// its channel is closed, and it has to fetch the current state again.
package events

import (
	"reflect"
	"sync"
)

// Bus carries events of all types. The zero value is ready to use. All functions
// on a Bus are safe for concurrent use.
type Bus struct {
	mu   sync.RWMutex
	subs map[reflect.Type]map[*subscription]struct{}
}

type subscription struct {
	send  func(any) bool // returns false if the channel is full
	close func()
}

// Publish sends e to every subscriber of its type, without waiting.
func Publish[E any](b *Bus, e E) {
	kind := reflect.TypeFor[E]()
	var slow []*subscription
	b.mu.RLock()
	for s := range b.subs[kind] {
		if !s.send(e) {
			slow = append(slow, s)
		}
	}
	b.mu.RUnlock()
	for _, s := range slow {
		b.drop(kind, s)
	}
}

// HasSubscribers reports whether events of type E have subscribers, so that
// publishers can skip the work for an event that nobody receives.
func HasSubscribers[E any](b *Bus) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.subs[reflect.TypeFor[E]()]) > 0
}

// Subscribe returns a channel with a buffer for events of type E. The channel is
// closed by stop, or when its buffer is full at the next event.
func Subscribe[E any](b *Bus, buffer int) (events <-chan E, stop func()) {
	kind := reflect.TypeFor[E]()
	ch := make(chan E, buffer)
	s := &subscription{close: func() { close(ch) }}
	s.send = func(e any) bool {
		select {
		case ch <- e.(E):
			return true
		default:
			return false
		}
	}
	b.add(kind, s)
	return ch, func() { b.drop(kind, s) }
}

// Signal sends a token to a channel when an event of type E is published, until
// stop is called. If the channel is full, no further token is sent: the token in it
// announces all events since it was sent. The channel needs a buffer of one, and
// several event types may share it.
func Signal[E any](b *Bus, to chan<- struct{}) (stop func()) {
	kind := reflect.TypeFor[E]()
	s := &subscription{close: func() {}}
	s.send = func(any) bool {
		select {
		case to <- struct{}{}:
		default:
		}
		return true
	}
	b.add(kind, s)
	return func() { b.drop(kind, s) }
}

func (b *Bus) add(kind reflect.Type, s *subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = make(map[reflect.Type]map[*subscription]struct{})
	}
	if b.subs[kind] == nil {
		b.subs[kind] = make(map[*subscription]struct{})
	}
	b.subs[kind][s] = struct{}{}
}

func (b *Bus) drop(kind reflect.Type, s *subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.subs[kind][s]; ok {
		delete(b.subs[kind], s)
		s.close()
	}
}
