package upstream

import (
	"errors"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// PauseSetting is the stored setting whether all servers are paused.
type PauseSetting struct {
	Paused bool             // initial state
	Save   func(bool) error // stores the setting for the next hub; may be nil
}

// ErrPaused is the error of calls while all servers are paused.
var ErrPaused error = fault.Wrap(errEnded, fault.Denied, "all servers are paused by the user; resume them from the tray or with: agent-discover resume")

// Pause stops all servers and refuses to start any until Resume is called. It
// stores the setting first; if that fails, nothing changes. It returns when all
// servers have stopped.
func (m *Manager) Pause() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.setPause(true); err != nil {
		return err
	}
	m.mu.Lock()
	if m.closed == nil {
		m.closed = ErrPaused
	}
	var stopping sync.WaitGroup
	for _, s := range m.slots {
		s.pause()
		stopping.Go(func() { s.end(ErrPaused) })
	}
	m.mu.Unlock()
	events.Publish(m.bus, PauseChanged{true})
	stopping.Wait()
	return nil
}

// Resume allows servers to start again. Servers with KeepRunning start at once.
func (m *Manager) Resume() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.setPause(false); err != nil {
		return err
	}
	m.mu.Lock()
	if errors.Is(m.closed, ErrPaused) {
		m.closed = nil
	}
	for _, s := range m.slots {
		s.resume()
	}
	m.mu.Unlock()
	events.Publish(m.bus, PauseChanged{false})
	select {
	case m.resumed <- struct{}{}:
	default:
	}
	return nil
}

// Paused reports whether the user has paused all servers.
func (m *Manager) Paused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Is(m.closed, ErrPaused)
}

func (m *Manager) setPause(paused bool) error {
	if m.savePause == nil {
		return nil
	}
	if err := m.savePause(paused); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not save the pause setting in the data folder: %s", paths.Reason(err))
	}
	return nil
}

// pause makes the slot refuse starts until resume is called.
func (s *slot) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = ErrPaused
	}
}

func (s *slot) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.closed, ErrPaused) {
		s.closed = nil
	}
}
