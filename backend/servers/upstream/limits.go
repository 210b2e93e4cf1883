package upstream

import (
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/settings"
)

// liveLimits holds the limits of the settings, which may change at any time. Callers read them anew at each use.
type liveLimits struct {
	now atomic.Pointer[settings.Limits]
}

func newLiveLimits(of settings.Limits) *liveLimits {
	l := &liveLimits{}
	l.now.Store(&of)
	return l
}

func (l *liveLimits) get() settings.Limits { return *l.now.Load() }

// SetLimits replaces the limits. They apply to calls and starts that begin afterwards, and to all idle servers.
func (m *Manager) SetLimits(limits settings.Limits) { m.limits.now.Store(&limits) }
