package upstream

import "time"

// RetryAfter sets how long the first retry of a list waits.
func (m *Manager) RetryAfter(d time.Duration) { m.lists.firstRetry = d }

// BeginIdleStop stops a server like one that has been idle for too long, and does not wait for its end.
func (m *Manager) BeginIdleStop(name string) { m.slots.shared(name).stopIdle(-1) }

// BeginIdleStopOfSecond is BeginIdleStop for the second session with a server.
func (m *Manager) BeginIdleStopOfSecond(name string) {
	m.slots.of(Target{Server: name, Second: true}).stopIdle(-1)
}
