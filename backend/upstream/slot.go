package upstream

import (
	"context"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/registry"
)

// Back-off of a server that fails to start: nothing after the first failure,
// then twice as long each time.
const (
	firstDelay = time.Second
	maxDelay   = time.Minute
	// stable is how long a server must have run for its end not to count as
	// a failed start.
	stable = 10 * time.Second
)

// slot is a server's place in the manager: it has at most one session and
// starts it once however many ask.
type slot struct {
	manager *Manager
	name    string

	mu        sync.Mutex
	session   *session  // nil while none runs
	start     *start    // nil while none is under way
	failures  int       // in a row
	notBefore time.Time // of the next start
	lastErr   error
	lastText  string // stderr of the last session
}

// start is one attempt that any number of callers wait for.
type start struct {
	done    chan struct{}
	session *session
	err     error
}

// acquire returns the running session of a server, and starts one when there
// is none or its configuration has changed.
func (s *slot) acquire(ctx context.Context, server registry.Server) (*session, error) {
	if s.manager.closing.Load() {
		return nil, errStopping
	}
	s.mu.Lock()
	if s.session != nil && s.session.fits(server) && s.session.usable() {
		defer s.mu.Unlock()
		return s.session, nil
	}
	if s.start == nil {
		if wait := time.Until(s.notBefore); wait > 0 {
			defer s.mu.Unlock()
			return nil, fault.New(fault.KindOf(s.lastErr), "server %q has failed %d times in a row and is tried again in %s (or at once by: agent-discover servers activate %s). Last failure: %s",
				s.name, s.failures, wait.Round(time.Second), s.name, fault.MessageOf(s.lastErr))
		}
		s.start = &start{done: make(chan struct{})}
		go s.run(s.start, server, s.session)
	}
	attempt := s.start
	s.mu.Unlock()
	select {
	case <-attempt.done:
		return attempt.session, attempt.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// run makes one attempt. Its context is the manager's, not that of whoever
// asked first: others wait for it too.
func (s *slot) run(attempt *start, server registry.Server, old *session) {
	m := s.manager
	if old != nil {
		old.shutdown("its configuration has changed")
	}
	ctx, cancel := context.WithTimeout(m.lifetime, m.Limits.StartTimeout)
	defer cancel()
	session, err := s.launch(ctx, server)
	s.mu.Lock()
	s.start = nil
	s.lastErr = err
	if err != nil {
		s.failed()
	} else {
		s.session = session
		m.sessions.Go(func() { s.watch(session) })
	}
	s.mu.Unlock()
	m.setHealth(s.name, err)
	attempt.session, attempt.err = session, err
	close(attempt.done)
}

func (s *slot) launch(ctx context.Context, server registry.Server) (*session, error) {
	select {
	case s.manager.starting <- struct{}{}:
		defer func() { <-s.manager.starting }()
	case <-ctx.Done():
		return nil, errStopping
	}
	session, err := launch(ctx, s.manager, server)
	if session != nil {
		s.mu.Lock()
		s.lastText = session.stderrText()
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	return session, nil
}

// failed is called with the lock held.
func (s *slot) failed() {
	s.failures++
	if s.failures > 1 {
		delay := min(firstDelay<<min(s.failures-2, 10), maxDelay)
		s.notBefore = time.Now().Add(delay)
	}
}

// watch waits for a session's end and clears up after it.
func (s *slot) watch(session *session) {
	err := session.wait()
	s.mu.Lock()
	if s.session == session {
		s.session = nil
	}
	s.lastText = session.stderrText()
	if err != nil && time.Since(session.started) < stable {
		s.lastErr = err
		s.failed()
	} else {
		s.failures = 0
	}
	s.mu.Unlock()
	if err != nil {
		s.manager.setHealth(s.name, err)
	}
}

// keep starts a server that is to keep running. One that fails three times in
// a row loses the wish, so that it does not fail for ever.
func (s *slot) keep(server registry.Server) {
	_, err := s.acquire(s.manager.lifetime, server)
	if err == nil || s.manager.lifetime.Err() != nil {
		return
	}
	s.manager.Log.Warn("server that is to keep running did not start", "server", s.name, "error", err)
	s.mu.Lock()
	giveUp := s.failures >= 3
	s.mu.Unlock()
	if giveUp {
		_, _ = s.manager.Registry.Update(s.manager.lifetime, s.name, func(v *registry.Server) {
			v.KeepRunning = false
			v.Health.LastError = "no longer kept running: it failed to start. " + fault.MessageOf(err)
		})
	}
}

func (s *slot) stopIdle(after time.Duration) {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session != nil && session.idleFor() > after && session.retire() {
		go session.shutdown("")
	}
}

func (s *slot) stop() {
	s.mu.Lock()
	session, attempt := s.session, s.start
	s.mu.Unlock()
	if session == nil && attempt != nil {
		<-attempt.done
		session = attempt.session
	}
	if session != nil {
		session.shutdown("it was stopped")
	}
}

func (s *slot) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != nil || s.start != nil
}

func (s *slot) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().After(s.notBefore)
}

func (s *slot) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.notBefore = 0, time.Time{}
}

func (s *slot) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return State{}
	}
	return s.session.state()
}

func (s *slot) stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session.stderrText()
	}
	return s.lastText
}
