package upstream

import (
	"testing"
	"time"
)

// RetryAfter sets the delay before a failed reading of a list is repeated for the first time.
func (m *Manager) RetryAfter(d time.Duration) { m.lists.firstRetry = d }

// BeginIdleStop stops a server like one that has been idle for too long, and does not wait until the server has ended.
func (m *Manager) BeginIdleStop(name string) { m.slots.shared(name).stopIdle(-1) }

// BeginIdleStopOfSecond is BeginIdleStop for the second session with a server.
func (m *Manager) BeginIdleStopOfSecond(name string) {
	m.slots.of(Target{Server: name, Second: true}).stopIdle(-1)
}

// AllowExits sets how long a child may take to exit until the test ends.
func AllowExits(t *testing.T, d time.Duration) {
	before := exitGrace
	exitGrace = d
	t.Cleanup(func() { exitGrace = before })
}

// LimitStarts sets how many times its limit a start may take until the test ends.
func LimitStarts(t *testing.T, times int) {
	before := longestStart
	longestStart = time.Duration(times)
	t.Cleanup(func() { longestStart = before })
}
