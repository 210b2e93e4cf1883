package endpoint

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// maxRunning is the maximum number of running requests of one session. The limit is the same as on stdio.
const maxRunning = 128

// session is a gateway session with its streams. All requests of a modern scope share one session, which has no state
// besides its running requests.
type session struct {
	endpoint  *Endpoint
	principal Principal
	server    string // the only server of the session; empty for all
	toolset   string // the toolset that the session is limited to; empty for none
	link      *link  // streams of a legacy session; nil for a modern one

	opening sync.Once
	serving Session
	done    chan struct{} // closed by end
	work    sync.WaitGroup

	mu      sync.Mutex
	users   int // open requests and streams
	idle    *time.Timer
	since   time.Time // when users last became 0
	running map[*request]bool
	ended   bool
}

// request is a running JSON-RPC request.
type request struct {
	id     string
	cancel context.CancelCauseFunc
}

// admit creates a session and holds it for the caller, who must release it. It returns false if the endpoint was
// closed. If there are too many legacy sessions, it ends the one that has been idle for longest. The caller holds mu.
func (e *Endpoint) admit(p Principal, server, toolset string) (s *session, ok bool) {
	if e.closed {
		return nil, false
	}
	if len(e.legacy) >= maxSessions {
		e.endLongestIdle()
	}
	s = &session{
		endpoint: e, principal: p, server: server, toolset: toolset, done: make(chan struct{}),
		users: 1, running: make(map[*request]bool),
	}
	e.sessions.Add(1)
	if p.Ended != nil && !e.watched[p.ID] {
		e.watched[p.ID] = true
		e.sessions.Go(func() { e.awaitEnd(p) })
	}
	return s, true
}

// endLongestIdle ends the legacy session that has been idle for longest, if one is idle. The caller holds mu.
func (e *Endpoint) endLongestIdle() {
	var oldest *session
	var since time.Time
	for _, s := range e.legacy {
		if at, idle := s.idleSince(); idle && (oldest == nil || at.Before(since)) {
			oldest, since = s, at
		}
	}
	if oldest != nil {
		delete(e.legacy, oldest.link.id)
		go oldest.end(errIdle) // end locks mu
	}
}

var (
	errIdle     = errors.New("the session was idle")
	errRevoked  = errors.New("the token was revoked")
	errDeleted  = errors.New("the client has ended the session")
	errNotBegun = errors.New("initialize has failed")
)

// awaitEnd ends the sessions of a principal when its credential is revoked.
func (e *Endpoint) awaitEnd(p Principal) {
	select {
	case <-p.Ended:
	case <-e.closing:
		return
	}
	for _, s := range e.all(func(s *session) bool { return s.principal.ID == p.ID }) {
		s.end(errRevoked)
	}
	e.mu.Lock()
	delete(e.watched, p.ID)
	e.mu.Unlock()
}

// open opens the gateway session, unless it is open.
func (s *session) open(id string) {
	s.opening.Do(func() {
		shown := s.principal.Surface
		if s.server != "" {
			shown = surfaces.OfServer + s.server
		}
		s.serving = s.endpoint.open(context.Background(), gateway.Opening{
			ID: id, Peer: s, Client: s.principal.Client, Surface: shown, Toolset: s.toolset, Credential: "token:" + s.principal.ID,
			Token: strings.TrimSpace(s.principal.ID + " " + s.principal.Name),
		})
	})
}

// hold counts one more open request or stream of the session, which does not expire while the count is positive. It
// returns false if the session has ended.
func (s *session) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.users++
	return true
}

// release undoes hold. A session without open requests and streams expires after idleLife.
func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 || s.ended {
		return
	}
	s.since = time.Now()
	if s.idle == nil {
		s.idle = time.AfterFunc(idleLife, s.expire)
	} else {
		s.idle.Reset(idleLife)
	}
}

func (s *session) expire() {
	if _, idle := s.idleSince(); idle {
		s.end(errIdle)
	}
}

// idleSince returns when the last open request or stream was released. idle is false if one is open, or if the session
// has ended.
func (s *session) idleSince() (at time.Time, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.users == 0 && !s.ended
}

// end ends the session, its requests and its streams. It does not wait for them.
func (s *session) end(why error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	if s.idle != nil {
		s.idle.Stop()
	}
	for r := range s.running {
		r.cancel(why)
	}
	s.mu.Unlock()
	close(s.done)
	if s.link != nil {
		s.link.outside.close()
	}
	e := s.endpoint
	e.mu.Lock()
	if s.link != nil {
		delete(e.legacy, s.link.id)
	} else if key := (scope{s.principal.ID, s.server, s.toolset}); e.modern[key] == s {
		delete(e.modern, key)
	}
	close(e.left)
	e.left = make(chan struct{})
	e.mu.Unlock()
	go func() {
		defer e.sessions.Done()
		s.work.Wait()
		s.opening.Do(func() {}) // waits for open
		if s.serving != nil {
			s.serving.Close(context.Background())
		}
	}()
}

type streamKey struct{}

// start runs a request in the background and puts its messages and its answer on a stream. If the request cannot run,
// start returns the error to answer with.
func (s *session) start(ctx context.Context, m jsonrpc.Message, to *stream) (*request, *jsonrpc.Error) {
	ctx = context.WithValue(jsonrpc.WithRequestID(context.WithoutCancel(ctx), m.ID), streamKey{}, to)
	ctx, cancel := context.WithCancelCause(ctx)
	r := &request{string(m.ID), cancel}
	if refused := s.enter(r); refused != nil {
		cancel(nil)
		return nil, refused
	}
	s.work.Go(func() {
		defer s.release()
		result, err := s.serving.Request(ctx, m.Method, m.Params)
		s.mu.Lock()
		delete(s.running, r)
		s.mu.Unlock()
		cause := context.Cause(ctx)
		cancel(nil)
		if m.Method == "initialize" && s.link != nil && !s.link.begun.Load() {
			if s.link.begun.Store(err == nil); err != nil {
				defer s.end(errNotBegun)
			}
		}
		if _, ok := errors.AsType[*jsonrpc.Cancelled](cause); ok {
			s.settle(to, nil)
			return
		}
		if err != nil && cause != nil {
			err = jsonrpc.NewError(mcpversion.CodeUnknownOutcome, "the outcome of this request is unknown: %s", cause)
		}
		if err == nil && m.Method == "tools/list" {
			result = removeBadParams(result)
		}
		s.settle(to, answer(m.ID, result, jsonrpc.ErrorOf(err)))
	})
	return r, nil
}

// settle puts the answer to a request on the request's stream. e is nil if the request gets no answer.
func (s *session) settle(to *stream, e *event) {
	if all, replay := to.settle(e); all && s.link != nil {
		s.link.retire(to, replay)
	}
}

// enter registers a running request, which keeps the session from expiring. It returns an error if the request cannot
// run.
func (s *session) enter(r *request) *jsonrpc.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return invalid("the session has ended")
	case len(s.running) >= maxRunning:
		return jsonrpc.NewError(mcpversion.CodeBusy, "%d requests are in flight, which is the limit; wait for an answer", maxRunning)
	}
	for other := range s.running {
		if s.link != nil && other.id == r.id {
			return invalid("id " + r.id + " is in use by a request in flight")
		}
	}
	s.running[r] = true
	s.users++
	return nil
}

// cancel serves notifications/cancelled.
func (s *session) cancel(params []byte) {
	id := string(jsonrpc.Get(params, "requestId"))
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.running {
		if r.id == id {
			r.cancel(&jsonrpc.Cancelled{Params: params})
		}
	}
}
