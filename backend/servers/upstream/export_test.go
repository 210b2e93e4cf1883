package upstream

import "time"

// RetryAfter sets how long the first retry of a list waits.
func (m *Manager) RetryAfter(d time.Duration) { m.firstRetry = d }

// Ending reports whether a server is being stopped.
func (m *Manager) Ending(name string) bool {
	session := m.slot(name).running()
	return session != nil && session.ending()
}
