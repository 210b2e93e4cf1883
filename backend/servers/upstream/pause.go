package upstream

import (
	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// PauseSetting contains whether all servers are paused when the hub starts, and stores
// later changes.
type PauseSetting struct {
	Paused bool             // whether all servers are paused when the manager is created
	Save   func(bool) error // stores the setting for the next hub; may be nil
}

// store stores the setting for the next start of the hub. The error is a fault.
func (p PauseSetting) store(paused bool) error {
	if p.Save == nil {
		return nil
	}
	if err := p.Save(paused); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not save the pause setting in the data folder: %s", paths.Reason(err))
	}
	return nil
}

// ErrPaused is the error of calls while all servers are paused.
var ErrPaused error = fault.Wrap(errEnded, fault.Denied,
	"all servers are paused by the user; resume them from the tray or with: agent-discover resume")

// Pause stops all servers and refuses to start any until Resume is called. It
// stores the setting first; if that fails, nothing changes. It returns when all
// servers have stopped.
func (m *Manager) Pause() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.pause.store(true); err != nil {
		return err
	}
	stopping := m.slots.pause()
	events.Publish(m.bus, PauseChanged{true})
	stopping.Wait()
	m.stopConfiner("")
	return nil
}

// Resume allows servers to start again. Servers with KeepRunning start at once.
func (m *Manager) Resume() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.pause.store(false); err != nil {
		return err
	}
	m.slots.resume()
	events.Publish(m.bus, PauseChanged{false})
	select {
	case m.resumed <- struct{}{}:
	default:
	}
	return nil
}

// Paused reports whether the user has paused all servers.
func (m *Manager) Paused() bool { return m.slots.paused() }
