package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// These constants set the back-off of a server that fails to start: no delay
// after the first failure, firstDelay after the second, and then twice the
// previous delay, up to maxDelay.
const (
	firstDelay = time.Second
	maxDelay   = time.Minute
	// stable is how long a session that has answered no call must last. If it
	// ends unexpectedly before that, the end counts as a failed start.
	stable = 10 * time.Second
)

// slot holds the session of one target. It starts the server only once, even if
// many callers ask for a session at the same time.
type slot struct {
	manager  *Manager
	target   Target
	shared   *slot   // the slot that all clients of the server share; may be this one
	output   *output // shared by all sessions with the server, like messages
	messages *messageLog
	eras     eraBook // used in the shared slot only

	mu        sync.Mutex
	private   *Private   // nil unless the server is private; replaced whole; used in the shared slot only
	closed    error      // why the server must not start; nil if it may
	held      bool       // a person has stopped the server, so KeepRunning does not start it again
	session   *session   // nil if no session is running
	fading    []*session // lost sessions with calls in flight; see session.fade
	start     *start     // nil if no start is in progress
	died      time.Time  // when the last session has ended unexpectedly; zero if not, and after a start that succeeded
	failures  int        // number of failed starts in a row
	notBefore time.Time  // earliest time of the next start; see firstDelay
	lastErr   error
	lastText  string // standard error of the last session

	failing sync.WaitGroup // shutdowns of sessions whose start has failed
}

// want describes the session that a caller wants.
type want struct {
	server registry.Server
	target Target
	caller Caller         // answers requests of the server; nil if nobody can
	client string         // the id of the client's session; empty if there is none
	era    mcpversion.Era // era in which the session is wanted; Unknown for either
	only   bool           // a session of the other era will not do, unless the server has no other
	over   *Lease         // a lease whose session is used if that session accepts calls; may be nil
	call   bool           // the session is for a call of the caller, not for one of the manager itself
	check  bool           // a health check, which ignores the back-off
}

// start is one attempt to start the server. All callers wait for the same
// attempt.
type start struct {
	want
	cancel   context.CancelCauseFunc
	done     chan struct{}
	err      error // valid once done is closed
	outdated bool  // the server's secrets have changed since the attempt began
}

// errEnded is in the chain of errors that are returned because the hub or the
// user stops servers. Such an error does not count as a failed health check.
var errEnded = errors.New("ended")

var (
	// errRemoved is returned by calls of a removed server.
	errRemoved = fault.Wrap(errEnded, fault.Unavailable, "the server was removed")
	// errLeft is returned by calls of a client that has ended its session.
	errLeft = fault.Wrap(errEnded, fault.Unavailable, "the client has ended its session")
	// ErrStopping is the error of a request that was not sent to its server, because the hub is stopping.
	ErrStopping = fault.Wrap(errEnded, fault.Unavailable, "the hub is stopping; try again in a moment")
)

// acquire returns the running session and adds a call to it. It starts a
// session if none is running or the configuration has changed.
func (s *slot) acquire(ctx context.Context, w want) (*session, error) {
	if err := s.refusedStart(w.server); err != nil {
		return nil, err
	}
	for {
		session, attempt, err := s.sessionOrStart(ctx, w)
		if silent, ok := errors.AsType[*silence](err); ok {
			if err := silent.wait(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if session != nil || err != nil {
			return session, err
		}
		select {
		case <-attempt.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if attempt.err != nil && !attempt.outdated && sameLaunch(attempt.server, w.server) {
			return nil, attempt.err
		}
	}
}

// sessionOrStart returns the session if it can be used, and otherwise the
// attempt for which the caller has to wait. The end of ctx does not cancel a
// new attempt, because other callers wait for it too.
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
	if old != nil && !w.check {
		if p := old.use.probing(); p != nil {
			return nil, nil, &silence{p, s.target.Server}
		}
	}
	if old != nil && sameLaunch(old.server, w.server) && !old.use.ending() {
		suits := !w.only || old.profile.era() == w.era || s.erasOf(w.server).of(w.era) == never // the server does not speak the wanted era
		switch _, used, _ := old.use.clients(); {
		case suits && old.use.enter(w):
			return old, nil, nil
		case suits:
		case used || !old.use.retire():
			return nil, nil, errOtherEra
		default:
			s.manager.work.Go(func() { s.shutdown(old, "") })
		}
	}
	if wait := time.Until(s.notBefore); wait > 0 && !w.check && !isUnfilled(s.lastErr) {
		why, _ := errors.AsType[explained](s.lastErr)
		text := why.before(fmt.Sprintf("server %q has failed %d times in a row; the next attempt is allowed in %s, or at once with: "+
			"agent-discover servers start %s. Last failure: %s",
			s.target.Server, s.failures, max(wait.Round(time.Second), time.Second), s.target.Server, fault.MessageOf(s.lastErr)))
		return nil, nil, &fault.Error{Kind: fault.KindOf(s.lastErr), Message: text, Variable: why.variable}
	}
	s.held = false
	starting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.start = &start{want: w, cancel: cancel, done: make(chan struct{})}
	s.manager.work.Go(func() { s.run(starting, s.start, old) })
	return nil, s.start, nil
}

// errOtherEra means that a session speaks another era than is wanted.
var errOtherEra = errors.New("the session is of the other era")

// run makes one attempt to start the server. It first waits for the end of the
// session old, which may be nil.
func (s *slot) run(ctx context.Context, attempt *start, old *session) {
	defer close(attempt.done)
	defer attempt.cancel(nil)
	if old != nil {
		old.replace(attempt.server)
	}
	session, err := s.launch(ctx, attempt.want)
	began := err == nil
	s.mu.Lock()
	s.start, s.lastErr, attempt.err = nil, err, err
	if began {
		session.use.forCheck = attempt.check
		if s.session != nil { // the old session has faded
			s.fading = append(s.fading, s.session)
		}
		s.session, s.died = session, time.Time{}
		if attempt.outdated {
			session.renew()
		}
	} else if context.Cause(ctx) == nil && !attempt.check && !attempt.outdated && !errors.Is(err, errFull) &&
		!errors.Is(err, mcphttp.ErrSignIn) {
		s.countFailure()
	}
	s.mu.Unlock()
	if context.Cause(ctx) == nil && (began || !attempt.check) && !s.target.Second {
		switch kind := fault.KindOf(err); {
		case isUnfilled(err), kind == fault.Invalid, kind == fault.Denied, kind == fault.Busy: // nothing was started
		default:
			s.manager.health.note(attempt.server, err, s.manager.registry.NoteStart)
		}
	}
	if began {
		events.Publish(s.manager.bus, StateChanged{Name: s.target.Server, Client: s.target.Client, Running: true})
		s.manager.work.Go(func() { s.watch(session) })
	}
}

// launch starts the server as soon as fewer than maxStarting servers are being
// started.
func (s *slot) launch(ctx context.Context, w want) (*session, error) {
	limit := s.manager.startLimit(w.server)
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case s.manager.starting <- struct{}{}:
		defer func() { <-s.manager.starting }()
	case <-waiting.Done():
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fault.New(fault.Busy, "server %q was not started: %d other servers were still starting after %s; try again",
			s.target.Server, maxStarting, limit)
	}
	attempt := newStarting(ctx, limit)
	defer attempt.stop()
	session, err := open(attempt, s, w)
	if session != nil {
		s.mu.Lock()
		s.lastText = session.stderr.text()
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

// watch waits for the end of a session. Then it clears the slot and stores an
// unexpected end as the server's health.
func (s *slot) watch(session *session) {
	err := session.wait()
	s.mu.Lock()
	replaced := s.session != nil && s.session != session
	if i := slices.Index(s.fading, session); i >= 0 {
		s.fading = slices.Delete(s.fading, i, i+1)
	}
	if replaced {
		s.mu.Unlock()
		return
	}
	s.drop(session)
	s.lastText = session.stderr.text()
	if s.died = (time.Time{}); err != nil {
		s.died = time.Now()
	}
	if err != nil && time.Since(session.started) < stable && !session.served.Load() {
		s.lastErr = err
		s.countFailure()
	} else {
		s.failures = 0
	}
	s.mu.Unlock()
	if err != nil {
		s.manager.health.death(session.server, err)
	}
	s.passLead()
	events.Publish(s.manager.bus, StateChanged{Name: s.target.Server, Client: s.target.Client})
}

// drop clears the slot if it still holds the given session. The caller holds
// mu.
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

func (s *slot) stopIdle(after time.Duration) {
	session := s.running()
	if session != nil && session.use.idleFor() > after && session.use.retire() {
		s.manager.work.Go(func() { s.shutdown(session, "") })
	}
}

// stop ends the session, or cancels the attempt to start one. Until the server's
// configuration changes, only a call or a person starts it again.
func (s *slot) stop() {
	s.hold(true)
	s.end(fault.Wrap(errEnded, fault.Unavailable, "server %q was stopped while it was starting; call it again to start it",
		s.target.Server))
}

// close is like stop, but for good: later calls fail with why. It returns when all processes have ended, including
// those of failed starts, because the files of a removed server are deleted.
func (s *slot) close(why error) {
	s.mu.Lock()
	s.closed = why
	s.mu.Unlock()
	s.end(why)
	s.failing.Wait()
}

func (s *slot) end(why error) {
	s.mu.Lock()
	attempt := s.start
	s.mu.Unlock()
	if attempt != nil {
		attempt.cancel(why)
		<-attempt.done
	}
	cause := "it was stopped"
	if errors.Is(why, ErrPaused) {
		cause = "the user paused all servers"
	}
	s.mu.Lock()
	sessions := slices.Clone(s.fading)
	if s.session != nil {
		sessions = append(sessions, s.session)
	}
	s.mu.Unlock()
	var stopping sync.WaitGroup
	for _, session := range sessions {
		stopping.Go(func() { s.shutdown(session, cause) })
	}
	stopping.Wait()
}

// running returns the session, or nil.
func (s *slot) running() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// busy reports whether a session is running or being started.
func (s *slot) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != nil || s.start != nil
}

func (s *slot) stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session.stderr.text()
	}
	return s.lastText
}
