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

// Back-off of a server that fails to start: no delay after the first failure,
// then firstDelay, doubled with each further failure up to maxDelay.
const (
	firstDelay = time.Second
	maxDelay   = time.Minute
	// stable is how long a session must last before its end no longer counts as
	// a failed start.
	stable = 10 * time.Second
)

// slot holds the session of one server. However many callers ask at the same
// time, it starts the server once.
type slot struct {
	manager *Manager
	name    string
	output  *output

	mu        sync.Mutex
	closed    error     // why the server may not start; nil while it may
	session   *session  // nil while none runs
	start     *start    // nil while none is in progress
	failures  int       // in a row
	notBefore time.Time // earliest time of the next start
	lastErr   error
	lastText  string // standard error of the last session
}

// want describes the use that a caller has for a session.
type want struct {
	server registry.Server
	caller Caller // nil: there is nobody whom the server could ask
	check  bool   // a health check, which ignores the back-off
}

// start is one attempt to start the server. All callers wait for the same one.
type start struct {
	want
	cancel   context.CancelCauseFunc
	done     chan struct{}
	err      error // valid after done is closed
	outdated bool  // the server's secrets have changed since the attempt began
}

// errEnded marks the errors of starts that the hub or the user broke off.
var errEnded = errors.New("ended")

// errRemoved is the error of calls of a removed server.
var errRemoved = fault.Wrap(errEnded, fault.Unavailable, "the server was removed")

// acquire returns the running session and counts a call in. It starts a session
// if none runs or the configuration has changed.
func (s *slot) acquire(ctx context.Context, w want) (*session, error) {
	for {
		session, attempt, err := s.sessionOrStart(ctx, w)
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

// sessionOrStart returns the session if it can be used, and otherwise the
// attempt to wait for. A new attempt does not end with ctx, because other
// callers wait for it too.
func (s *slot) sessionOrStart(ctx context.Context, w want) (*session, *start, error) {
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
		return nil, nil, fault.New(fault.KindOf(s.lastErr), "server %q has failed %d times in a row; the next attempt is allowed in %s, or at once with: agent-discover servers activate %s. Last failure: %s",
			s.name, s.failures, max(wait.Round(time.Second), time.Second), s.name, fault.MessageOf(s.lastErr))
	}
	starting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.start = &start{want: w, cancel: cancel, done: make(chan struct{})}
	s.manager.work.Go(func() { s.run(starting, s.start, old) })
	return nil, s.start, nil
}

// run makes one attempt to start the server, after old has ended. old may be
// nil.
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
		s.countFailure()
	}
	s.mu.Unlock()
	if context.Cause(ctx) == nil && (began || !attempt.check) {
		s.manager.noteStart(attempt.server, err)
	}
	if began {
		events.Publish(s.manager.bus, StateChanged{Name: s.name, Running: true})
		s.manager.work.Go(func() { s.watch(session) })
	}
}

// launch waits until fewer than maxStarting servers are starting, and starts
// this one.
func (s *slot) launch(ctx context.Context, server registry.Server) (*session, error) {
	limit := s.manager.limits.StartTimeout
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case s.manager.starting <- struct{}{}:
		defer func() { <-s.manager.starting }()
	case <-waiting.Done():
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fault.New(fault.Busy, "server %q was not started: %d other servers were still starting after %s; try again", s.name, maxStarting, limit)
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

// countFailure counts a failed start and sets the back-off. The caller holds
// mu.
func (s *slot) countFailure() {
	s.failures++
	if s.failures > 1 {
		delay := min(firstDelay<<min(s.failures-2, 10), maxDelay)
		s.notBefore = time.Now().Add(delay)
	}
}

// watch waits for a session's end, then clears the slot and stores how the
// session ended.
func (s *slot) watch(session *session) {
	err := session.wait()
	s.mu.Lock()
	s.drop(session)
	s.lastText = session.stderrText()
	if err != nil && time.Since(session.started) < stable {
		s.lastErr = err
		s.countFailure()
	} else {
		s.failures = 0
	}
	s.mu.Unlock()
	if err != nil {
		s.manager.noteDeath(session.server, err)
	}
	events.Publish(s.manager.bus, StateChanged{Name: s.name})
}

// drop clears the slot if it still holds this session. The caller holds mu.
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

// maxKeepFailures is after how many failures in a row a server is no longer
// kept running.
const maxKeepFailures = 3

// keepRunning starts a server that has KeepRunning set, and clears the setting
// after maxKeepFailures failed starts.
func (m *Manager) keepRunning(ctx context.Context, server registry.Server) {
	session, err := m.acquire(ctx, want{server: server})
	if err == nil {
		session.leave(nil)
		return
	}
	if ctx.Err() != nil || errors.Is(err, ErrPaused) {
		return
	}
	m.log.Warn("could not start a server with keep_running", "server", server.Name, "error", fault.MessageOf(err))
	if s := m.slot(server.Name); s != nil && s.failureCount() >= maxKeepFailures && !isUnfilled(err) {
		_, _ = m.registry.Update(ctx, server.Name, func(v *registry.Server) {
			v.KeepRunning = false
			v.Health.LastError = "no longer kept running: it failed to start. " + fault.MessageOf(err)
		})
	}
}

func (s *slot) failureCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures
}

func (s *slot) stopIdle(after time.Duration) {
	session := s.running()
	if session != nil && session.idleFor() > after && session.retire() {
		s.manager.work.Go(func() { s.shutdown(session, "") })
	}
}

// stop ends the session, or the attempt to start one.
func (s *slot) stop() {
	s.end(fault.Wrap(errEnded, fault.Unavailable, "server %q was stopped while it was starting; call it again to start it", s.name))
}

// close is stop without a way back: later calls fail with why.
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

// running returns the session, or nil.
func (s *slot) running() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// busy reports whether a session runs or is starting.
func (s *slot) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != nil || s.start != nil
}

// startAllowed reports whether the back-off has passed.
func (s *slot) startAllowed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().After(s.notBefore)
}

func (s *slot) resetBackoff() {
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
