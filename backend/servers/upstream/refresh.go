package upstream

import (
	"cmp"
	"time"
)

const (
	// retries is the number of times that a failed reading of a list is repeated.
	retries = 3
	// firstRetry is the delay before a failed reading of a list is repeated for the first time. Each further delay is
	// four times as long, up to maxRetry.
	firstRetry = time.Second
	maxRetry   = 30 * time.Second
	// refreshAnnounced is the minimum time after which the tools are listed again if the server announces changes,
	// because an announcement may have been lost.
	refreshAnnounced = 5 * time.Minute
)

// listPolicy says where lists are stored, and how often they are read.
type listPolicy struct {
	catalog     Catalog
	features    Features // nil if only tools are stored
	discoveries *Discoveries
	limits      *liveLimits // of one reading, and after how long the tools are read again
	firstRetry  time.Duration
	quietPause  time.Duration
}

// timeout returns the time limit of one reading of a list.
func (r *lister) timeout() time.Duration {
	return cmp.Or(r.server.Timeouts.Start, r.policy.limits.get().StartTimeout)
}

// refreshTimer returns a channel that receives when the tools have to be listed again. The channel is nil if the tools
// never have to be listed again.
func (r *lister) refreshTimer() <-chan time.Time {
	every := r.policy.limits.get().RefreshTools
	if every <= 0 || r.server.ID == 0 || !r.leads() || !r.profile.offers(lists[toolsList].capability) {
		return nil
	}
	if r.profile.declares("tools", "listChanged") {
		every = max(every, refreshAnnounced)
	}
	return time.After(every)
}

// retryTimer returns a channel that receives when a list that could not be read has to be read again. The channel is
// nil if there is no such list.
func (r *lister) retryTimer() <-chan time.Time {
	wait := time.Duration(0)
	for _, n := range r.failures {
		if n > 0 && n <= retries {
			if after := r.policy.retryAfter(n); wait == 0 || after < wait {
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
func (p *listPolicy) retryAfter(failures int) time.Duration {
	wait := p.firstRetry
	for range failures - 1 {
		wait *= 4
	}
	return min(wait, maxRetry)
}
