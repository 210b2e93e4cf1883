package upstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// open starts a server and returns once the server is initialized and its
// tools are listed. If a server was started but does not answer as it should,
// open returns the error together with the session, which is being shut down. A
// server that has to be opened in another way than it was is started again.
func open(ctx context.Context, at *slot, w want) (*session, error) {
	s, err := begin(ctx, at, w.server, at.plan(w))
	again, ok := errors.AsType[*anew](err)
	if !ok || ctx.Err() != nil {
		return s, err
	}
	<-s.link.gone()
	s, err = begin(ctx, at, w.server, again.opening)
	if err == nil && again.deaf {
		s.learnDeaf()
	}
	return s, err
}

// begin is one attempt of open.
func begin(ctx context.Context, at *slot, server registry.Server, o opening) (*session, error) {
	m := at.manager
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
	s := &session{
		manager: m, at: at, server: server, target: at.target, filled: filled, redactor: at.redactor(filled), private: at.privacy() != nil,
		started: time.Now(), lastUsed: time.Now(), stderr: newTail(),
		wake: make(chan struct{}, 1), notices: make(chan notice, maxNotices),
	}
	s.lines = &lineWriter{to: at.output, bus: m.bus, server: server.Name, redactor: s.redactor}
	s.feed = newFeed(s)
	s.tap = newTap(at.messages, s.redactor)
	defer s.tap.endHandshake()
	if server.Transport == "stdio" {
		err = s.spawn(ctx, at, env)
	} else {
		err = s.connect(env)
	}
	if err != nil {
		return nil, err
	}
	m.work.Go(s.publish)
	err = s.handshake(ctx, o)
	s.tap.endHandshake()
	if err == nil {
		_, err = s.readList(ctx, toolsList)
	}
	if err != nil {
		failure := s.startFailure(ctx, err)
		if s.private {
			s.shutdown("it did not start") // its user may remove its files as soon as the start has failed
		} else {
			at.failing.Add(1)
			m.work.Go(func() {
				defer at.failing.Done()
				s.shutdown("it did not start")
			})
		}
		return s, failure
	}
	s.lastUsed = time.Now()                                  // a slow start does not count as idle time
	live, cancel := context.WithCancel(context.Background()) // the session outlives ctx; session.wait calls cancel
	s.cancel = cancel
	s.relist(func(l list) bool { return l != lists[toolsList] && s.leads() })
	m.work.Go(func() { s.follow(live) })
	if s.modern() {
		s.startFeed(live)
	}
	return s, nil
}

// startable returns an error if the configuration of a server is not approved
// or not complete.
func startable(v registry.Server) error {
	switch err := v.Usable(); {
	case fault.CodeOf(err) == fault.CodeUnapproved:
		return err
	case v.Transport != "stdio":
		if _, ok := mcphttp.TransportOf(v.Transport); !ok {
			return notStarted(nil, fault.Invalid, "Server %q has an unknown transport %q: use stdio, streamable-http or sse", v.Name, v.Transport)
		}
		if v.URL == "" {
			return notStarted(nil, fault.Invalid, "Server %q has no URL configured for remote transport", v.Name)
		}
	case v.Command == "":
		return notStarted(nil, fault.Invalid, "Server %q has no command configured", v.Name)
	}
	return nil
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

// startFailure turns the error of a start into one that names the server, the
// cause and a remedy.
func (s *session) startFailure(ctx context.Context, err error) error {
	command := s.redactor.Text(strings.Join(append([]string{s.server.Command}, s.server.Args...), " "))
	name, distant := s.server.Name, s.link.pid() == 0
	rpc, _ := errors.AsType[*jsonrpc.Error](err)
	refused, _ := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Cause(ctx)
	case refused != nil:
		return notStarted(known(err), refused.Kind, "Failed to activate %q: %s%s", name, s.redactor.Text(refused.Message), s.stderrQuote())
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && distant:
		return notStarted(err, fault.Timeout, "Failed to activate %q: %s did not finish the MCP handshake within %s; is the URL right?",
			name, mcphttp.Show(s.server.URL), s.manager.limits.StartTimeout)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return s.because(s.missing(), notStarted(err, fault.Timeout, "Failed to activate %q: %q did not finish the MCP handshake within %s — does it wait for input or for a login? Run it in a terminal to see.%s",
			name, command, s.manager.limits.StartTimeout, s.stderrQuote()))
	case isClosed(err) && !distant:
		within(exitGrace, s.link.gone())
		return s.because(s.reason(), notStarted(err, fault.Failed, "Failed to activate %q: child process for %q exited before the MCP handshake completed — verify the package/args are correct and the server actually starts. Original: MCP error -32000: Connection closed%s",
			name, command, s.stderrQuote()))
	case rpc != nil:
		return notStarted(err, fault.Failed, "Failed to activate %q: it answered with MCP error %d: %s%s",
			name, rpc.Code, s.redactor.Text(rpc.Message), s.stderrQuote())
	}
	return notStarted(err, fault.Failed, "Failed to activate %q: %s%s", name, s.redactor.Text(err.Error()), s.stderrQuote())
}
