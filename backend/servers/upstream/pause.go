package upstream

import (
	"errors"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Wish is the user's, that no server runs. It outlives the hub.
type Wish struct {
	Paused bool             // at the start
	Keep   func(bool) error // keeps it for the next hub; nil: nowhere
}

// ErrPaused is what everybody gets who wants a server while all are paused.
var ErrPaused error = fault.Wrap(errEnded, fault.Denied, "all servers are paused by the user; resume them from the tray or with: agent-discover resume")

// Pause ends every server, gently, and lets none start until Resume. It returns
// when all have ended. The wish is kept first: an error says that it was not,
// and then nothing has changed.
func (m *Manager) Pause() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.keepPause(true); err != nil {
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
	events.Publish(m.Bus, PauseChanged{true})
	stopping.Wait()
	return nil
}

// Resume lets servers start again; those that are to keep running do so at once.
func (m *Manager) Resume() error {
	m.pausing.Lock()
	defer m.pausing.Unlock()
	if err := m.keepPause(false); err != nil {
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
	events.Publish(m.Bus, PauseChanged{false})
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

func (m *Manager) keepPause(paused bool) error {
	if m.Wish.Keep == nil {
		return nil
	}
	if err := m.Wish.Keep(paused); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the wish cannot be written to the data folder; is the disk full?")
	}
	return nil
}

// pause lets nothing start until resume.
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
