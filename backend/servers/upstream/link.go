package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

// link transports the messages of a session: over the pipes of a child process, or over HTTP.
type link interface {
	pid() int              // 0 for HTTP
	stop()                 // ends the link, by force if necessary, and waits for its end
	gone() <-chan struct{} // closed when the link has ended
	ending() ending        // valid once gone is closed
}

// ending describes how a link ended.
type ending struct {
	how    string // description for people; errors contain it in parentheses
	cause  error
	benign bool // the end does not mean that the server is unhealthy
}

// remote is the link to a server over HTTP.
type remote struct {
	http *mcphttp.Link
	over chan struct{}
	err  error // valid after over is closed
}

// connect creates the link of a session with a remote server. It sends nothing,
// so that an unreachable server is noticed with the first message.
func (s *session) connect(env process.Env) error {
	transport := mcphttp.Streamable
	if s.server.Transport == "sse" {
		transport = mcphttp.SSE
	}
	m, r := s.manager, &remote{over: make(chan struct{})}
	at, err := reach(s.filled, env)
	if err != nil {
		return notStarted(err, fault.KindOf(err), "Failed to activate %q: %s", s.server.Name, fault.MessageOf(err))
	}
	r.http, err = mcphttp.New(mcphttp.Options{
		Transport: transport, URL: s.filled.URL, Shown: mcphttp.Show(s.server.URL), Headers: s.filled.Headers,
		Agent: "agent-discover/" + m.version, Limit: maxLine, Proxy: at.Proxy, CAs: at.CAs,
		Authorization: s.authorization(at),
		Log:           m.log.With("server", s.server.Name),
		Failed:        func(id json.RawMessage, why error) { s.conn.Fail(id, why) },
		Asked:         func(request, call json.RawMessage) { s.conn.Relate(request, call) },
		Skipped:       func(why error) { s.conn.FailOnly(why) },
		Lost:          func() { s.fade() },
		Schema:        s.profile.inputSchema,
		Budget:        m.budget,
	})
	if err != nil {
		return notStarted(err, fault.KindOf(err), "Failed to activate %q: %s", s.server.Name, fault.MessageOf(err))
	}
	s.assemble(r, jsonrpc.NewConn(r.http, r.http, s.inbox, jsonrpc.Options{
		LineLimit: maxLine, RememberOwners: rememberedOwners, Tap: s.tap,
	}))
	m.work.Go(func() {
		_ = s.conn.Run(context.Background()) // returns when the link ends
	})
	m.work.Go(func() {
		r.err = r.http.Run(context.Background())
		<-s.conn.Done()
		close(r.over)
	})
	return nil
}

func (r *remote) pid() int { return 0 }

func (r *remote) stop() { _ = r.http.Close(); <-r.over }

func (r *remote) gone() <-chan struct{} { return r.over }

func (r *remote) ending() ending {
	select {
	case <-r.over:
	default:
		return ending{how: "its connection closed"}
	}
	if r.err == nil {
		return ending{how: "it was closed"}
	}
	return ending{how: fault.MessageOf(r.err), cause: r.err, benign: errors.Is(r.err, mcphttp.ErrLost)}
}

// known returns mcphttp.ErrLost or mcphttp.ErrSignIn if it is in the chain of err, and
// nil otherwise. Callers test for these errors. The rest of the chain is dropped, because
// its text may contain secrets.
func known(err error) error {
	for _, one := range []error{mcphttp.ErrLost, mcphttp.ErrSignIn} {
		if errors.Is(err, one) {
			return one
		}
	}
	return nil
}

// within waits at most d for a channel to be closed, and reports whether it was
// closed.
func within(d time.Duration, closed <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}
