package upstream

import (
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	// retries is how often a list is read again that could not be read.
	retries = 3
	// firstRetry is how long the first of them waits; each further one waits four times
	// as long, up to maxRetry.
	firstRetry = time.Second
	maxRetry   = 30 * time.Second
	// refreshAnnounced is after how long the tools are listed again of a server that
	// announces changes, in case that an announcement was lost.
	refreshAnnounced = 5 * time.Minute
)

// refreshTimer returns a channel that receives when the tools have to be listed again. It
// is nil if they never have to.
func (s *session) refreshTimer() <-chan time.Time {
	every := s.manager.limits.RefreshTools
	if every <= 0 || s.server.ID == 0 || !s.leads() || !s.offers(lists[toolsList].capability) {
		return nil
	}
	if s.announcesTools() {
		every = max(every, refreshAnnounced)
	}
	return time.After(every)
}

// announcesTools reports whether the server has declared that it announces changes of its
// tools.
func (s *session) announcesTools() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(jsonrpc.Get(jsonrpc.Get(s.description.Capabilities, "tools"), "listChanged")) == "true"
}

// noteFailure counts the failures of a list, and makes retryTimer have it read again.
func (s *session) noteFailure(which int, err error) {
	if err == nil {
		s.failures[which] = 0
	} else if s.failures[which]++; s.failures[which] <= retries {
		s.outdated[which].Store(true)
	}
}

// retryTimer returns a channel that receives when a list that could not be read is to be
// read again, nil if there is none.
func (s *session) retryTimer() <-chan time.Time {
	wait := time.Duration(0)
	for _, n := range s.failures {
		if n > 0 && n <= retries {
			if after := s.manager.retryAfter(n); wait == 0 || after < wait {
				wait = after
			}
		}
	}
	if wait == 0 {
		return nil
	}
	return time.After(wait)
}

// retryAfter returns how long to wait after a number of failures.
func (m *Manager) retryAfter(failures int) time.Duration {
	wait := m.firstRetry
	for range failures - 1 {
		wait *= 4
	}
	return min(wait, maxRetry)
}
