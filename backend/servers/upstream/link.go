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

// link is what carries a session's lines: a process of ours, or HTTP.
type link interface {
	pid() int              // 0 where there is no process of ours
	stop()                 // ends it, gently at first, and waits for it
	gone() <-chan struct{} // closed when nothing of it is left
	ending() ending
}

// ending is how a link ended, as far as that is known.
type ending struct {
	how    string // for a person, in brackets
	cause  error
	benign bool // the server may do that and be well
}

// distant is the link to a server over HTTP.
type distant struct {
	*mcphttp.Link
	over chan struct{}
	err  error // read after over
}

// connect makes a session's link to a server elsewhere. That there is one is
// seen with the first message only.
func (s *session) connect(env process.Env) error {
	transport, _ := mcphttp.TransportOf(s.server.Transport)
	m, d := s.manager, &distant{over: make(chan struct{})}
	var err error
	d.Link, err = mcphttp.New(mcphttp.Options{
		Transport: transport, URL: s.filled.URL, Shown: mcphttp.Show(s.server.URL), Headers: s.filled.Headers,
		Agent: "agent-discover/" + m.Version, Limit: childLine, Proxy: mcphttp.ProxyOf(env.Get),
		Log:    m.Log.With("server", s.server.Name),
		Failed: func(id json.RawMessage, why error) { s.conn.Fail(id, why) },
	})
	if err != nil {
		return notStarted(err, fault.KindOf(err), "Failed to activate %q: %s", s.server.Name, fault.MessageOf(err))
	}
	s.link, s.conn = d, jsonrpc.NewConn(d, d, s, jsonrpc.Options{LineLimit: childLine})
	m.sessions.Go(func() {
		_ = s.conn.Run(context.Background()) // ends with the link
	})
	m.sessions.Go(func() {
		d.err = d.Run()
		<-s.conn.Done()
		close(d.over)
	})
	return nil
}

func (d *distant) pid() int { return 0 }

func (d *distant) stop() { _ = d.Close(); <-d.over }

func (d *distant) gone() <-chan struct{} { return d.over }

func (d *distant) ending() ending {
	select {
	case <-d.over:
	default:
		return ending{how: "its connection closed"}
	}
	if d.err == nil {
		return ending{how: "it was closed"}
	}
	return ending{how: fault.MessageOf(d.err), cause: d.err, benign: errors.Is(d.err, mcphttp.ErrLost)}
}

// mark returns what must be known of the cause of an error whose own text may
// hold what is covered in ours; nil when that is nothing.
func mark(err error) error {
	if errors.Is(err, mcphttp.ErrLost) {
		return mcphttp.ErrLost
	}
	return nil
}

// within reports whether something happens in that time.
func within(d time.Duration, happens <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-happens:
		return true
	case <-timer.C:
		return false
	}
}
