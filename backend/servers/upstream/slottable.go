package upstream

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// slotTable holds the slots of all targets. It is safe for concurrent use. A goroutine that holds the lock of the table
// may lock a slot, but a goroutine that holds the lock of a slot must not lock the table.
type slotTable struct {
	manager *Manager // manager of new slots

	mu     sync.Mutex
	slots  map[Target]*slot
	closed error // why no server may start; nil if servers may start
}

// of returns the slot of a target, or nil.
func (t *slotTable) of(at Target) *slot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.slots[at]
}

// shared returns the slot that clients of a server share, or nil.
func (t *slotTable) shared(name string) *slot { return t.of(Target{Server: name}) }

// ofServer returns all slots of a server. The shared one is first.
func (t *slotTable) ofServer(name string) []*slot {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []*slot
	for at, s := range t.slots {
		if at.Server == name {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *slot) int {
		if a.target.Client == b.target.Client && a.target.Second != b.target.Second {
			return map[bool]int{false: -1, true: 1}[a.target.Second]
		}
		return cmp.Compare(a.target.Client, b.target.Client)
	})
	return found
}

// take removes the slots whose targets match, and returns them.
func (t *slotTable) take(match func(Target) bool) (taken []*slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, s := range t.slots {
		if match(at) {
			taken = append(taken, s)
			delete(t.slots, at)
		}
	}
	return taken
}

// open returns the slot of a target and creates it if necessary.
func (t *slotTable) open(at Target) *slot {
	t.mu.Lock()
	defer t.mu.Unlock()
	shared := t.slots[Target{Server: at.Server}]
	if shared == nil {
		began := time.Now().UnixMicro() // greater than any number that an earlier hub has used
		shared = &slot{
			manager: t.manager, target: Target{Server: at.Server}, closed: t.closed, output: newOutput(),
			messages: &messageLog{bus: t.manager.bus, server: at.Server, first: began, next: began},
		}
		shared.shared = shared
		t.slots[shared.target] = shared
	}
	s := t.slots[at]
	if s == nil {
		s = &slot{manager: t.manager, target: at, shared: shared, output: shared.output, messages: shared.messages, closed: t.closed}
		t.slots[at] = s
	}
	return s
}

// running returns a session with a server, preferably the shared one, or nil.
func (t *slotTable) running(name string) *session {
	for _, s := range t.ofServer(name) {
		if session := s.running(); session != nil {
			return session
		}
	}
	return nil
}

// all returns the slots in any order.
func (t *slotTable) all() []*slot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.slots))
}

// current returns the first session at a target if it accepts calls, or else the second one if that does. Otherwise it
// returns nil.
func (t *slotTable) current(at Target) *session {
	for _, second := range []bool{false, true} {
		at.Second = second
		if s := t.of(at); s != nil {
			if session := s.running(); session != nil && !session.use.ending() {
				return session
			}
		}
	}
	return nil
}

// inFlight returns the number of calls in flight in all sessions.
func (t *slotTable) inFlight() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, s := range t.slots {
		if session := s.running(); session != nil {
			n += session.use.callsInFlight()
		}
	}
	return n
}

// paused reports whether pause was called, and resume has not been called since.
func (t *slotTable) paused() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Is(t.closed, ErrPaused)
}

// pause makes all slots refuse starts until resume is called, and begins to end their sessions.
func (t *slotTable) pause() (stopping *sync.WaitGroup) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed == nil {
		t.closed = ErrPaused
	}
	stopping = &sync.WaitGroup{}
	for _, s := range t.slots {
		s.mu.Lock()
		if s.closed == nil {
			s.closed = ErrPaused
		}
		s.mu.Unlock()
		stopping.Go(func() { s.end(ErrPaused) })
	}
	return stopping
}

func (t *slotTable) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.closed, ErrPaused) {
		t.closed = nil
	}
	for _, s := range t.slots {
		s.mu.Lock()
		if errors.Is(s.closed, ErrPaused) {
			s.closed = nil
		}
		s.mu.Unlock()
	}
}

// close closes all slots, and returns when their processes have ended. Slots that are opened later are closed at once.
func (t *slotTable) close(why error) {
	t.mu.Lock()
	t.closed = why
	var stopping sync.WaitGroup
	for _, s := range t.slots {
		stopping.Go(func() { s.close(why) })
	}
	t.mu.Unlock()
	stopping.Wait()
}
