//go:build !linux && !darwin && !windows

package instance

import "github.com/agent-discover/agent-discover/backend/base/process"

// ways returns the ways to start a hub, the best first.
func (l launch) ways() (list []way) {
	for _, start := range process.DetachedStarts() {
		list = append(list, detached(start))
	}
	return list
}
