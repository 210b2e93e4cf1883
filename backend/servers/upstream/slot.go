package upstream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
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
	output  *output

	mu        sync.Mutex
	closed    error     // why nothing starts here any more; nil while it may
	session   *session  // nil while none runs
	start     *start    // nil while none is under way
	failures  int       // in a row
	notBefore time.Time // of the next start
	lastErr   error
	lastText  string // stderr of the last session
}

// want is what a session is wanted for.
type want struct {
	server registry.Server
	caller Caller // nil: nobody can be asked
	check  bool   // only to see whether it can be had; no back-off is waited for
}

// start is one attempt that any number of callers wait for.
type start struct {
	want
	cancel   context.CancelCauseFunc
	done     chan struct{}
	err      error // read after done
	outdated bool  // what the server is given has changed meanwhile
}

// errEnded is in what a start comes to that was not left to itself.
var errEnded = errors.New("ended")

// errRemoved is what a slot answers after its server was removed.
var errRemoved = fault.Wrap(errEnded, fault.Unavailable, "the server was removed")

// acquire returns the running session of a server with the wish entered into
// it. It starts one when there is none or its configuration has changed.
func (s *slot) acquire(ctx context.Context, w want) (*session, error) {
	for {
		session, attempt, err := s.sessionOrStart(w)
		if session != nil || err != nil {
			return session, err
		}
		select {
		case <-attempt.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if attempt.err != nil && sameLaunch(attempt.server, w.server) {
			return nil, attempt.err
		}
	}
}

// sessionOrStart returns the session if it can be used, else the attempt to
// wait for.
func (s *slot) sessionOrStart(w want) (*session, *start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return nil, nil, s.closed
	}
	if s.start != nil {
		return nil, s.start, nil
	}
	old := s.session
	if old != nil && sameLaunch(old.server, w.server) && old.enter(w) {
		return old, nil, nil
	}
	if wait := time.Until(s.notBefore); wait > 0 && !w.check && !isUnfilled(s.lastErr) {
		return nil, nil, fault.New(fault.KindOf(s.lastErr), "server %q has failed %d times in a row and is tried again in %s (or at once by: agent-discover servers activate %s). Last failure: %s",
			s.name, s.failures, max(wait.Round(time.Second), time.Second), s.name, fault.MessageOf(s.lastErr))
	}
	ctx, cancel := context.WithCancelCause(s.manager.lifetime)
	s.start = &start{want: w, cancel: cancel, done: make(chan struct{})}
	s.manager.sessions.Go(func() { s.run(ctx, s.start, old) })
	return nil, s.start, nil
}

// run makes one attempt. Its context is not that of whoever asked first:
// others wait for it too.
func (s *slot) run(ctx context.Context, attempt *start, old *session) {
	defer close(attempt.done)
	defer attempt.cancel(nil)
	if old != nil {
		old.replace(attempt.server)
	}
	session, err := s.launch(ctx, attempt.server)
	began := err == nil
	s.mu.Lock()
	s.start, s.lastErr, attempt.err = nil, err, err
	if began {
		session.forCheck = attempt.check
		s.session = session
		if attempt.outdated {
			session.renew()
		}
	} else if context.Cause(ctx) == nil && !attempt.check && !attempt.outdated {
		s.failed()
	}
	s.mu.Unlock()
	if context.Cause(ctx) == nil && (began || !attempt.check) {
		s.manager.noteStart(attempt.server, err)
	}
	if began {
		events.Publish(s.manager.Bus, StateChanged{Name: s.name, Running: true})
		s.manager.sessions.Go(func() { s.watch(session) })
	}
}

// launch waits for a place among those that start, and starts.
func (s *slot) launch(ctx context.Context, server registry.Server) (*session, error) {
	limit := s.manager.Limits.StartTimeout
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case s.manager.starting <- struct{}{}:
		defer func() { <-s.manager.starting }()
	case <-waiting.Done():
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fault.New(fault.Busy, "server %q waits: %d others are starting and none was ready within %s; try again", s.name, maxStarting, limit)
	}
	starting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	session, err := launch(starting, s, server)
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
	s.drop(session)
	s.lastText = session.stderrText()
	if err != nil && time.Since(session.started) < stable {
		s.lastErr = err
		s.failed()
	} else {
		s.failures = 0
	}
	s.mu.Unlock()
	if err != nil {
		s.manager.noteDeath(session.server, err)
	}
	events.Publish(s.manager.Bus, StateChanged{Name: s.name})
}

// drop forgets a session that is over; it is called with the lock held.
func (s *slot) drop(session *session) {
	if s.session == session {
		s.session = nil
	}
}

// shutdown ends a session and returns when the slot is free.
func (s *slot) shutdown(session *session, cause string) {
	session.shutdown(cause)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(session)
}

// keep starts a server that is to keep running. One that fails three times in
// a row loses the wish, so that it does not fail for ever.
func (m *Manager) keep(server registry.Server) {
	session, err := m.acquire(m.lifetime, want{server: server})
	if err == nil {
		session.leave(nil)
		return
	}
	if m.lifetime.Err() != nil || errors.Is(err, ErrPaused) {
		return
	}
	m.Log.Warn("server that is to keep running did not start", "server", server.Name, "error", fault.MessageOf(err))
	if s := m.find(server.Name); s != nil && s.failedOften() && !isUnfilled(err) {
		_, _ = m.Registry.Update(m.lifetime, server.Name, func(v *registry.Server) {
			v.KeepRunning = false
			v.Health.LastError = "no longer kept running: it failed to start. " + fault.MessageOf(err)
		})
	}
}

func (s *slot) failedOften() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures >= 3
}

func (s *slot) stopIdle(after time.Duration) {
	session := s.running()
	if session != nil && session.idleFor() > after && session.retire() {
		go s.shutdown(session, "")
	}
}

// stop ends what runs here or is about to.
func (s *slot) stop() {
	s.end(fault.Wrap(errEnded, fault.Unavailable, "server %q was stopped while it was starting", s.name))
}

// close is stop for good.
func (s *slot) close(why error) {
	s.mu.Lock()
	s.closed = why
	s.mu.Unlock()
	s.end(why)
}

func (s *slot) end(why error) {
	s.mu.Lock()
	attempt := s.start
	s.mu.Unlock()
	if attempt != nil {
		attempt.cancel(why)
		<-attempt.done
	}
	if session := s.running(); session != nil {
		cause := "it was stopped"
		if errors.Is(why, ErrPaused) {
			cause = "the user paused all servers"
		}
		s.shutdown(session, cause)
	}
}

// running returns the session, nil while there is none.
func (s *slot) running() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// busy reports whether a session runs or is about to.
func (s *slot) busy() bool {
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

func (s *slot) stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session.stderrText()
	}
	return s.lastText
}
