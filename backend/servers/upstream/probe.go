package upstream

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

const (
	// probeTimeout is how long a server that is suspected to hang may be silent.
	probeTimeout = 5 * time.Second
	// patience is how long calls wait for the result of a probe. A server that
	// does not hang answers sooner.
	patience = 2 * time.Second
)

// probe finds out whether a server hangs. New calls fail meanwhile, because each
// of them would wait for the whole time limit of a call.
type probe struct {
	began time.Time
	done  chan struct{} // closed when the result is known
}

// examine pings the server and ends the session if the server stays silent. Any
// message shows that the server does not hang, because some servers answer pings
// only between calls.
func (s *session) examine(p *probe) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	heard, answered := s.conn.Received(), make(chan struct{})
	s.manager.work.Go(func() { // the write of the ping may block for longer than ctx
		defer close(answered)
		_ = s.peer.alive(ctx, 0)
	})
	select {
	case <-answered:
	case <-ctx.Done():
	}
	hangs := s.conn.Received() == heard
	select {
	case <-s.conn.Done():
		hangs = false // the session has ended
	default:
	}
	s.use.judge(hangs)
	close(p.done)
	if !hangs {
		return
	}
	why := fault.New(fault.Timeout, "server %q answered neither a call nor a ping and was stopped; it starts again with the next call.%s",
		s.server.Name, s.stderr.quote(reason{}))
	s.log.Warn("server does not answer and is stopped", "server", s.server.Name)
	s.manager.health.death(s.server, why)
	s.abandon("it answered neither calls nor a ping")
}

// abandon is shutdown without a grace period, for a server that hangs or takes too much memory.
func (s *session) abandon(cause string) {
	s.shutOnce.Do(func() {
		s.use.stop(cause)
		if pid := s.link.pid(); pid != 0 {
			process.Terminate(pid)
		}
		s.link.stop()
	})
	<-s.link.gone()
}

// silence is the error for a session that cannot be used while its server is being
// probed.
type silence struct {
	probe  *probe
	server string
}

func (e *silence) Error() string { return "server " + e.server + " is silent" }

// wait waits for the result of the probe, but not longer than patience.
func (e *silence) wait(ctx context.Context) error {
	timer := time.NewTimer(time.Until(e.probe.began.Add(patience)))
	defer timer.Stop()
	select {
	case <-e.probe.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return fault.New(fault.Timeout,
			"server %q does not answer: a call got no answer in time, and now a ping gets none. It is restarted if it stays silent; "+
				"call again in %s", e.server, probeTimeout)
	}
}
