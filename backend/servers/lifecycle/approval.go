package lifecycle

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Approve allows a proposed server to be started, and enables it. launchHash is the LaunchHash
// of the configuration that the person was shown; if the configuration has
// changed since, nothing is approved and the error is a fault.Conflict.
func (m *Manager) Approve(ctx context.Context, name, launchHash string) (registry.Server, error) {
	if launchHash == "" {
		return registry.Server{}, fault.New(fault.Invalid,
			"launch_hash is required: that of the configuration which the person has reviewed")
	}
	var changed error
	s, err := m.registry.Update(ctx, name, func(s *registry.Server) {
		if changed = Unchanged(*s, launchHash); changed == nil {
			s.Approved, s.Disabled = true, false
		}
	})
	if err == nil {
		err = changed
	}
	if err == nil {
		m.codes.forget(name)
	}
	return s, err
}

// Unchanged returns a fault.Conflict unless a server has the launch that the person was shown.
func Unchanged(s registry.Server, launchHash string) error {
	if LaunchHash(s) == launchHash {
		return nil
	}
	return fault.New(fault.Conflict,
		"server %q has changed since it was shown; nothing was done. Look at it again", s.Name)
}
