// Package events answers who wants to know: a typed fan-out inside the hub.
// It keeps nothing and waits for nobody. A subscriber that does not read in
// time is dropped; it sees its channel closed and fetches the state anew.
package events

import (
	"reflect"
	"sync"
)

// Bus carries events of any type. The zero value is ready; all functions on it
// are safe for concurrent use.
type Bus struct {
	mu   sync.RWMutex
	subs map[reflect.Type]map[*subscription]struct{}
}

type subscription struct {
	send  func(any) bool // false: full
	close func()
}

// Publish hands e to every subscriber of its type, without blocking.
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

// HasSubscribers reports whether anybody waits for events of type E, at the
// cost of one look into a map. The answer may be old when it is read.
func HasSubscribers[E any](b *Bus) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.subs[reflect.TypeFor[E]()]) > 0
}

// Subscribe returns a channel of events of type E with room for buffer of
// them. It is closed by stop, or when the subscriber fell behind.
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

// Signal puts a token into a channel whenever events of type E are published,
// until stop. A token that is not taken yet stands for those that follow, so
// that a signal is never behind; several types may share a channel, which needs
// room for one.
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
