package lifecycle

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Approve allows a proposed server to be started. launchHash is the LaunchHash
// of the configuration that the person was shown; if the configuration has
// changed since, nothing is approved and the error is a fault.Conflict.
func (m *Manager) Approve(ctx context.Context, name, launchHash string) (registry.Server, error) {
	if launchHash == "" {
		return registry.Server{}, fault.New(fault.Invalid,
			"launch_hash is required: that of the configuration which the person has reviewed")
	}
	changed := false
	s, err := m.registry.Update(ctx, name, func(s *registry.Server) {
		if changed = launchHash != LaunchHash(*s); !changed {
			s.Approved = true
		}
	})
	if err == nil && changed {
		return s, errChanged(name)
	}
	if err == nil {
		m.codes.forget(name)
	}
	return s, err
}

func errChanged(name string) error {
	return fault.New(fault.Conflict,
		"server %q has changed since it was shown; nothing was approved. Look at it again, then approve it", name)
}
