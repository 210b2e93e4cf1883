package upstream

import "time"

// RetryAfter sets how long the first retry of a list waits.
func (m *Manager) RetryAfter(d time.Duration) { m.firstRetry = d }
