package upstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// open starts a server and returns once the server is initialized and its tools are listed. If a server was started but
// does not answer as it should, open returns the error together with the session, which is being shut down. If the
// handshake fails because the session has to be opened in another way with a new process, open starts the server a
// second time.
func open(ctx *starting, at *slot, w want) (*session, error) {
	s, err := begin(ctx, at, w, at.plan(w))
	again, ok := errors.AsType[*anew](err)
	if !ok || ctx.Err() != nil {
		return s, err
	}
	<-s.link.gone()
	s, err = begin(ctx, at, w, again.opening)
	if err == nil && again.deaf {
		at.learnDeaf(w.server)
	}
	return s, err
}

// begin makes one attempt to start a server for open.
func begin(ctx *starting, at *slot, w want, o opening) (*session, error) {
	m, server := at.manager, w.server
	if err := startable(server); err != nil {
		return nil, err
	}
	filled, err := at.fill(ctx, server)
	if err != nil {
		return nil, err
	}
	env := m.environment(ctx)
	filled, err = fillVariables(server, filled, env)
	if err != nil {
		return nil, unfilled{err}
	}
	s := newSession(at, w, filled)
	defer s.tap.endHandshake()
	if server.Transport == "stdio" {
		err = s.spawn(ctx, at, env)
	} else {
		err = s.connect(env)
	}
	if err != nil {
		return nil, err
	}
	m.work.Go(s.notices.publish)
	opening := handshake{origin: s.origin, at: at, peer: s.peer, remote: s.link.pid() == 0}
	err = opening.run(ctx, o)
	s.tap.endHandshake()
	if err == nil {
		_, err = s.lists.readList(ctx, toolsList)
	}
	if err != nil {
		failure := s.explainer.startFailure(ctx, err)
		if s.private {
			s.shutdown("it did not start") // the user may remove the server's files as soon as the start has failed
		} else {
			at.failing.Add(1)
			m.work.Go(func() {
				defer at.failing.Done()
				s.shutdown("it did not start")
			})
		}
		return s, failure
	}
	s.use.touch()                                            // a slow start does not count as idle time
	live, cancel := context.WithCancel(context.Background()) // the session outlives ctx; session.wait calls cancel
	s.cancel = cancel
	s.lists.relist(func(l list) bool { return l != lists[toolsList] && s.lists.leads() })
	m.work.Go(func() { s.lists.follow(live) })
	if s.profile.modern() {
		s.feed.start(live)
	}
	return s, nil
}

// startable returns an error if the configuration of a server is not approved,
// disabled or not complete.
func startable(v registry.Server) error {
	err := v.Usable()
	if err == nil || fault.KindOf(err) == fault.Denied { // the message says what to do
		return err
	}
	return notStarted(err, fault.KindOf(err), "%s", fault.MessageOf(err))
}

// errNotStarted distinguishes errors of a start from errors of a call.
var errNotStarted = errors.New("server not started")

// NotStarted reports whether err means that a server could not be started.
func NotStarted(err error) bool { return errors.Is(err, errNotStarted) }

// notStarted is like fault.Wrap, for errors of a start. cause may be nil.
func notStarted(cause error, kind fault.Kind, format string, args ...any) *fault.Error {
	if kind == fault.Unavailable { // Unavailable is reserved for failures of the hub itself
		kind = fault.Failed
	}
	if cause == nil {
		return fault.Wrap(errNotStarted, kind, format, args...)
	}
	return fault.Wrap(fmt.Errorf("%w: %w", errNotStarted, cause), kind, format, args...)
}
